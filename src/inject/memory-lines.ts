import type { Observation, OpenFailure, Summary } from '../core/memory.ts'
import { shorten } from '../core/text.ts'
import { formatAge, formatAgo } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'

/** How to look further, for whoever was told a few lines. */
export const LOOK_FURTHER_HINT = 'In full: memory_get with these ids; more: memory_recall.'

/** What a summary says, a line for each of its fields that adds something to those before it and to the name of its session. */
export function summaryLines(s: Summary, title = ''): string[] {
  const told = `${title} ${s.learned} ${s.completed}`
  const fields: [string, string, number][] = [
    ['Asked', s.completed && (ASSENT.test(s.request) || repeatsText(told, s.request)) ? '' : s.request, 300],
    // The files have a line of their own.
    ['Looked at', s.learned || s.completed ? '' : s.investigated, 240],
    ['Learned', s.learned, 500],
    ['Done', s.completed, 500],
    ['Next', s.nextSteps, 300],
    ['Notes', repeatsText(told, s.notes) ? '' : s.notes, 240],
  ]
  return fields.flatMap(([label, text, max]) => (text ? [`- ${label}: ${shorten(neutralizeText(text), max)}`] : []))
}

/** `commit this`, `yes please`: a word of assent, not what the work was about. */
const ASSENT =
  /^(?:(?:yes|ok|okay|sure|please|go|ahead|do|continue|proceed|comm?it|push|merge|this|that|it|all|both|and|then|now|pr)\b[\s,.!]*)+$/i

/**
 * The tests that failed when they were last run, the latest first; what the summary's next steps say already is not said again. A failure
 * that named no test may have been put right unnoticed, by a commit whose hook runs them all.
 */
export function failingLines(failing: OpenFailure[], { nextSteps }: Summary, now: number): string[] {
  const untold = failing.filter(({ command, names }) => names.length > 0 && !nextSteps.includes(shorten(command, 60))).toReversed()
  return untold
    .slice(0, 2)
    .map(
      ({ command, names, at }) =>
        `- Failed when last run, ${formatAgo(at, now)}: ${shorten(neutralizeText(`\`${command}\`: ${names.slice(0, 3).join('; ')}`), 240)}`,
    )
}

/** An observation in a line: enough to know whether to ask for it. One of its commit is named, with what it says besides. */
export function observationLine(
  o: Observation & { branch?: string | null },
  now: number,
  branch: string | null = null,
  commit: Observation | null = null,
  above: { branch?: string | null } | null = null,
): string {
  const files = o.filesModified.slice(0, commit ? 1 : 2).join(', ')
  const what = shorten(
    neutralizeText(
      (commit && !repeatsText(o.title, commit.title) ? [o.title, `#${commit.id}: ${commit.title}`] : headlineOf(o)).join(' — '),
    ),
    220,
  )
  const also = commit && !what.includes(`#${commit.id}: `) ? ` (also #${commit.id})` : ''
  const where = files && !what.includes(o.filesModified[0] ?? files) ? ` [${shorten(neutralizeText(files), 120)}]` : ''
  const off =
    branch !== null && o.branch && o.branch !== branch
      ? ` (${above?.branch === o.branch && o.branch.length > 12 ? 'as above' : shorten(branchLabel(o.branch), 40)})`
      : ''
  return `#${o.id} · ${formatAge(o.at, now)} · ${o.type} · ${what}${also}${where}${off} · ~${o.tokens}t`
}

/** The title, and the subtitle where it adds something. */
function headlineOf({ title, subtitle }: Observation): string[] {
  if (!subtitle.startsWith('Asked: ')) return repeatsText(title, subtitle) ? [title] : [title, subtitle]
  // Half of a question tells little beside its answer, except where the answer makes no sense without it.
  return LEANS_ON_QUESTION.test(title) || title.length < 30 ? [title, shorten(subtitle, 120)] : [title]
}

const LEANS_ON_QUESTION = /^(?:it|its|this|that|these|those|they|both|all|each|neither|none|yes|no)\b/i

/** Whether a text says nothing that another has not said, or begins by saying it again. */
export function repeatsText(said: string, text: string): boolean {
  const [before, words] = [wordsOf(said), wordsOf(text)]
  const again = words.filter((word) => before.includes(word)).length
  return again >= 0.8 * words.length || (words.length > 5 && before.join(' ').includes(words.slice(0, 5).join(' ')))
}

/** Of a path only the name: the line shows where the file lies. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[\w.@-]+\//g, '')
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** The first of what it found, besides what its line says. */
export function factLines(o: Observation): string[] {
  const said = headlineOf(o).join(' ')
  const facts = o.facts.filter((fact) => !said.includes(fact) && !CUT_CHANGE.test(fact) && !isCountChange(fact))
  return facts.slice(0, MAX_FACTS_SHOWN).map((fact) => `  - ${shorten(neutralizeText(fact), 200)}`)
}

const MAX_FACTS_SHOWN = 3

/** A line and what it became, one of them cut: what differs may be what is missing. */
const CUT_CHANGE = /^[^`]*: `.*…` → `|^[^`]*: `.*` → `.*…`$/

/** A line of prose in which only numbers changed: how many there were that day. In code a number is what was decided. */
function isCountChange(fact: string): boolean {
  const [, before, after] = /^\S+\.(?:md|mdx|txt|rst|adoc): `(.*)` → `(.*)`$/i.exec(fact) ?? []
  return before !== undefined && before.replace(/\d+/g, '') === after?.replace(/\d+/g, '')
}

/** A branch has any name; here it is a word among others. */
export const branchLabel = (branch: string) => shorten(neutralizeText(branch).replace(/[<>"&]/g, ''), 80)

/** Without what could end the attribute, escaped or not: capture reads escapes too when it takes the block out. */
export const attributeValue = (text: string) => neutralizeText(text).replace(/["&<>\\%]/g, '')
