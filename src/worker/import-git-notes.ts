import type { ProjectKey } from '../core/ids.ts'
import type { ImportCounts, ImportLine } from '../wire/contract/upkeep.ts'
import { countImportedNote } from './import-counts.ts'
import { projectToImport } from './import-git.ts'
import type { Services } from './services.ts'

/** Imports the notes that were mirrored into a project's repository, to rebuild a lost home. */
export async function* importGitNotes(
  services: Services,
  { folder, project: given }: { folder: string; project: ProjectKey | null },
  total: ImportCounts,
): AsyncGenerator<ImportLine> {
  const project = await projectToImport(services, folder, given, 'notes')
  const { importFromMirror } = await import('../sync/sync.ts')
  const { saved, copied, left, problem } = await importFromMirror(services.notebook, project, folder, Date.now())
  for (const result of saved) {
    const reason = countImportedNote(services, result, total)
    if (reason !== null) yield { kind: 'skipped', file: folder, reason }
  }
  services.announce(copied)
  total.notes.added += copied.filter(({ kind }) => kind === 'note-changed').length
  for (const { what, reason } of left) yield { kind: 'skipped', file: what, reason }
  if (problem !== null) yield { kind: 'skipped', file: folder, reason: `the notes of origin could not be fetched: ${problem}` }
}
