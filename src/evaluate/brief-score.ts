import type { ProjectKey } from '../core/ids.ts'
import { countTokens } from '../core/tokens.ts'
import { briefFor } from '../inject/brief.ts'
import type { Store } from '../store/store.ts'
import type { SessionFootprint } from './session-footprint.ts'

/** A session at its start, and its later footprint. */
export type EvaluatedSession = { project: ProjectKey; at: number; branch: string | null; footprint: SessionFootprint }

export const FOOTPRINT_KINDS = ['files', 'names', 'errors'] as const
type FootprintKind = (typeof FOOTPRINT_KINDS)[number]

/** For each kind, the share of the touched things that a text named, averaged over sessions that touched any. */
type FootprintShares = Record<FootprintKind, number>

export type BriefScore = {
  /** Sessions with earlier memories that touched something. */
  sessions: number
  ours: FootprintShares & { tokens: number }
  /** The newest 50 observations in full, as other tools inject them. */
  baseline: FootprintShares & { tokens: number }
}

/** Measures how much of what sessions touched was named in the brief at their start, and for how many tokens. */
export function newBriefScore() {
  const texts = { ours: newFootprintShares(), baseline: newFootprintShares() }
  let sessions = 0
  return {
    /** The store must contain nothing from after the start of the session. Skips sessions without earlier memories or without a footprint. */
    async add(store: Store, { project, at, branch, footprint: touched }: EvaluatedSession): Promise<void> {
      const newest = (await store.observations.recent(project, 50))
        .map((o) => [`#${o.id} ${o.type} ${o.title}`, o.subtitle, o.narrative, ...o.facts, ...o.filesModified, ...o.filesRead].join('\n'))
        .join('\n')
      if (!newest || FOOTPRINT_KINDS.every((kind) => touched[kind].size === 0)) return
      sessions++
      texts.ours.add(touched, (await briefFor(store, { project, now: at, branch })).text)
      texts.baseline.add(touched, newest)
    },
    result: (): BriefScore => ({ sessions, ours: texts.ours.result(), baseline: texts.baseline.result() }),
  }
}

function newFootprintShares() {
  const found: Record<FootprintKind, number[]> = { files: [], names: [], errors: [] }
  const tokens: number[] = []
  return {
    add(touched: SessionFootprint, text: string): void {
      tokens.push(countTokens(text))
      for (const kind of FOOTPRINT_KINDS) if (touched[kind].size > 0) found[kind].push(namedShare(text, touched[kind]))
    },
    result: () => ({ tokens: mean(tokens), files: mean(found.files), names: mean(found.names), errors: mean(found.errors) }),
  }
}

/** The share of things that a text names. A file may be named without its folder. */
function namedShare(text: string, things: Set<string>): number {
  const found = [...things].filter(
    (thing) => text.includes(thing) || (thing.includes('/') && text.includes(thing.split('/').at(-1) ?? thing)),
  )
  return found.length / things.size
}

const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length)
