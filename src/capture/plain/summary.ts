import { NO_WORDS, type SummaryDraft } from '../../core/memory.ts'
import { type ProseItem, readProse, sentencesOf } from '../../core/prose.ts'
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
import type { TurnFacts } from './turn-facts.ts'

/** The summary of a turn. Null if no tool was used and prompt and answer say almost nothing. */
export function summaryOf(turnFacts: TurnFacts, titles: string[]): SummaryDraft | null {
  const { turn, answerItems, request } = turnFacts
  const usedTools = turn.actions.some((use) => !use.interrupted)
  if (!usedTools && contentLength(answerItems) < (request.isMeaningful ? 10 : 120)) return null
  const summary = {
    request: turn.prompt === NO_WORDS ? '' : shorten(request.text, 300),
    investigated: investigated(turnFacts),
    learned: learned(turnFacts),
    completed: completed(turnFacts, titles),
    nextSteps: nextSteps(turnFacts),
    notes: notes(turnFacts),
  }
  if (summary.learned || summary.completed || summary.nextSteps) return summary
  // The rules found nothing, so use the answer itself. Without an answer, the journal already has the request.
  const answer = shorten(turn.answer ?? '', 300)
  if (!answer) return null
  return usedTools && !isQuestion(request) ? { ...summary, completed: answer } : { ...summary, learned: answer }
}

/** Whether the person wants to know something. "Can you …?" is a request to do something. */
function isQuestion({ sentences }: ParsedPrompt): boolean {
  return sentences.some((s) => /[?？]$/.test(s) && !/^(?:(?:can|could|would|will) (?:you|we)|please)\b/i.test(s))
}

function investigated({ filesRead, searchPatterns, turn }: TurnFacts): string {
  const fetched = unique(turn.actions.flatMap((use) => (use.action.kind === 'fetch' && !use.failed ? use.action.target : [])))
  const tasks = unique(
    turn.actions.flatMap((use) =>
      use.action.kind === 'delegate' && !use.interrupted ? shorten(use.action.task.split('\n', 1)[0] ?? '', 70) : [],
    ),
  )
  const parts = [
    filesRead.length > 0 ? `Read ${abbreviateList(filesRead, 6)}` : '',
    searchPatterns.length > 0
      ? `searched for ${abbreviateList(
          searchPatterns.map((pattern) => `\`${shorten(pattern, 50)}\``),
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

function learned({ answerItems, solved, changes, request, turn }: TurnFacts): string {
  const content = answerItems.filter((s) => s.kind !== 'row' && isContent(s) && !isStatus(s.text))
  const explained = explanationsIn(content, changes.length === 0)
  // If nothing was changed, the answer itself is what was learned.
  const answer = changes.length === 0 && explained.length === 0 && contentLength(answerItems) >= 120 ? content.flatMap(standaloneText) : []
  const cause = solved.length > 0 && explained.length === 0 ? sentencesOf(narrativeOf(answerItems, 300)).slice(0, 1) : []
  const reported = turn.actions.flatMap(({ action }) =>
    action.kind === 'delegate' && action.answer ? narrativeOf(readProse(action.answer), 200) : [],
  )
  const failures = solved.map(({ failure }) => `${describeFailure(failure)} until it was fixed.`)
  const sentences = unique([
    ...explained,
    ...answer.slice(0, request.isMeaningful ? 3 : 1),
    ...cause,
    ...(explained.length === 0 ? reported.slice(0, 2) : []),
    ...failures.slice(0, 2),
  ])
  return shorten(joinSentences(sentences), 600)
}

/** At most three explanations. If an answer explains in a list, its opening sentence and the neighbouring items are included. */
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

/** The text, unless it introduces a list and is incomplete without it. */
function standaloneText({ text }: ProseItem): string[] {
  const sentence = asStandaloneSentence(withoutOpener(text))
  return sentence === null ? [] : [capitalizeSentence(sentence)]
}

function completed(turnFacts: TurnFacts, titles: string[]): string {
  const tests = turnFacts.runs.findLast((run) => run.kind === 'test' && run.passed)
  const totals = tests ? describeTotals(tests.report) || `\`${describeRun(tests)}\` passes` : ''
  const pushed = turnFacts.git.pushed.length > 0 ? `pushed ${abbreviateList(turnFacts.git.pushed, 2)}` : ''
  const merged = turnFacts.git.merges.length > 0 ? `merged ${abbreviateList(turnFacts.git.merges, 2)}` : ''
  const effects = titles.length === 0 ? effectFacts(turnFacts) : []
  const parts = [...titles, ...effects, totals, pushed, merged].filter(Boolean)
  // Do not capitalize a title: `jobs` may be the name of a command.
  return titles.length > 0 ? shorten(parts.join('; '), 500) : joinAsSentence(parts, 500)
}

function nextSteps({ answerItems, open, turn }: TurnFacts): string {
  const steps = answerItems
    .filter((s) => s.kind !== 'heading' && isNextStep(s) && !isFiller(s.text) && !/[:：]$/.test(s.text))
    .map((s) => s.text)
  const question = answerItems.findLast(
    (s) =>
      isOpenQuestion(s.text) &&
      s.kind === 'sentence' &&
      !/^(?:what(?:'s| is) next|what would you like|anything else|how can i|what else)/i.test(s.text),
  )?.text
  const failing = open.filter((failure) => failure.promptNumber === turn.promptNumber).map((failure) => `${describeFailure(failure)}.`)
  return shorten(joinSentences(unique([...failing.slice(0, 3), ...steps.slice(0, 4), question ?? ''])), 500)
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

/** Joins parts into one line that starts with a capital. */
function joinAsSentence(parts: string[], max: number): string {
  const text = shorten(parts.join('; '), max)
  return capitalizeSentence(text)
}
