import type { ObservationDraft } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import { describeRun, describeTotals } from './check-runs.ts'
import { type Commit, parseConventionalSubject, pullRequestNumber } from './commits.ts'
import { type EditGroup, groupEdits } from './edit-groups.ts'
import { changesByFile, describeFileChange, describeNameChanges, describeReplacedLines, type FileChange } from './edits.ts'
import { describeFailure } from './failures.ts'
import { headlineOf, narrativeOf, pointsOf, STRONG_HEADLINE_SCORE } from './headline.ts'
import { abbreviateList, countNoun, unique } from './lists.ts'
import { classifyChange, conceptsOf } from './observation-types.ts'
import { baseName } from './paths.ts'
import { asTitle, requestTitle } from './title.ts'
import type { TurnFacts } from './turn-facts.ts'

/** One observation for each group of edits. */
export function observeChanges(turnFacts: TurnFacts): ObservationDraft[] {
  return groupEdits(turnFacts).flatMap((group) => observeChange(group, turnFacts))
}

function observeChange(group: EditGroup, turnFacts: TurnFacts): ObservationDraft[] {
  const { commit } = group
  const changes = changesByFile(group.edits)
  if (changes.length === 0 && commit === null) return []
  const mentions = mentionsOf(changes)
  const answerItems = group.isWholeTurn ? turnFacts.answerItems : []
  const title = titleOf(group, changes, turnFacts)
  const type = classifyChange({
    isRepair: group.isRepair,
    subject: commit?.subject ?? (group.isWholeTurn ? turnFacts.request.planTitle : null),
    request: group.isWholeTurn ? turnFacts.request.text : '',
    answer: group.isWholeTurn ? (turnFacts.turn.answer ?? '') : '',
    title,
    changes,
  })
  const answerText = narrativeOf(answerItems, 800)
  const message = firstParagraph(commit?.body ?? '')
  // If the person only asked for a commit, the answer is about committing; the commit message describes the work.
  const narrative = (changes.length === 0 ? message || answerText : answerText || message) || describeRequest(turnFacts)
  const outcome = [...(group.isWholeTurn ? outcomeFacts(turnFacts) : []), ...commitFact(commit)]
  const facts = unique([
    ...group.solved.slice(0, 2).map((solved) => `${describeFailure(solved.failure)}; passes now`),
    ...describeReplacedLines(changes, 2),
    ...pointsOf(answerItems, mentions, 4),
    ...bodyPoints(commit),
    ...changes.map(describeFileChange).filter((fact) => fact.includes(': ') && !fact.endsWith(': new')),
    ...(group.isWholeTurn ? effectFacts(turnFacts) : []),
  ])
  const last = group.edits.at(-1)
  return [
    {
      type,
      title,
      subtitle: subtitleOf(group, changes, title, turnFacts),
      narrative,
      facts: [...facts.slice(0, 8 - outcome.length), ...outcome],
      concepts: conceptsOf(type, `${title} ${narrative}`),
      filesRead: group.isWholeTurn ? turnFacts.filesRead.filter((path) => !changes.some((change) => change.path === path)) : [],
      filesModified: changes.map((change) => change.path),
      tool: last?.tool ?? 'Bash',
      at: last?.at ?? commit?.at ?? turnFacts.turn.at,
    },
  ]
}

/** Files and dependencies that commands changed. */
export function effectFacts({ effects }: TurnFacts): string[] {
  return [
    effects.removed.length > 0 ? `removed ${abbreviateList(effects.removed, 5)}` : '',
    ...effects.moved.slice(0, 3).map(({ from, to }) => `moved ${from} → ${to}`),
    effects.installed.length > 0 ? `installed ${abbreviateList(effects.installed, 6)}` : '',
  ].filter(Boolean)
}

/** Changed files and symbols, to recognize sentences about them. */
function mentionsOf(changes: FileChange[]): string[] {
  const names = changes.flatMap((change) => [baseName(change.path), ...change.added, ...change.removed, ...change.changed])
  return unique(names).filter((name) => name.length > 3)
}

