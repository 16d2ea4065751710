import { extname } from 'node:path'
import { GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { MAX_NOTE_BYTES } from '../core/limits.ts'
import { projectName } from '../core/project.ts'
import type { AgentWithMemory } from '../integrations/agent.ts'
import { importNote, loadForeignNotes, type NoteSaveResult, noteLocation, parseNote, saveNoteUnderId } from '../notes/notes.ts'
import { isFolder, readUtf8IfThere } from '../platform/files.ts'
import { type FolderEntry, filesBelow } from '../platform/folder.ts'
import type { ImportCounts, ImportLine, ImportSource } from '../wire/contract/upkeep.ts'
import { importClaudeMem } from './import-claude-mem.ts'
import { countImportedNote, zeroImportCounts } from './import-counts.ts'
import { importGitHistory } from './import-git.ts'
import { importGitNotes } from './import-git-notes.ts'
import { importExportedLines } from './import-journal.ts'
import { importNativeMemory } from './import-native-memory.ts'
import { importSubcog } from './import-subcog.ts'
import { rememberImportedNames } from './project-joins.ts'
import type { Services } from './services.ts'

export type ImportMemoriesOptions = {
  from: Exclude<ImportSource, 'transcripts'>
  paths: string[]
  project: ProjectKey | null
  /** Only for commits. */
  since?: number | null
}

/**
 * Imports memories from a repository or other programs and reports its progress. Ids and keys are derived from the content, so a second import changes
 * nothing, and an interrupted one is finished by the next. Throws when the source cannot be imported; the error says what to do.
 */
export async function* importMemories(
  services: Services,
  agent: AgentWithMemory,
  options: ImportMemoriesOptions,
): AsyncGenerator<ImportLine> {
  const started = performance.now()
  const total = zeroImportCounts()
  const [path = ''] = options.paths
  if (options.from === 'native') yield* importFromNative(services, agent, total)
  else if (options.paths.length !== 1) throw new Error(`name exactly one ${FOLDER_SOURCES.has(options.from) ? 'folder' : 'file'} to import`)
  else if (options.from === 'git')
    yield* importGitHistory(services, { folder: path, since: options.since ?? null, project: options.project }, total)
  else if (options.from === 'git-notes') yield* importGitNotes(services, { folder: path, project: options.project }, total)
  else if (options.from === 'claude-mem') yield* importClaudeMem(services, agent, path, options.project, total)
  else if (options.from === 'subcog') yield* importSubcog(services, path, options.project, total)
  else if (options.from === 'jsonl') yield* importExportedLines(services, agent, path, total)
  else yield* importFolder(services, options.from, path, options.project, total)
  const ms = Math.round(performance.now() - started)
  await services.store.transaction(() =>
    services.store.audit.add({ at: Date.now(), action: 'import', subject: `${options.from} ${path}`.trim(), details: { ...total, ms } }),
  )
  const { notes, ...rows } = total
  services.log.info('imported memories', { from: options.from, ...notes, ...rows, ms })
  services.queue.kick()
  yield { kind: 'imported', ...total, ms }
}

const FOLDER_SOURCES = new Set<ImportSource>(['anamnesis', 'markdown', 'git', 'git-notes'])

async function* importFromNative(services: Services, agent: AgentWithMemory, total: ImportCounts): AsyncGenerator<ImportLine> {
  const { left, ...notes } = await importNativeMemory(services, agent, Date.now())
  for (const { file, reason } of left) yield { kind: 'skipped', file, reason }
  total.notes = notes
}

/** Imports notes from a folder of markdown files. Links are not followed, because they could lead out of the folder. */
async function* importFolder(
  services: Services,
  from: 'anamnesis' | 'markdown',
  folder: string,
  project: ProjectKey | null,
  total: ImportCounts,
): AsyncGenerator<ImportLine> {
  if (!isFolder(folder)) throw new Error(`${folder} is not a folder`)
  const files = filesBelow(folder, ['.md', '.markdown']).filter((file) => !/\/\.[^/]/.test(file.path.slice(folder.length)))
  const names = new Set<ProjectKey>()
  for (const [done, file] of files.entries()) {
    if (done % 50 === 0) yield { kind: 'importing', what: file.name, done, of: files.length }
    const saved = await importFile(services, from, folder, file, project)
    const reason = typeof saved === 'string' ? saved : countImportedNote(services, saved, total)
    if (reason !== null) yield { kind: 'skipped', file: file.path, reason }
    if (typeof saved !== 'string' && saved.receipt.kind !== 'refused') names.add(saved.receipt.note.project)
  }
  // Anamnesis names a project without a remote by its folder. Those of other sources are projects of ours.
  if (from === 'anamnesis' && project === null) await rememberImportedNames(services, [...names].filter(isBareName))
}

const isBareName = (key: ProjectKey) => key !== GLOBAL_PROJECT && projectName(key) === key

async function importFile(
  services: Services,
  from: 'anamnesis' | 'markdown',
  folder: string,
  file: FolderEntry,
  project: ProjectKey | null,
): Promise<NoteSaveResult | string> {
  if (file.bytes > MAX_NOTE_BYTES) return `it is larger than ${MAX_NOTE_BYTES / 1024} KB`
  let text: string | null
  try {
    text = readUtf8IfThere(file.path)
  } catch (cause) {
    return `it cannot be read (${((cause as Error).cause as Error | undefined)?.message ?? (cause as Error).message})`
  }
  if (text === null) return 'it no longer exists'
  if (text.includes('\0')) return 'it is not text'
  // Before it is parsed: a title may be taken from a heading inside a private part.
  text = services.notebook.clean(text)
  const path = file.path.slice(folder.length + 1)
  const { readAnamnesis, readMarkdown } = await loadForeignNotes()
  if (from === 'anamnesis') {
    const draft = readAnamnesis(text)
    if (typeof draft === 'string') return draft
    return saveNoteUnderId(services.notebook, project ? { ...draft, project, scope: scopeIn(project) } : draft, Date.now())
  }
  // A note that Recollect wrote keeps its id and its front matter. Its folder names the project, as in a home.
  const ours = extname(path) === '.md' ? parseNote(text) : null
  if (ours?.kind === 'note') {
    const here = project ?? GLOBAL_PROJECT
    return importNote(services.notebook, { ...ours.note, ...(noteLocation(path) ?? { scope: scopeIn(here), project: here }) })
  }
  const draft = readMarkdown(folder, path, text, project ?? GLOBAL_PROJECT, file.changedAt)
  return draft ? saveNoteUnderId(services.notebook, draft, Date.now()) : 'it is empty'
}

const scopeIn = (project: ProjectKey) => (project === GLOBAL_PROJECT ? 'global' : 'project')
