import type { NoteSaveResult } from '../notes/notes.ts'
import type { ImportCounts } from '../wire/contract/upkeep.ts'
import type { Services } from './services.ts'

export const zeroImportCounts = (): ImportCounts => ({
  notes: { added: 0, updated: 0, same: 0, forgotten: 0 },
  sessions: 0,
  prompts: 0,
  observations: 0,
  summaries: 0,
  commits: 0,
})

/** Counts an imported note and announces its changes. Returns the reason when the note was refused. */
export function countImportedNote(services: Services, { receipt, changes }: NoteSaveResult, total: ImportCounts): string | null {
  services.announce(changes)
  if (receipt.kind === 'refused') return receipt.reason
  if (receipt.kind === 'same') total.notes.same++
  else if (receipt.kind === 'updated') total.notes.updated++
  else total.notes.added++
  return null
}
