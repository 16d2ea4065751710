import type { Observation, OpenFailure, Prompt, Summary } from '../core/memory.ts'
import { labelOfAnswer, withoutLabel } from '../core/outcome.ts'
import { shorten } from '../core/text.ts'
import { formatAgo } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { WithBranch } from '../store/store.ts'
import { pairWithCommits } from './commits.ts'
import { branchLabel, failingLines, summaryLines } from './memory-lines.ts'
import type { BriefPage, BriefPart, ReasonedItem } from './page.ts'
import { isSmallWork } from './recent-work.ts'
import { repeatsText } from './repeated-text.ts'
import { resultId, resultText, resultTitle, type WorkResult } from './results.ts'

/** A summary with its session's id from the agent, the session's title, what came of its work, and the tests that still fail. */
export type SummaryInBrief = {
  summary: WithBranch<Summary>
  session: string | null
  title: string | null
  result?: WorkResult | null
  /** A change made by a later turn of the same work. */
  then?: string
  failing: OpenFailure[]
}

export function summaryHeading({ summary }: SummaryInBrief, branch: string | null, open: Prompt | null): string {
  const last = open && open.sessionId !== summary.sessionId ? 'Last session with an answer' : 'Last session'
  if (branch === null) return last
  if (summary.branch === branch) return `Last on this branch (${branchLabel(branch)})`
  return summary.branch === null ? last : `${last}, on branch ${branchLabel(summary.branch)}`
}

/** The whole summary, or if it does not fit, as many of its lines as do: first what was done and what comes next. */
export function addSummary(page: BriefPage, last: SummaryInBrief, heading: string, now: number, left: ReasonedItem[]): void {
  const { summary, title, result = null, then = '', failing } = last
  const of: ReasonedItem = { kind: 'summary', id: summary.id, why: `the last summary: ${heading}` }
  const isElsewhere = heading.includes(', on branch ')
  const isLongAgo = now - summary.at > RECENT_SESSION_MS
  const isDistant = isElsewhere || isLongAgo
  // Work on another branch days ago hardly matters here: one line says that it was.
  const brief = isElsewhere && isLongAgo && result ? ` — ${resultText(result, MAX_ELSEWHERE_CHARACTERS)}` : ''
  const about = `${titleOf(last)}${brief}`
  const first = `${heading}, ${formatAgo(summary.at, now)}${about ? `: ${about}` : ''}`
  const said = isDistant ? { ...summary, nextSteps: summary.nextSteps.replace(/^[^.]*[?？]\s*$/, '') } : summary
  const lines = [
    ...(brief !== ''
      ? []
      : result
        ? resultLines(result, then, said.nextSteps, isDistant ? MAX_DISTANT_RESULT_CHARACTERS : MAX_LAST_RESULT_CHARACTERS)
        : summaryLines(said, title ?? '')),
    ...failingLines(failing, summary, now),
  ]
  const outcome: BriefPart[] = result
    ? [{ of: { kind: 'prompt', id: result.outcome.id, why: 'the result of the last session' }, lines: [] }]
    : []
  if (page.add({ of, lines: [first, ...lines] }, ...outcome)) return
  let hasHeading = false
  for (const line of lines.toSorted((a, b) => summaryLineWeight(b) - summaryLineWeight(a))) {
    const part = { of, lines: hasHeading ? [line] : [first, line] }
    if (page.add(part, ...(/^- (?:Settled|Reported)/.test(line) ? outcome : []))) hasHeading = true
    else left.push({ ...of, why: `“${line.slice(2, line.indexOf(':'))}”: ${page.whyNoRoom(part)}` })
  }
}

const titleOf = ({ result, title }: SummaryInBrief): string =>
  result ? resultTitle(result) : shorten(neutralizeText(title ?? ''), MAX_SESSION_TITLE_CHARACTERS)

/** The name of the last session in the message to the person. */
export const nameOf = (last: SummaryInBrief): string =>
  titleOf(last) || shorten(neutralizeText(last.summary.completed || last.summary.request), MAX_SESSION_TITLE_CHARACTERS)

const MAX_SESSION_TITLE_CHARACTERS = 120

export const countFailing = ({ failing }: SummaryInBrief): number => new Set(failing.flatMap(({ names }) => names)).size

/** The result of the last session, instead of the fields that say the same in pieces. */
function resultLines(result: WorkResult, then: string, nextSteps: string, maxCharacters: number): string[] {
  const lines = [
    `- ${labelOfAnswer(result.outcome.answer ?? '')} (${resultId(result)}): ${withoutLabel(resultText(result, maxCharacters))}${changedFiles(result)}`,
  ]
  const add = (text: string, line: (text: string) => string) => {
    if (text && !repeatsText(`${result.title} ${lines.join(' ')}`, text)) lines.push(line(text))
  }
  add(then, thenLine)
  add(result.leftover ?? '', (text) => `- Left: ${shorten(neutralizeText(text), 200)}`)
  add(nextSteps, nextStepsLine)
  return lines
}

/** The changed files, if there are few and the result names none of them. */
function changedFiles({ files = [], outcome }: WorkResult): string {
  const isNamed = files.some((file) => outcome.answer?.includes(file.split('/').at(-1) ?? file))
  return files.length === 0 || files.length > MAX_NAMED_FILES || isNamed ? '' : ` (in ${neutralizeText(files.join(', '))})`
}

