import { findClaudeMem } from '../platform/claude-mem.ts'
import { readEnvironment } from '../platform/environment.ts'
import { call } from './call.ts'

/** The database of claude-mem on this machine, unless it was imported; null if there is none. */
export async function unimportedClaudeMem(): Promise<string | null> {
  const database = findClaudeMem(readEnvironment().userHome)
  if (database === null) return null
  const entries = await call('GET /api/audit', { limit: 1000 })
  return entries.some(({ action, subject }) => action === 'import' && subject.startsWith('claude-mem ')) ? null : database
}
