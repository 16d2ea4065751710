import type { ProjectKey } from '../core/ids.ts'
import { countTokens } from '../core/tokens.ts'
import { BRIEF_BUDGET, briefFor } from '../inject/brief.ts'
import type { Store } from '../store/store.ts'

/** A session at its start, and the files that it touched later, as paths within its project. */
export type Begun = { project: ProjectKey; at: number; branch: string | null; touched: Set<string> }

export type BriefScore = ReturnType<ReturnType<typeof newBriefScore>['result']>

/**
 * How much of what sessions touched the brief named at their start, and for how many tokens. Beside it the newest 50 observations in full,
 * which is what others inject.
 */
export function newBriefScore() {
  const sums = { sessions: 0, ours: 0, oursTokens: 0, baseline: 0, baselineTokens: 0 }
  return {
    /** The store must know nothing that came after the session began. One without a past, or that touched nothing, does not count. */
    async add(store: Store, { project, at, branch, touched }: Begun): Promise<void> {
      const newest = (await store.observations.recent(project, 50))
        .map((o) => [`#${o.id} ${o.type} ${o.title}`, o.subtitle, o.narrative, ...o.facts, ...o.filesModified, ...o.filesRead].join('\n'))
        .join('\n')
      if (touched.size === 0 || !newest) return
      const brief = await briefFor(store, project, at, BRIEF_BUDGET, undefined, { branch })
      sums.sessions++
      sums.ours += named(touched, brief.text)
      sums.oursTokens += brief.tokens
      sums.baseline += named(touched, newest)
      sums.baselineTokens += countTokens(newest)
    },
    result() {
      const n = Math.max(1, sums.sessions)
      return {
        sessions: sums.sessions,
        ours: sums.ours / n,
        oursTokens: sums.oursTokens / n,
        baseline: sums.baseline / n,
        baselineTokens: sums.baselineTokens / n,
      }
    },
  }
}

/** The share of the touched files that a text names, by path or by file name. */
function named(touched: Set<string>, text: string): number {
  const found = [...touched].filter((path) => text.includes(path) || text.includes(path.split('/').at(-1) ?? path))
  return found.length / touched.size
}
