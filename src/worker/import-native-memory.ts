import type { ProjectKey } from '../core/ids.ts'
import { asNoteId, type NoteId, type NoteType } from '../core/note.ts'
import { ulidOf } from '../core/ulid.ts'
import type { Agent, NativeFile, NativeMemory } from '../integrations/agent.ts'
import { forgetNote, restoreNote, saveNoteUnderId } from '../notes/notes.ts'
import { readUtf8IfThere } from '../platform/files.ts'
import type { Services } from './services.ts'

/** What came of looking at an agent's own memory. `left` are files that could not be used, and why. */
export type NativeImport = { added: number; updated: number; same: number; forgotten: number; left: { file: string; reason: string }[] }

/** What was seen of each file the last time; `gone` when we forgot its note because the file was no longer there. */
type SeenNativeFiles = Record<string, { bytes: number; changedAt: number; gone?: true }>
const seenMark = (agent: Agent) => `native memory seen, ${agent.name}`

/** Larger than this it is no memory. */
const MAX_NATIVE_FILE_BYTES = 100 * 1024

/**
 * Makes notes of the agent's own memory, and lets them follow it: what changed there changes here, what is gone there is forgotten
 * here and comes back with it. What a person did to such a note stays. The agent's folder is only read.
 */
export async function importNativeMemory(services: Services, agent: Agent, now: number): Promise<NativeImport> {
  const result: NativeImport = { added: 0, updated: 0, same: 0, forgotten: 0, left: [] }
  const files = agent.listNativeFiles(agent.configFolder(services.environment))
  // A folder that is away as a whole (another disk, another home) has not been emptied by anybody.
  if (files === null) return result
  const seen = JSON.parse((await services.store.audit.mark(seenMark(agent))) ?? '{}') as SeenNativeFiles
  const next: SeenNativeFiles = {}
  const projects = new Map<string, Promise<ProjectKey | null>>()
  for (const file of files) {
    const id = idOf(agent, file)
    const before = seen[id]
    const print = { bytes: file.bytes, changedAt: file.changedAt }
    if (before && !before.gone && before.bytes === print.bytes && before.changedAt === print.changedAt) {
      next[id] = print
      result.same++
      continue
    }
    const reason = await importNativeFile(services, agent, file, id, before?.gone === true, projects, result, now)
    if (reason === null) next[id] = print
    else {
      result.left.push({ file: file.path, reason })
      if (before) next[id] = before // it is still there, and is looked at again
    }
  }
  for (const [id, before] of Object.entries(seen)) {
    if (next[id]) continue
    next[id] = { ...before, gone: true }
    if (before.gone) continue
    const kept = await forgetNote(services.notebook, asNoteId(id), now)
    // One that a person forgot before is theirs: it does not come back with its file.
    if (kept?.receipt.kind !== 'updated') delete next[id]
    else result.forgotten++
    services.announce(kept?.changes ?? [])
  }
  const state = JSON.stringify(next)
  if (state !== JSON.stringify(seen)) await services.store.transaction(() => services.store.audit.setMark(seenMark(agent), state))
  if (result.added + result.updated + result.forgotten > 0) {
    const { left, ...counts } = result
    services.log.info('followed the agent’s own memory', { ...counts, left: left.length })
  }
  return result
}

/** The same file has the same id on every machine where the project's folder has the same name. */
const idOf = (agent: Agent, file: NativeFile): NoteId => asNoteId(ulidOf(`${agent.name} native\n${file.projectFolder}\n${file.name}`, 0))

/** Takes one file in; the reason when it cannot be. */
async function importNativeFile(
  services: Services,
  agent: Agent,
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
  const memory = text === null ? null : agent.parseNativeMemory(file.name, text)
  if (!memory) return null
  const project = projects.get(file.projectFolder) ?? projectOf(services, agent, file.projectFolder)
  projects.set(file.projectFolder, project)
  const key = await project
  if (key === null) return 'nothing says which project it belongs to, or the project is excluded'
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

/** The agent's kinds in our words. Feedback is how to work, the others are what is so. */
function noteFieldsFor({ kind }: NativeMemory): { type: NoteType; namespace: string; tags: string[] } {
  const tags = ['native', ...(kind === 'plain' ? [] : [kind])]
  return kind === 'feedback' ? { type: 'procedural', namespace: 'patterns', tags } : { type: 'semantic', namespace: 'context', tags }
}

async function projectOf(services: Services, agent: Agent, projectFolder: string): Promise<ProjectKey | null> {
  const rules = services.rules(agent)
  const folder = await agent.findNativeProjectFolder(agent.configFolder(services.environment), projectFolder)
  if (folder === null) return null
  const { project } = rules.projectOf(folder)
  return rules.isExcludedProject(project, folder) ? null : project
}
