import type { Kept } from '../notes/notes.ts'
import type { Brought } from '../wire/api.ts'
import type { Desk } from './desk.ts'

export const nothingBrought = (): Brought => ({
  notes: { added: 0, updated: 0, same: 0, forgotten: 0 },
  sessions: 0,
  prompts: 0,
  observations: 0,
  summaries: 0,
})

/** Counts what became of a note and tells whoever listens; the reason when it was refused. */
export function count(desk: Desk, { receipt, changes }: Kept, total: Brought): string | null {
  desk.announce(changes)
  if (receipt.kind === 'refused') return receipt.reason
  if (receipt.kind === 'same') total.notes.same++
  else if (receipt.kind === 'updated') total.notes.updated++
  else total.notes.added++
  return null
}
