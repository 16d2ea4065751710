import type { ObservationDraft } from '../../core/memory.ts'
import { effectFacts } from './changes.ts'
import { pullRequestNumber } from './commits.ts'
import { headlineOf, narrativeOf, pointsOf } from './headline.ts'
import { asTitle } from './title.ts'
import type { TurnFacts } from './turn-facts.ts'

/** For a turn without edits that still changed the project: a pull request, a merge, a dependency, removed or renamed files. */
export function observeUpkeep(turnFacts: TurnFacts): ObservationDraft[] {
  const { git, effects, answerItems, turn } = turnFacts
  const facts = [
    ...git.pullRequests.map((pr) => `pull request ${pullRequestNumber(pr.url)} ${pr.title} ${pr.url}`),
    ...git.merges.map((branch) => `merged ${branch}`),
    ...effectFacts(turnFacts),
  ]
  const [first] = facts
  if (!first) return []
  const [pullRequest] = git.pullRequests
  const title = pullRequest
    ? `Opened pull request ${pullRequestNumber(pullRequest.url)}: ${pullRequest.title}`
    : (headlineOf(answerItems, [...effects.removed, ...effects.installed])?.text ?? first)
  return [
    {
      type: 'change',
      title: asTitle(title),
      subtitle: git.branch ? `Branch ${git.branch}` : '',
      narrative: narrativeOf(answerItems, 800),
      facts: [...facts, ...pointsOf(answerItems, [], 4)],
      concepts: ['what-changed'],
      filesRead: turnFacts.filesRead,
      filesModified: [...effects.removed, ...effects.moved.map(({ to }) => to)],
      tool: 'Bash',
      at: turn.actions.at(-1)?.at ?? turn.at,
    },
  ]
}