/** Taken from the first of these that exists: commit, plan, strong headline of the answer, request, headline, shape of the edit. */
function titleOf(group: EditGroup, changes: FileChange[], turnFacts: TurnFacts): string {
  const { request, git } = turnFacts
  const [pullRequest] = git.pullRequests
  if (group.commit && changes.length === 0 && pullRequest)
    return asTitle(`Opened pull request ${pullRequestNumber(pullRequest.url)}: ${pullRequest.title || group.commit.subject}`)
  if (group.commit) return commitTitle(group.commit)
  if (!group.isWholeTurn) return group.isRepair ? repairTitle(group, changes) : shapeTitle(changes)
  if (request.planTitle && !/^(?:assessment|analysis|review|investigation|audit)\b/i.test(request.planTitle))
    return asTitle(request.planTitle)
  const headline = headlineOf(turnFacts.answerItems, mentionsOf(changes))
  if (headline && headline.score >= STRONG_HEADLINE_SCORE) return asTitle(headline.text)
  return (
    requestTitle(request, 100) ?? (headline ? asTitle(headline.text) : group.isRepair ? repairTitle(group, changes) : shapeTitle(changes))
  )
}

/** `fix(api): stop leaking` becomes `Stop leaking (api)`: the type is stored separately. */
function commitTitle(commit: Commit): string {
  const { scope, text } = parseConventionalSubject(commit.subject)
  return asTitle(scope ? `${text.replace(/\.$/, '')} (${scope})` : text)
}

function repairTitle({ solved }: EditGroup, changes: FileChange[]): string {
  const [first] = solved
  const failed = first?.failure.names[0] ?? (first?.failure.error || first?.failure.command) ?? 'a failing check'
  const more = (first?.failure.names.length ?? 0) > 1 ? ` and ${(first?.failure.names.length ?? 1) - 1} more` : ''
  return asTitle(`Fixed ${shorten(failed.slice(failed.lastIndexOf(' › ') + 1), 60)}${more}: ${shapeTitle(changes)}`)
}

/** A title from the edit itself, if there are no better words. */
function shapeTitle(changes: FileChange[]): string {
  const [first, ...others] = changes
  if (!first) return ''
  const more = others.length > 0 ? ` and ${countNoun(others.length, 'more file')}` : ''
  const file = baseName(first.path)
  if (first.created) {
    const content = first.introduction ? `: ${first.introduction}` : first.added.length > 0 ? ` with ${abbreviateList(first.added, 3)}` : ''
    return asTitle(`New ${file}${more}${content}`)
  }
  const names = describeNameChanges(first, 3)
  const line = first.replacedLines[0]
  if (names && (first.kind === 'code' || first.kind === 'test' || !line)) return asTitle(`${file}${more}: ${names}`)
  const shown = line ? line.after.replace(/^[-*#>\s]+/, '') : (first.sample ?? 'edited')
  return asTitle(`${file}${more}: ${shorten(shown, 80)}`)
}

function subtitleOf(group: EditGroup, changes: FileChange[], title: string, turnFacts: TurnFacts): string {
  const [first, ...others] = changes
  if (!first) return commitFact(group.commit).join('')
  if (group.isWholeTurn && title === shapeTitle(changes)) return describeRequest(turnFacts)
  const names = describeNameChanges(first, 3)
  return [
    names ? `${first.path}: ${names}` : first.path,
    others.length > 0
      ? `also ${abbreviateList(
          others.map((change) => baseName(change.path)),
          3,
        )}`
      : '',
  ]
    .filter(Boolean)
    .join('; ')
}

function describeRequest({ request }: TurnFacts): string {
  return request.isMeaningful ? `Asked: ${shorten(request.text, 150)}` : ''
}

/** The last test run, and the pull requests. */
function outcomeFacts({ runs, git }: TurnFacts): string[] {
  const tests = runs.findLast((run) => run.kind === 'test')
  const testFact = tests ? `\`${describeRun(tests)}\`: ${describeTotals(tests.report) || (tests.passed ? 'passes' : 'fails')}` : ''
  return unique([testFact, ...git.pullRequests.slice(0, 2).map((pr) => `pull request ${pullRequestNumber(pr.url)} ${pr.url}`)])
}

function commitFact(commit: Commit | null): string[] {
  return commit?.hash ? [`commit ${commit.hash}${commit.branch ? ` on ${commit.branch}` : ''}`] : []
}

function bodyPoints(commit: Commit | null): string[] {
  const items = (commit?.body ?? '').split(/\n(?=\s*[-*] )/).filter((item) => /^\s*[-*] /.test(item))
  return items.slice(0, 5).map((item) => shorten(item.replace(/^\s*[-*] /, ''), 240))
}

/** The first paragraph of a commit body that is not a list. */
function firstParagraph(body: string): string {
  return shorten(body.split(/\n\s*\n/).find((part) => part.trim() !== '' && !/^\s*[-*] /.test(part)) ?? '', 800)
}
