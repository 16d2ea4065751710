import type { Database } from 'bun:sqlite'
import { deletionHidingStatements } from './deletion-hiding.ts'
import { deletionSelectionStatements } from './deletion-selection.ts'
import { deletionUndoStatements } from './deletion-undo.ts'
import type { Tombstones } from './tombstones.ts'

/** Every statement that selects memories for deletion, hides them, restores them, or erases them for good. */
export const deletionStatements = (db: Database, tombstones: Tombstones) => ({
  ...deletionSelectionStatements(db),
  ...deletionHidingStatements(db, tombstones),
  ...deletionUndoStatements(db, tombstones),
})
