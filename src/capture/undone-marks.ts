import type { ProjectKey } from '../core/ids.ts'
import type { Change, Prompt, Session } from '../core/memory.ts'
import type { Store, StoredWork } from '../store/store.ts'
import { areUndone, type UndoneTurn, undoneWork } from './undone-work.ts'

/** How many turns with changes are replayed on each side of a time. */
const MAX_TURNS_REPLAYED = 60

/** Like `settleUndoneWork`, after a turn was written. Most turns change no file. */
export async function settleUndoneTurn(store: Store, session: Session, prompt: Prompt): Promise<Change[]> {
  const { work } = await store.prompts.traces(prompt)
  return work ? settleUndoneWork(store, session.project, prompt.at) : []
}

/**
 * Marks the work around a time that was undone, and takes the mark from work that was done again. Any turn may arrive late or be distilled
 * again, so it looks at both sides. Call it inside a transaction.
 */
export async function settleUndoneWork(store: Store, project: ProjectKey, at: number): Promise<Change[]> {
  const turns = await (await store.turnWork()).around(project, at, MAX_TURNS_REPLAYED)
  if (turns.length === 0) return []
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
