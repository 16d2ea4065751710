import { projectOfFolder } from '../capture/capture.ts'
import type { ProjectKey } from '../core/ids.ts'
import { asNoteId, type NoteId, type NoteType } from '../core/note.ts'
import { ulidOf } from '../core/ulid.ts'
import type { AgentWithMemory, NativeFile, NativeMemory } from '../integrations/agent.ts'
import { forgetNote, restoreNote, saveNoteUnderId } from '../notes/notes.ts'
import { readUtf8IfThere } from '../platform/files.ts'
import type { Services } from './services.ts'

/** The result of importing an agent's own memory. `left` lists files that could not be used, and why. */
export type NativeImport = { added: number; updated: number; same: number; forgotten: number; left: { file: string; reason: string }[] }

/** Size and time of each file at the last import. `gone` means that the file is missing and its note was forgotten. */
type SeenNativeFiles = Record<string, { bytes: number; changedAt: number; gone?: true }>
const seenMark = (agent: AgentWithMemory) => `native memory seen, ${agent.name}`

/** Larger files are not memories. */
const MAX_NATIVE_FILE_BYTES = 100 * 1024

/**
 * Makes notes from the agent's own memory and keeps them up to date: a changed file updates its note, a missing file makes its note
 * forgotten, and a file that returns restores it. Changes that a person made to a note stay. Never writes to the agent's folder.
 */
export async function importNativeMemory(services: Services, agent: AgentWithMemory, now: number): Promise<NativeImport> {
  const result: NativeImport = { added: 0, updated: 0, same: 0, forgotten: 0, left: [] }
  const files = agent.listNativeFiles(agent.configFolder(services.environment))
  // A missing folder (another disk, another home) does not mean that the memories were deleted.
  if (files === null) return result
  const seen = (await services.store.audit.jsonMark<SeenNativeFiles>(seenMark(agent))) ?? {}
  const next: SeenNativeFiles = {}
  const projects = new Map<string, Promise<ProjectKey | null>>()
  for (const file of files) {
    const id = idOf(agent, file)
    const before = seen[id]
    const version = { bytes: file.bytes, changedAt: file.changedAt }
    if (before && !before.gone && before.bytes === version.bytes && before.changedAt === version.changedAt) {
      next[id] = version
      result.same++
      continue
    }
    const reason = await importNativeFile(services, agent, file, id, before?.gone === true, projects, result, now)
    if (reason === null) next[id] = version
    else {
      result.left.push({ file: file.path, reason })
      if (before) next[id] = before // try again next time
    }
  }
  for (const [id, before] of Object.entries(seen)) {
    if (next[id]) continue
    next[id] = { ...before, gone: true }
    if (before.gone) continue
    const forgotten = await forgetNote(services.notebook, asNoteId(id), now)
    // A note that a person had already forgotten is not restored when its file returns.
    if (forgotten?.receipt.kind !== 'updated') delete next[id]
    else result.forgotten++
    services.announce(forgotten?.changes ?? [])
  }
  const state = JSON.stringify(next)
  if (state !== JSON.stringify(seen)) await services.store.transaction(() => services.store.audit.setMark(seenMark(agent), state))
  if (result.added + result.updated + result.forgotten > 0) {
    const { left, ...counts } = result
    services.log.info('imported the agent’s own memory', { ...counts, left: left.length })
  }
  return result
}

/** The same on every machine where the project's folder has the same path. */
const idOf = (agent: AgentWithMemory, file: NativeFile): NoteId =>
  asNoteId(ulidOf(`${agent.name} native\n${file.projectFolder}\n${file.name}`, 0))

/** Imports one file. Returns the reason when it cannot be used. */
async function importNativeFile(
  services: Services,
  agent: AgentWithMemory,
  file: NativeFile,
  id: NoteId,
  cameBack: boolean,
  projects: Map<string, Promise<ProjectKey | null>>,
  result: NativeImport,
  now: number,
): Promise<string | null> {
  if (file.bytes > MAX_NATIVE_FILE_BYTES) return `it is larger than ${MAX_NATIVE_FILE_BYTES / 1024} KB`
  let text: string | null
  try {
    text = readUtf8IfThere(file.path)
  } catch (cause) {
    return `it cannot be read (${((cause as Error).cause as Error | undefined)?.message ?? (cause as Error).message})`
  }
  // Cleaned before it is parsed: a title may be taken from a heading inside a private part.
  const memory = text === null ? null : agent.parseNativeMemory(file.name, services.notebook.clean(text))
  if (!memory) return null
  const project = projects.get(file.projectFolder) ?? projectOf(services, agent, file.projectFolder)
  projects.set(file.projectFolder, project)
  const key = await project
  if (key === null) return 'its project is unknown or excluded'
  if (cameBack) await restoreNote(services.notebook, id, now)
  const { receipt, changes } = await saveNoteUnderId(
    services.notebook,
    {
      id,
      ...noteFieldsFor(memory),
      title: memory.title,
      body: memory.body,
      project: key,
      source: 'import',
      createdAt: Math.floor(file.changedAt),
      updatedAt: Math.floor(file.changedAt),
    },
    now,
  )
  services.announce(changes)
  if (receipt.kind === 'refused') return receipt.reason
  if (receipt.kind === 'added') result.added++
  else if (receipt.kind === 'updated') result.updated++
  else result.same++
  return null
}

/** Feedback is about how to work, so it is procedural; other kinds are facts. */
function noteFieldsFor({ kind }: NativeMemory): { type: NoteType; namespace: string; tags: string[] } {
  const tags = ['native', ...(kind === 'plain' ? [] : [kind])]
  return kind === 'feedback' ? { type: 'procedural', namespace: 'patterns', tags } : { type: 'semantic', namespace: 'context', tags }
}

async function projectOf(services: Services, agent: AgentWithMemory, projectFolder: string): Promise<ProjectKey | null> {
  const rules = services.rules(agent)
  const folder = await agent.findNativeProjectFolder(agent.configFolder(services.environment), projectFolder)
  if (folder === null) return null
  return services.store.transaction(async () => (await projectOfFolder(services.store, folder, rules))?.project ?? null)
}
