import { z } from 'zod'
import { CONFLICT_CHOICES, type NoteCommit, type SyncReport, type SyncState } from '../../core/sync.ts'
import { route } from './route.ts'

export type SyncHistoryResponse =
  | { id: string; path: string; versions: NoteCommit[] }
  /** `text` is null when the note did not exist in that commit. */
  | { id: string; path: string; commit: string; text: string | null }

/** @internal */
export const sync = {
  /** Get the state of sync, without using the network. */
  'GET /api/sync': route({ readOnly: true, unlimited: true }).returns<SyncState>(),
  /** Sync the notes with the remote. With `sync.git_notes` also with the repositories of projects, and with that of `folder`. */
  'POST /api/sync': route({
    request: () => z.object({ dryRun: z.boolean().default(false), folder: z.string().max(4096).optional() }),
    unlimited: true,
  }).returns<SyncReport>(),
  /** Set the remote in the settings file, then sync. */
  'POST /api/sync/remote': route({ request: () => z.object({ remote: z.string().max(2000) }), unlimited: true }).returns<
    SyncReport,
    { 400: 'the remote cannot be used, or an environment variable overrides it' }
  >(),
  /** Resolve a conflict between two versions of a note. */
  'POST /api/sync/resolve': route({
    request: () => z.object({ id: z.string().max(80), choice: z.enum(CONFLICT_CHOICES) }),
    unlimited: true,
  }).returns<{ kind: string; id: string }, { 400: 'the note has no conflict' }>(),
  /** List the commits of a note, or with `commit` get its text in that commit. */
  'GET /api/sync/history': route({
    request: () => z.object({ id: z.string().max(80), commit: z.string().max(40).optional() }),
    readOnly: true,
    unlimited: true,
  }).returns<SyncHistoryResponse, { 400: 'no note has this id' }>(),
}
