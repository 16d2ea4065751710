import type { SummaryDraft } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import { effectFacts } from './changes.ts'
import { pullNumber } from './commits.ts'
import { describeFailure } from './failures.ts'
import { isContent, listAround, narrativeOf, weightOf } from './headline.ts'
import { some, unique } from './lists.ts'
import {
  asSentences,
  begun,
  isExplanation,
  isFiller,
  isNextStep,
  isOpenQuestion,
  isStatus,
  standingAlone,
  withoutOpener,
} from './phrases.ts'
import type { Asked } from './prompt.ts'
import { readProse, type Said, sentencesOf } from './prose.ts'
import type { Reading } from './reading.ts'
import { shownRun, shownTotals } from './runs.ts'

/** The five fields of a turn. Null when nothing was done and next to nothing was asked or said. */
export function summaryOf(reading: Reading, titles: string[]): SummaryDraft | null {
  const { turn, said, asked } = reading
  const worked = turn.acts.some((act) => !act.interrupted)
  if (!worked && weightOf(said) < (asked.isMeaningful ? 10 : 120)) return null
  const summary = {
    request: shorten(reading.asked.text, 300),
    investigated: investigated(reading),
    learned: learned(reading),
    completed: completed(reading, titles),
    nextSteps: nextSteps(reading),
    notes: notes(reading),
  }
  if (summary.learned || summary.completed || summary.nextSteps) return summary
  // Nothing stands out, so the answer speaks for itself; where there is none, the request is already in the journal.
  const answer = shorten(turn.answer ?? '', 300)
  if (!answer) return null
  return worked && !isQuestion(asked) ? { ...summary, completed: answer } : { ...summary, learned: answer }
}

/** Something that someone wanted to know; "can you …?" wants something done. */
function isQuestion({ sentences }: Asked): boolean {
  return sentences.some((s) => /[?？]$/.test(s) && !/^(?:(?:can|could|would|will) (?:you|we)|please)\b/i.test(s))
}

function investigated({ filesRead, searched, turn }: Reading): string {
  const fetched = unique(turn.acts.flatMap((act) => (act.action.kind === 'fetch' && !act.failed ? act.action.target : [])))
  const tasks = unique(
    turn.acts.flatMap((act) =>
      act.action.kind === 'delegate' && !act.interrupted ? shorten(act.action.task.split('\n', 1)[0] ?? '', 70) : [],
    ),
  )
  const parts = [
    filesRead.length > 0 ? `Read ${some(filesRead, 6)}` : '',
    searched.length > 0
      ? `searched for ${some(
          searched.map((pattern) => `\`${shorten(pattern, 50)}\``),
          3,
        )}`
      : '',
    fetched.length > 0
      ? `consulted ${some(
          fetched.map((target) => shorten(target, 80)),
          3,
        )}`
      : '',
    tasks.length > 0 ? `asked subagents: ${some(tasks, 4)}` : '',
  ].filter(Boolean)
  return sentence(parts, 500)
}

function learned({ said, solved, changes, asked, turn }: Reading): string {
  const content = said.filter((s) => s.kind !== 'row' && isContent(s) && !isStatus(s.text))
  const explained = explainedIn(content, changes.length === 0)
  // Where nothing was changed the answer itself is what was learned.
  const answer = changes.length === 0 && explained.length === 0 && weightOf(said) >= 120 ? content.flatMap(told) : []
  const cause = solved.length > 0 && explained.length === 0 ? sentencesOf(narrativeOf(said, 300)).slice(0, 1) : []
  const reported = turn.acts.flatMap(({ action }) =>
    action.kind === 'delegate' && action.answer ? narrativeOf(readProse(action.answer), 200) : [],
  )
  const failures = solved.map(({ failure }) => `${describeFailure(failure)} until it was fixed.`)
  const kept = unique([
    ...explained,
    ...answer.slice(0, asked.isMeaningful ? 3 : 1),
    ...cause,
    ...(explained.length === 0 ? reported.slice(0, 2) : []),
    ...failures.slice(0, 2),
  ])
  return shorten(asSentences(kept), 600)
}

/** What explains, three things at most. An answer that explains in a list is told by its opening and by the items around. */
function explainedIn(content: Said[], isAnswer: boolean): string[] {
  const item = isAnswer ? content.findIndex((s) => s.kind === 'point' && isExplanation(s.text)) : -1
  const explains = content.filter((s) => isExplanation(s.text) && (item < 0 || s.kind === 'sentence')).slice(0, 3)
  if (item < 0) return explains.flatMap(told)
  const opening = content.slice(0, 1).filter((s) => s.kind === 'sentence')
  const chosen = [...opening, ...listAround(content, item), ...explains]
  return content
    .filter((s) => chosen.includes(s))
    .flatMap(told)
    .slice(0, 4)
}

/** What is said, if it is whole without the list it may lead in. */
function told({ text }: Said): string[] {
  const whole = standingAlone(withoutOpener(text))
  return whole === null ? [] : [begun(whole)]
}

function completed(reading: Reading, titles: string[]): string {
  const tests = reading.runs.findLast((run) => run.kind === 'test' && run.passed)
  const totals = tests ? shownTotals(tests.report) || `\`${shownRun(tests)}\` passes` : ''
  const pushed = reading.git.pushed.length > 0 ? `pushed ${some(reading.git.pushed, 2)}` : ''
  const merged = reading.git.merges.length > 0 ? `merged ${some(reading.git.merges, 2)}` : ''
  const effects = titles.length === 0 ? effectFacts(reading) : []
  const parts = [...titles, ...effects, totals, pushed, merged].filter(Boolean)
  // A title is spelled as it is meant: `jobs` may be the name of a command.
  return titles.length > 0 ? shorten(parts.join('; '), 500) : sentence(parts, 500)
}

function nextSteps({ said, open, turn }: Reading): string {
  const told = said.filter((s) => s.kind !== 'heading' && isNextStep(s) && !isFiller(s.text) && !/[:：]$/.test(s.text)).map((s) => s.text)
  const asked = said.findLast(
    (s) =>
      isOpenQuestion(s.text) &&
      s.kind === 'sentence' &&
      !/^(?:what(?:'s| is) next|what would you like|anything else|how can i|what else)/i.test(s.text),
  )?.text
  const failing = open.filter((failure) => failure.promptNumber === turn.promptNumber).map((failure) => `${describeFailure(failure)}.`)
  return shorten(asSentences(unique([...failing.slice(0, 3), ...told.slice(0, 4), asked ?? ''])), 500)
}

function notes({ git, effects }: Reading): string {
  const commits = git.commits.map((commit) => (commit.hash ? `${commit.hash} ${shorten(commit.subject, 80)}` : shorten(commit.subject, 80)))
  const requests = git.pullRequests.map((pr) => `pull request ${pullNumber(pr.url)} ${pr.url}`)
  const parts = [
    git.branch ? `Branch ${git.branch}` : '',
    commits.length > 0 ? `commits: ${commits.slice(0, 5).join('; ')}` : '',
    ...requests.slice(0, 3),
    effects.installed.length > 0 ? `installed ${some(effects.installed, 6)}` : '',
  ].filter(Boolean)
  return sentence(parts, 500)
}

/** Parts joined to one line that begins like a sentence. */
function sentence(parts: string[], max: number): string {
  const text = shorten(parts.join('; '), max)
  return begun(text)
}
