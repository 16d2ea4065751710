import type { ObservationDraft } from '../../core/memory.ts'
import { effectFacts } from './changes.ts'
import { pullRequestNumber } from './commits.ts'
import { headlineOf, narrativeOf, pointsOf } from './headline.ts'
import { asTitle } from './title.ts'
import type { TurnFacts } from './turn-facts.ts'

/** A turn that edited nothing and still moved the project: a pull request, a merge, a dependency, files removed or renamed. */
export function observeUpkeep(reading: TurnFacts): ObservationDraft[] {
  const { git, effects, answerItems: said, turn } = reading
  const facts = [
    ...git.pullRequests.map((pr) => `pull request ${pullRequestNumber(pr.url)} ${pr.title} ${pr.url}`),
    ...git.merges.map((what) => `merged ${what}`),
    ...effectFacts(reading),
  ]
  const [first] = facts
  if (!first) return []
  const [request] = git.pullRequests
  const done = request
    ? `Opened pull request ${pullRequestNumber(request.url)}: ${request.title}`
    : (headlineOf(said, [...effects.removed, ...effects.installed])?.text ?? first)
  return [
    {
      type: 'change',
      title: asTitle(done),
      subtitle: git.branch ? `Branch ${git.branch}` : '',
      narrative: narrativeOf(said, 800),
      facts: [...facts, ...pointsOf(said, [], 4)],
      concepts: ['what-changed'],
      filesRead: reading.filesRead,
      filesModified: [...effects.removed, ...effects.moved.map(({ to }) => to)],
      tool: 'Bash',
      at: turn.actions.at(-1)?.at ?? turn.at,
    },
  ]
}
