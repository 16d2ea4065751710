import type { ObservationDraft } from '../../core/memory.ts'
import { effectFacts } from './changes.ts'
import { pullNumber } from './commits.ts'
import { headlineOf, narrativeOf, pointsOf } from './headline.ts'
import type { Reading } from './reading.ts'
import { asTitle } from './title.ts'

/** A turn that edited nothing and still moved the project: a pull request, a merge, a dependency, files removed or renamed. */
export function upkeepRow(reading: Reading): ObservationDraft[] {
  const { git, effects, said, turn } = reading
  const facts = [
    ...git.pullRequests.map((pr) => `pull request ${pullNumber(pr.url)} ${pr.title} ${pr.url}`),
    ...git.merges.map((what) => `merged ${what}`),
    ...effectFacts(reading),
  ]
  const [first] = facts
  if (!first) return []
  const [request] = git.pullRequests
  const done = request
    ? `Opened pull request ${pullNumber(request.url)}: ${request.title}`
    : (headlineOf(said, [...effects.gone, ...effects.installed])?.text ?? first)
  return [
    {
      type: 'change',
      title: asTitle(done),
      subtitle: git.branch ? `Branch ${git.branch}` : '',
      narrative: narrativeOf(said, 800),
      facts: [...facts, ...pointsOf(said, [], 4)],
      concepts: ['what-changed'],
      filesRead: reading.filesRead,
      filesModified: [...effects.gone, ...effects.moved.map(({ to }) => to)],
      tool: 'Bash',
      at: turn.acts.at(-1)?.at ?? turn.at,
    },
  ]
}
