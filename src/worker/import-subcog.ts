import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { asNoteId, isNamespace, type NoteId } from '../core/note.ts'
import { projectName } from '../core/project.ts'
import { ulidOf } from '../core/ulid.ts'
import { type NoteDraft, saveNoteUnderId } from '../notes/notes.ts'
import { openSubcog, type SubcogMemory } from '../store/store.ts'
import type { ImportCounts, ImportLine } from '../wire/contract/upkeep.ts'
import { countImportedNote } from './import-counts.ts'
import { rememberImportedNames } from './project-joins.ts'
import type { Services } from './services.ts'

/** Imports the memories in the database of Subcog as notes of their projects. Every memory that is not imported is reported. */
export async function* importSubcog(
  services: Services,
  path: string,
  project: ProjectKey | null,
  total: ImportCounts,
): AsyncGenerator<ImportLine> {
  const source = await openSubcog(path)
  if (typeof source === 'string') throw new Error(source)
  const now = Date.now()
  const names = new Set<ProjectKey>()
  const left = new Map<string, number>()
  let done = 0
  try {
    for (const memory of source.memories()) {
      if (done++ % 50 === 0) yield { kind: 'importing', what: memory.namespace, done, of: source.count }
      const draft = draftOf(services, memory, project)
      const reason = whyLeftOut(memory, now) ?? countImportedNote(services, await saveNoteUnderId(services.notebook, draft, now), total)
      if (reason === null) names.add(draft.project)
      else left.set(reason, (left.get(reason) ?? 0) + 1)
    }
    for (const [reason, n] of left) yield { kind: 'skipped', file: path, reason: `${n} ${n === 1 ? 'memory' : 'memories'} (${reason})` }
  } finally {
    source.close()
  }
  // Subcog names a project without a remote by its folder.
  if (project === null)
    await rememberImportedNames(
      services,
      [...names].filter((key) => key !== GLOBAL_PROJECT && projectName(key) === key),
    )
}

const HIDDEN = new Set(['deleted', 'tombstoned', 'superseded'])

function whyLeftOut({ status, body, expiresAt }: SubcogMemory, now: number): string | null {
  if (HIDDEN.has(status)) return `${status} in Subcog`
  if (expiresAt !== null && expiresAt <= now) return 'expired'
  return body.trim() === '' ? 'without text' : null
}

function draftOf({ notebook }: Services, memory: SubcogMemory, given: ProjectKey | null): NoteDraft & { id: NoteId } {
  const own = memory.domain === 'user' ? '' : notebook.clean(memory.project ?? '').trim()
  const project = given ?? (own === '' ? GLOBAL_PROJECT : asProjectKey(own.toLowerCase()))
  const namespace = isNamespace(memory.namespace) ? memory.namespace : 'context'
  return {
    id: asNoteId(ulidOf(`subcog\n${memory.id}`, memory.at)),
    body: memory.body,
    project,
    scope: project === GLOBAL_PROJECT ? 'global' : 'project',
    namespace,
    // Cleaned as one text: a comma may stand between a secret and the word that gives it away.
    tags: notebook.clean(memory.tags).split(','),
    source: 'import',
    // A rule holds when the person has said or accepted it.
    state: namespace === 'rules' ? 'proposed' : 'accepted',
    createdAt: memory.at,
    updatedAt: memory.at,
    expiresAt: memory.expiresAt,
  }
}