const MAX_NAMED_FILES = 3

const thenLine = (then: string): string =>
  then.startsWith('Plan: ') ? `- Then planned: ${planOf(then)}` : `- Then: ${shorten(neutralizeText(then), 200)}`

/** A plan may not have been carried out, so it is not called done. */
const planOf = (completed: string): string => shorten(neutralizeText(completed.replace(/^Plan: /, '')), 200)

/** A question that ended the session is not a next step, but the person has not answered it. */
const nextStepsLine = (nextSteps: string): string =>
  /[?？]\s*$/.test(nextSteps)
    ? `- Asked at the end, not answered: ${shorten(neutralizeText(nextSteps), 200)}`
    : `- Next: ${shorten(neutralizeText(nextSteps), 300)}`

const MAX_LAST_RESULT_CHARACTERS = 500
/** Of a session on another branch, or long ago, less is enough. */
const MAX_DISTANT_RESULT_CHARACTERS = 260
const RECENT_SESSION_MS = 3 * 86_400_000

const summaryLineWeight = (line: string) =>
  ['- Done', '- Reported', '- Settled', '- Failed', '- Next', '- Learned'].findLastIndex((start) => line.startsWith(start)) + 1

/** One line about work on another branch. Its next steps are left out: they are not this session's. */
export function otherBranchPart({ summary, title, result = null, then = '' }: SummaryInBrief, now: number): BriefPart {
  const where = summary.branch === null ? 'elsewhere' : `on branch ${branchLabel(summary.branch)}`
  const completed = (text: string) =>
    text.startsWith('Plan: ') ? `planned: ${planOf(text)}` : shorten(neutralizeText(text), MAX_ELSEWHERE_CHARACTERS)
  const what = result
    ? `${resultTitle(result)} — ${then ? completed(then) : resultText(result, MAX_ELSEWHERE_CHARACTERS)}`
    : completed(summary.completed || title || summary.request)
  return {
    of: { kind: 'summary', id: summary.id, why: `the newest summary, ${where}` },
    lines: [`Newer work ${where}, not here, ${formatAgo(summary.at, now)}: ${what}`],
  }
}

const MAX_ELSEWHERE_CHARACTERS = 200

/** What else the last session on this branch did, by title: its other results, and turns that changed files. */
export function addRestOfSession(
  page: BriefPage,
  { summary, result = null }: SummaryInBrief,
  results: WorkResult[],
  observations: WithBranch<Observation>[],
  left: ReasonedItem[],
): void {
  const ofSession = results.filter(({ thread, outcome }) => thread.sessionId === summary.sessionId && outcome.id !== result?.outcome.id)
  const isResultTurn = (o: Observation) => o.promptNumber === result?.outcome.number || o.promptNumber === summary.promptNumber
  const inSession = observations.filter((o) => o.sessionId === summary.sessionId && o.filesModified.length > 0)
  const changes = pairWithCommits(inSession.filter((o) => !isResultTurn(o) && !isTakenBack(o, result, inSession)))
  const items = [
    ...ofSession
      .filter((one) => !isSmallWork(one, observations))
      .map((one) => ({ of: { kind: 'prompt' as const, id: one.outcome.id }, title: `${resultId(one)} ${resultTitle(one)}` })),
    ...changes
      // Half a sentence names nothing.
      .filter(({ o }) => !o.title.endsWith('…') && !ofSession.some(({ outcome }) => outcome.number === o.promptNumber))
      .map(({ o }) => ({ of: { kind: 'observation' as const, id: o.id }, title: `#${o.id} ${shorten(neutralizeText(o.title), 80)}` })),
  ].filter(({ title }) => !page.says(title.slice(title.indexOf(' ') + 1)))
  const shown = items.slice(0, MAX_REST_OF_SESSION)
  const parts = shown.map(
    ({ of }, place): BriefPart => ({
      of: { ...of, why: 'also done in the last session' },
      lines: place === 0 ? [`- Also there: ${shown.map(({ title }) => title).join(' · ')}`] : [],
    }),
  )
  if (parts.length > 0 && !(page.has('summary', summary.id) && page.add(...parts)))
    left.push(...shown.map(({ of }) => ({ ...of, why: page.whyNoRoom(...parts) })))
  left.push(...items.slice(MAX_REST_OF_SESSION).map(({ of }) => ({ ...of, why: `${MAX_REST_OF_SESSION} more of its session are shown` })))
}

const MAX_REST_OF_SESSION = 4

/** Whether a result took back what an earlier turn did to the same files. */
function isTakenBack(o: Observation, result: WorkResult | null, inSession: Observation[]): boolean {
  if (!result || o.promptNumber > result.outcome.number || !TAKES_BACK.test(result.outcome.answer ?? '')) return false
  const files = inSession.filter(({ promptNumber }) => promptNumber === result.outcome.number).flatMap((one) => one.filesModified)
  return o.filesModified.some((file) => files.includes(file))
}

const TAKES_BACK = /\b(?:revert\w*|undo(?:ne)?|undid|rolled back|back to (?:its|the|their) (?:original|previous|earlier|old))\b/i
