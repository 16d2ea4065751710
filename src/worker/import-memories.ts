import { extname } from 'node:path'
import { GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import type { Agent } from '../integrations/agent.ts'
import { importNote, type NoteSaveResult, noteLocation, parseNote, readAnamnesis, readMarkdown, saveNoteUnderId } from '../notes/notes.ts'
import { isFolder, readUtf8IfThere } from '../platform/files.ts'
import { type FolderEntry, filesBelow } from '../platform/folder.ts'
import type { ImportCounts, ImportLine, ImportSource } from '../wire/api.ts'
import { countImportedNote, zeroImportCounts } from './import-counts.ts'
import { importClaudeMem, importExportedLines } from './import-journal.ts'
import { importNativeMemory } from './import-native-memory.ts'
import type { Services } from './services.ts'

export type ImportMemoriesOptions = { from: Exclude<ImportSource, 'transcripts'>; paths: string[]; project: ProjectKey | null }

/**
 * Brings memories in from elsewhere, and says how far it is. Everything has an id or key that comes from what it is, so a second
 * time changes nothing and an import that was broken off is finished by the next. Throws with what to do when the source is none.
 */
export async function* importMemories(desk: Services, agent: Agent, wish: ImportMemoriesOptions): AsyncGenerator<ImportLine> {
  const started = performance.now()
  const total = zeroImportCounts()
  const [path = ''] = wish.paths
  if (wish.from === 'native') yield* importFromNative(desk, agent, total)
  else if (wish.paths.length !== 1)
    throw new Error(`say what to import: one ${wish.from === 'anamnesis' || wish.from === 'markdown' ? 'folder' : 'file'}`)
  else if (wish.from === 'claude-mem') yield* importClaudeMem(desk, agent, path, wish.project, total)
  else if (wish.from === 'jsonl') yield* importExportedLines(desk, agent, path, total)
  else yield* importFolder(desk, wish.from, path, wish.project, total)
  const ms = Math.round(performance.now() - started)
  await desk.store.transaction(() =>
    desk.store.audit.add({ at: Date.now(), action: 'import', subject: `${wish.from} ${path}`.trim(), details: { ...total, ms } }),
  )
  const { notes, ...rows } = total
  desk.log.info('brought in', { from: wish.from, ...notes, ...rows, ms })
  desk.queue.kick()
  yield { kind: 'imported', ...total, ms }
}

async function* importFromNative(desk: Services, agent: Agent, total: ImportCounts): AsyncGenerator<ImportLine> {
  const { left, ...notes } = await importNativeMemory(desk, agent, Date.now())
  for (const { file, reason } of left) yield { kind: 'skipped', file, reason }
  total.notes = notes
}

/** Longer than any note may be; what is larger is not read. */
const MAX_NOTE_FILE_BYTES = 256 * 1024

/** Notes from a folder of markdown files. Links are not followed: they could lead out of what the person named. */
async function* importFolder(
  desk: Services,
  from: 'anamnesis' | 'markdown',
  folder: string,
  project: ProjectKey | null,
  total: ImportCounts,
): AsyncGenerator<ImportLine> {
  if (!isFolder(folder)) throw new Error(`${folder} is not a folder`)
  const files = filesBelow(folder, ['.md', '.markdown']).filter((file) => !/\/\.[^/]/.test(file.path.slice(folder.length)))
  for (const [done, file] of files.entries()) {
    if (done % 50 === 0) yield { kind: 'importing', what: file.name, done, of: files.length }
    const kept = await importFile(desk, from, folder, file, project)
    const reason = typeof kept === 'string' ? kept : countImportedNote(desk, kept, total)
    if (reason !== null) yield { kind: 'skipped', file: file.path, reason }
  }
}

async function importFile(
  desk: Services,
  from: 'anamnesis' | 'markdown',
  folder: string,
  file: FolderEntry,
  project: ProjectKey | null,
): Promise<NoteSaveResult | string> {
  if (file.bytes > MAX_NOTE_FILE_BYTES) return `it is larger than ${MAX_NOTE_FILE_BYTES / 1024} KB`
  let text: string | null
  try {
    text = readUtf8IfThere(file.path)
  } catch (cause) {
    return `it cannot be read (${((cause as Error).cause as Error | undefined)?.message ?? (cause as Error).message})`
  }
  if (text === null) return 'it is gone'
  if (text.includes('\0')) return 'it is not text'
  const path = file.path.slice(folder.length + 1)
  if (from === 'anamnesis') {
    const draft = readAnamnesis(text)
    if (typeof draft === 'string') return draft
    return saveNoteUnderId(desk.notebook, project ? { ...draft, project, scope: scopeIn(project) } : draft, Date.now())
  }
  // A note of ours keeps its id and all it knows of itself; its folder says whose it is, as in a home.
  const ours = extname(path) === '.md' ? parseNote(text) : null
  if (ours?.kind === 'note') {
    const here = project ?? GLOBAL_PROJECT
    return importNote(desk.notebook, { ...ours.note, ...(noteLocation(path) ?? { scope: scopeIn(here), project: here }) })
  }
  const draft = readMarkdown(folder, path, text, project ?? GLOBAL_PROJECT, file.changedAt)
  return draft ? saveNoteUnderId(desk.notebook, draft, Date.now()) : 'nothing is in it'
}

const scopeIn = (project: ProjectKey) => (project === GLOBAL_PROJECT ? 'global' : 'project')
