import type { Observation, OpenFailure, Summary } from '../core/memory.ts'
import { shorten } from '../core/text.ts'
import { formatAge, formatAgo } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { undoneMark } from '../core/work.ts'
import { repeatsText } from './repeated-text.ts'

/** How to find more, for pages that show only a few lines. */
export const LOOK_FURTHER_HINT = 'In full: memory_get with these ids; more: memory_recall.'

/** A line for each field of a summary that says more than the session's title and the other fields. */
export function summaryLines(s: Summary, title = ''): string[] {
  const known = `${title} ${s.learned} ${s.completed}`
  const fields: [string, string, number][] = [
    ['Asked', s.completed && (ASSENT.test(s.request) || repeatsText(known, s.request)) ? '' : s.request, 300],
    // The overview has a line for the files.
    ['Looked at', s.learned || s.completed ? '' : s.investigated, 240],
    ['Learned', s.learned, 500],
    [s.completed.startsWith('Plan: ') ? 'Planned' : 'Done', s.completed.replace(/^Plan: /, ''), 500],
    ['Next', s.nextSteps, 300],
    ['Notes', repeatsText(known, s.notes) ? '' : s.notes, 240],
  ]
  return fields.flatMap(([label, text, max]) => (text ? [`- ${label}: ${shorten(neutralizeText(text), max)}`] : []))
}

/** `commit this`, `yes please`: agrees to something, but does not say what the work was about. */
const ASSENT =
  /^(?:(?:yes|ok|okay|sure|please|go|ahead|do|continue|proceed|comm?it|push|merge|this|that|it|all|both|and|then|now|pr)\b[\s,.!]*)+$/i

/**
 * The tests that failed in their last run, the latest first, unless the summary's next steps mention them. A failure without the name of a
 * test is left out: a commit whose hook runs all tests may have fixed it unnoticed.
 */
export function failingLines(failing: OpenFailure[], { nextSteps }: Summary, now: number): string[] {
  const unmentioned = failing.filter(({ command, names }) => names.length > 0 && !nextSteps.includes(shorten(command, 60))).toReversed()
  return unmentioned
    .slice(0, 2)
    .map(
      ({ command, names, at }) =>
        `- Failed when last run, ${formatAgo(at, now)}: ${shorten(neutralizeText(`\`${command}\`: ${names.slice(0, 3).join('; ')}`), 240)}`,
    )
}

/** An observation in one line: enough to decide whether to read it. Its commit is named, with its title if that adds something. */
export function observationLine(
  o: Observation & { branch?: string | null },
  now: number,
  branch: string | null = null,
  commit: Observation | null = null,
  previous: { branch?: string | null } | null = null,
): string {
  const mark = o.undoneBy ? `[${undoneMark(o.undoneBy)}] ` : ''
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
      ? ` (${previous?.branch === o.branch && o.branch.length > 12 ? 'as above' : shorten(branchLabel(o.branch), 40)})`
      : ''
  return `#${o.id} · ${formatAge(o.at, now)} · ${o.type} · ${mark}${what}${also}${where}${off} · ~${o.tokens}t`
}

/** The title, and the subtitle if it adds something. */
function headlineOf({ title, subtitle }: Observation): string[] {
  if (!subtitle.startsWith('Asked: ')) return repeatsText(title, subtitle) ? [title] : [title, subtitle]
  // A shortened question adds little to its answer, unless the answer makes no sense without it.
  return NEEDS_QUESTION.test(title) || title.length < 30 ? [title, shorten(subtitle, 120)] : [title]
}

const NEEDS_QUESTION = /^(?:it|its|this|that|these|those|they|both|all|each|neither|none|yes|no)\b/i

/** Quotes the person, who did not believe a result. */
export const doubtLine = (doubt: string): string => `The person then said: “${shorten(neutralizeText(doubt), 160)}”`

/** A branch name may contain anything, so it is neutralised and shortened. */
export const branchLabel = (branch: string) => shorten(neutralizeText(branch).replace(/[<>"&]/g, ''), 80)

/** Without anything that could end the attribute, even escaped: capture also reads escapes when it removes the block. */
export const attributeValue = (text: string) => neutralizeText(text).replace(/["&<>\\%]/g, '')
