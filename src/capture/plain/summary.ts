import type { SummaryDraft } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import { effectFacts } from './changes.ts'
import { describeRun, describeTotals } from './check-runs.ts'
import { pullRequestNumber } from './commits.ts'
import { describeFailure } from './failures.ts'
import { contentLength, isContent, listAround, narrativeOf } from './headline.ts'
import { abbreviateList, unique } from './lists.ts'
import {
  asStandaloneSentence,
  capitalizeSentence,
  isExplanation,
  isFiller,
  isNextStep,
  isOpenQuestion,
  isStatus,
  joinSentences,
  withoutOpener,
} from './phrases.ts'
import type { ParsedPrompt } from './prompt.ts'
import { type ProseItem, readProse, sentencesOf } from './prose.ts'
import type { TurnFacts } from './turn-facts.ts'

/** The five fields of a turn. Null when nothing was done and next to nothing was asked or said. */
export function summaryOf(reading: TurnFacts, titles: string[]): SummaryDraft | null {
  const { turn, answerItems: said, request: asked } = reading
  const worked = turn.actions.some((act) => !act.interrupted)
  if (!worked && contentLength(said) < (asked.isMeaningful ? 10 : 120)) return null
  const summary = {
    request: shorten(reading.request.text, 300),
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
function isQuestion({ sentences }: ParsedPrompt): boolean {
  return sentences.some((s) => /[?？]$/.test(s) && !/^(?:(?:can|could|would|will) (?:you|we)|please)\b/i.test(s))
}

function investigated({ filesRead, searchPatterns: searched, turn }: TurnFacts): string {
  const fetched = unique(turn.actions.flatMap((act) => (act.action.kind === 'fetch' && !act.failed ? act.action.target : [])))
  const tasks = unique(
    turn.actions.flatMap((act) =>
      act.action.kind === 'delegate' && !act.interrupted ? shorten(act.action.task.split('\n', 1)[0] ?? '', 70) : [],
    ),
  )
  const parts = [
    filesRead.length > 0 ? `Read ${abbreviateList(filesRead, 6)}` : '',
    searched.length > 0
      ? `searched for ${abbreviateList(
          searched.map((pattern) => `\`${shorten(pattern, 50)}\``),
          3,
        )}`
      : '',
    fetched.length > 0
      ? `consulted ${abbreviateList(
          fetched.map((target) => shorten(target, 80)),
          3,
        )}`
      : '',
    tasks.length > 0 ? `asked subagents: ${abbreviateList(tasks, 4)}` : '',
  ].filter(Boolean)
  return joinAsSentence(parts, 500)
}

function learned({ answerItems: said, solved, changes, request: asked, turn }: TurnFacts): string {
  const content = said.filter((s) => s.kind !== 'row' && isContent(s) && !isStatus(s.text))
  const explained = explanationsIn(content, changes.length === 0)
  // Where nothing was changed the answer itself is what was learned.
  const answer = changes.length === 0 && explained.length === 0 && contentLength(said) >= 120 ? content.flatMap(standaloneText) : []
  const cause = solved.length > 0 && explained.length === 0 ? sentencesOf(narrativeOf(said, 300)).slice(0, 1) : []
  const reported = turn.actions.flatMap(({ action }) =>
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
  return shorten(joinSentences(kept), 600)
}

/** What explains, three things at most. An answer that explains in a list is told by its opening and by the items around. */
function explanationsIn(content: ProseItem[], isAnswer: boolean): string[] {
  const item = isAnswer ? content.findIndex((s) => s.kind === 'point' && isExplanation(s.text)) : -1
  const explains = content.filter((s) => isExplanation(s.text) && (item < 0 || s.kind === 'sentence')).slice(0, 3)
  if (item < 0) return explains.flatMap(standaloneText)
  const opening = content.slice(0, 1).filter((s) => s.kind === 'sentence')
  const chosen = [...opening, ...listAround(content, item), ...explains]
  return content
    .filter((s) => chosen.includes(s))
    .flatMap(standaloneText)
    .slice(0, 4)
}

/** What is said, if it is whole without the list it may lead in. */
function standaloneText({ text }: ProseItem): string[] {
  const whole = asStandaloneSentence(withoutOpener(text))
  return whole === null ? [] : [capitalizeSentence(whole)]
}

function completed(reading: TurnFacts, titles: string[]): string {
  const tests = reading.runs.findLast((run) => run.kind === 'test' && run.passed)
  const totals = tests ? describeTotals(tests.report) || `\`${describeRun(tests)}\` passes` : ''
  const pushed = reading.git.pushed.length > 0 ? `pushed ${abbreviateList(reading.git.pushed, 2)}` : ''
  const merged = reading.git.merges.length > 0 ? `merged ${abbreviateList(reading.git.merges, 2)}` : ''
  const effects = titles.length === 0 ? effectFacts(reading) : []
  const parts = [...titles, ...effects, totals, pushed, merged].filter(Boolean)
  // A title is spelled as it is meant: `jobs` may be the name of a command.
  return titles.length > 0 ? shorten(parts.join('; '), 500) : joinAsSentence(parts, 500)
}

function nextSteps({ answerItems: said, open, turn }: TurnFacts): string {
  const told = said.filter((s) => s.kind !== 'heading' && isNextStep(s) && !isFiller(s.text) && !/[:：]$/.test(s.text)).map((s) => s.text)
  const asked = said.findLast(
    (s) =>
      isOpenQuestion(s.text) &&
      s.kind === 'sentence' &&
      !/^(?:what(?:'s| is) next|what would you like|anything else|how can i|what else)/i.test(s.text),
  )?.text
  const failing = open.filter((failure) => failure.promptNumber === turn.promptNumber).map((failure) => `${describeFailure(failure)}.`)
  return shorten(joinSentences(unique([...failing.slice(0, 3), ...told.slice(0, 4), asked ?? ''])), 500)
}

function notes({ git, effects }: TurnFacts): string {
  const commits = git.commits.map((commit) => (commit.hash ? `${commit.hash} ${shorten(commit.subject, 80)}` : shorten(commit.subject, 80)))
  const requests = git.pullRequests.map((pr) => `pull request ${pullRequestNumber(pr.url)} ${pr.url}`)
  const parts = [
    git.branch ? `Branch ${git.branch}` : '',
    commits.length > 0 ? `commits: ${commits.slice(0, 5).join('; ')}` : '',
    ...requests.slice(0, 3),
    effects.installed.length > 0 ? `installed ${abbreviateList(effects.installed, 6)}` : '',
  ].filter(Boolean)
  return joinAsSentence(parts, 500)
}

/** Parts joined to one line that begins like a sentence. */
function joinAsSentence(parts: string[], max: number): string {
  const text = shorten(parts.join('; '), max)
  return capitalizeSentence(text)
}
