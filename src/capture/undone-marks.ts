import type { ProjectKey } from '../core/ids.ts'
import type { Change, Prompt, Session } from '../core/memory.ts'
import type { Store, StoredWork } from '../store/store.ts'
import { areUndone, type UndoneTurn, undoneWork } from './undone-work.ts'

/** How many turns with changes are replayed on each side of a time. */
const MAX_TURNS_REPLAYED = 60

/** Where work was changed. */
export type WorkPlace = { project: ProjectKey; at: number }

/** Like `settleUndoneWork`, after turns were written. Most turns change no file. */
export async function settleUndoneTurns(store: Store, turns: { session: Session; prompt: Prompt }[]): Promise<Change[]> {
  const places: WorkPlace[] = []
  for (const { session, prompt } of turns)
    if ((await store.prompts.traces(prompt)).work) places.push({ project: session.project, at: prompt.at })
  return settleUndoneWork(store, places)
}

/**
 * Marks the work around these places that was undone, and takes the mark from work that was done again. Any turn may arrive late or be distilled
 * again, so it looks at both sides. Call it inside a transaction.
 */
export async function settleUndoneWork(store: Store, places: WorkPlace[]): Promise<Change[]> {
  const changes: Change[] = []
  for (const [project, inProject] of Map.groupBy(places, (place) => place.project))
    for (let left = inProject.map(({ at }) => at).sort((a, b) => a - b); left.length > 0; ) {
      const [first = 0] = left
      // Turns that follow each other are replayed together. Other turns may lie between them; those that are then too close to the end are left.
      const reach = { before: MAX_TURNS_REPLAYED, after: MAX_TURNS_REPLAYED + left.length }
      const turns = await (await store.turnWork()).around(project, first, reach)
      changes.push(...(await settleReplayed(store, project, turns)))
      const isEnd = turns.filter(({ at }) => at > first).length < reach.after
      const settledUpTo = isEnd ? Number.POSITIVE_INFINITY : (turns.at(-1 - MAX_TURNS_REPLAYED)?.at ?? first)
      left = left.filter((at) => at > settledUpTo)
    }
  return changes
}

async function settleReplayed(store: Store, project: ProjectKey, turns: StoredWork[]): Promise<Change[]> {
  const undone = undoneWork(turns, hasCommits(turns) ? await (await store.turnWork()).revertedCommits(project) : [])
  const replayed = new Set(turns.map(({ id }) => `P${id}`))
  const changes: Change[] = []
  for (const turn of turns) changes.push(...(await markTurn(store, turn, undone.get(turn.id) ?? null, replayed)))
  return changes
}

const hasCommits = (turns: StoredWork[]) => turns.some(({ steps }) => steps.some((step) => step.kind === 'commit'))

async function markTurn(store: Store, turn: StoredWork, undone: UndoneTurn | null, replayed: Set<string>): Promise<Change[]> {
  // The turn that undid it may be too far away to be replayed.
  const mayClear = (by: string | undefined) => by === undefined || by.startsWith('C') || replayed.has(by)
  const by = undone?.isWhole ? undone.by : null
  if ((turn.undoneBy ?? null) !== by && (by !== null || mayClear(turn.undoneBy))) await (await store.turnWork()).markTurn(turn.id, by)
  // Almost always: reading the observations of every replayed turn would cost more than all the rest.
  if (undone === null && !turn.hasMarkedObservation) return []
  const changes: Change[] = []
  for (const o of await store.observations.ofTurn(turn.sessionId, turn.number)) {
    const isChange = o.type !== 'discovery' && o.type !== 'decision'
    const isUndone = isChange && undone !== null && areUndone(undone.files, o.filesModified)
    const mark = isUndone ? (undone.files.get(o.filesModified.findLast((path) => undone.files.has(path)) ?? '') ?? null) : null
    if ((o.undoneBy ?? null) === mark || (mark === null && !mayClear(o.undoneBy))) continue
    await (await store.turnWork()).markObservation(o.id, mark)
    const { undoneBy: _, ...unmarked } = o
    changes.push({ kind: 'observation-added', observation: mark === null ? unmarked : { ...o, undoneBy: mark } })
  }
  if (changes.length > 0) await store.observations.reindex(turn.sessionId, turn.number)
  return changes
}
