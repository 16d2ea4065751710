import { dirname } from 'node:path'
import { projectOfFolder } from '../capture/capture.ts'
import { cleanJson } from '../core/clean-text.ts'
import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { CONCEPTS, OBSERVATION_TYPES, type Session } from '../core/memory.ts'
import { asNoteId } from '../core/note.ts'
import { projectName } from '../core/project.ts'
import { agentOfHost } from '../core/session-host.ts'
import { ulidOf } from '../core/ulid.ts'
import type { Agent } from '../integrations/agent.ts'
import { type NoteDraft, saveNoteUnderId } from '../notes/notes.ts'
import { isFolder } from '../platform/files.ts'
import { filesBelow } from '../platform/folder.ts'
import { type ClaudeMem, type ForeignSession, openClaudeMem } from '../store/store.ts'
import type { ImportCounts, ImportLine } from '../wire/contract/upkeep.ts'
import { countImportedNote } from './import-counts.ts'
import { addObservations, addPrompt, addSummary, openImportedSession } from './import-journal.ts'
import { rememberImportedNames } from './project-joins.ts'
import type { Services } from './services.ts'

/**
 * Imports the database of claude-mem: its sessions under the agent's own ids, with their prompts, observations and summaries; memories that a
 * person saved by hand, and standing rules, as notes. If the transcript of a session exists, its prompts come from there instead. Every row that is
 * not imported is reported.
 */
export async function* importClaudeMem(
  services: Services,
  agent: Agent,
  path: string,
  project: ProjectKey | null,
  total: ImportCounts,
): AsyncGenerator<ImportLine> {
  const source = await openClaudeMem(path)
  if (typeof source === 'string') throw new Error(source)
  const skipped = (reason: string): ImportLine => ({ kind: 'skipped', file: path, reason })
  try {
    const transcripts = new Set(
      agent
        .transcriptRoots(agent.configFolder(services.environment))
        .flatMap((root) => filesBelow(root.folder, ['.jsonl']).map((file) => file.name.replace(/\.jsonl$/, ''))),
    )
    const places = await openPlaces(services, agent, source.folders(), project)
    const left = { sessions: 0, empty: 0 }
    let done = 0
    for (const raw of source.sessions()) {
      const session = cleanJson(raw, services.rules(agent))
      if (done++ % 20 === 0) {
        const what = `${session.project}, ${new Date(session.startedAt).toISOString().slice(0, 10)}`
        yield { kind: 'importing', what, done, of: source.sessionCount }
      }
      const place = await places.of(session)
      if (isManual(session)) {
        for (const draft of manualNotes(session, place.project)) {
          const reason = await saveImportedNote(services, draft, total)
          if (reason !== null) yield skipped(reason)
        }
        continue
      }
      const hasTranscript = transcripts.has(session.contentSessionId)
      const isStored = await services.store.transaction(() => importSession(services, session, { ...place, hasTranscript }, total))
      if (!isStored) left.sessions++
      left.empty += session.observations.filter(isEmpty).length
      await Bun.sleep(0) // let hooks that arrived meanwhile go first
    }
    for (const rule of source.rules()) {
      const ruleProject = rule.project === null ? GLOBAL_PROJECT : places.named(rule.project)
      const id = asNoteId(ulidOf(`claude-mem rule\n${rule.content}`, rule.at))
      const draft = { id, body: rule.content, project: ruleProject, source: 'import', type: 'procedural', namespace: 'patterns' } as const
      const reason = await saveImportedNote(services, { ...draft, createdAt: rule.at, tags: ['claude-mem'] }, total)
      if (reason !== null) yield skipped(reason)
    }
    await rememberImportedNames(services, places.bareNames)
    for (const reason of leftOut({ ...source.leftOver(), ...left })) yield skipped(reason)
  } finally {
    source.close()
  }
}

type LeftOut = ReturnType<ClaudeMem['leftOver']> & { sessions: number; empty: number }

/** A sentence for each kind of row that was not imported. */
function leftOut(n: LeftOut): string[] {
  const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`
  return [
    n.sessions > 0 ? `${count(n.sessions, 'session')} of projects that are excluded, or that you deleted here` : '',
    n.nameless > 0 ? `${count(n.nameless, 'session')} without an id` : '',
    n.empty > 0 ? `${count(n.empty, 'observation')} without any text` : '',
    n.orphans > 0 ? `${count(n.orphans, 'memory', 'memories')} whose session is not in the database` : '',
    n.waiting > 0 ? `${count(n.waiting, 'message')} that claude-mem has not processed yet` : '',
    n.inactiveRules > 0 ? count(n.inactiveRules, 'inactive rule') : '',
    n.toolUses > 0 ? `${count(n.toolUses, 'tool use')}; the memories made from them are imported` : '',
  ].filter(Boolean)
}

type Place = { project: ProjectKey; folder: string }

/**
 * The project of each session. claude-mem knows a project by the name of its folder. Newer versions also record the folder of each tool use, which says
 * exactly which project it is; otherwise it is the only project of ours with that name, or a new one with only a name.
 */
async function openPlaces(services: Services, agent: Agent, folders: { project: string; folder: string }[], given: ProjectKey | null) {
  const { store } = services
  const rules = services.rules(agent)
  const bareNames = new Set<ProjectKey>()
  const keyOfFolder = async (folder: string): Promise<Place | null> => {
    if (!isUsableFolder(folder)) return null
    const found = await store.transaction(() => projectOfFolder(store, folder, rules))
    // An excluded folder: opening its session then fails for the same reason.
    return { project: await store.projects.currentKey(found?.project ?? rules.projectOf(folder).project), folder }
  }
  const known = new Map<string, Set<ProjectKey>>()
  const add = (name: string, key: ProjectKey) => known.set(name, (known.get(name) ?? new Set()).add(key))
  for (const { project } of await store.sessions.projects()) add(projectName(project), project)
  for (const { project, folder } of folders) {
    const place = await keyOfFolder(folder)
    if (place) add(project.toLowerCase().trim(), place.project)
  }
  const named = (name: string): ProjectKey => {
    if (given !== null) return given
    const lowerName = name.toLowerCase().trim()
    const [only, ...others] = known.get(lowerName) ?? []
    if (only !== undefined && others.length === 0) return only
    const bare = asProjectKey(lowerName || GLOBAL_PROJECT)
    if (bare !== GLOBAL_PROJECT) bareNames.add(bare)
    return bare
  }
  return {
    bareNames,
    named,
    of: async (session: ForeignSession): Promise<Place> => {
      if (given !== null) return { project: given, folder: given }
      for (const folder of possibleFolders(session)) {
        const place = await keyOfFolder(folder)
        if (place) return place
      }
      const project = named(session.project)
      return { project, folder: project }
    },
  }
}

/** A database may name anything as a folder, also what no file system accepts. */
function isUsableFolder(path: string): boolean {
  try {
    return path.startsWith('/') && isFolder(path)
  } catch {
    return false
  }
}

/** The folder of the first tool use; else one above the files of its observations that has the name of the project. */
function possibleFolders({ folder, project, observations }: ForeignSession): string[] {
  const files = observations
    .flatMap(({ filesModified, filesRead }) => [...filesModified, ...filesRead])
    .filter((file) => file.startsWith('/'))
  const above = files.slice(0, MAX_FILES_TRIED).flatMap((file) => ancestorsOf(file).filter((one) => one.endsWith(`/${project}`)))
  return [...new Set([...(folder ? [folder] : []), ...above])]
}

const MAX_FILES_TRIED = 10

function ancestorsOf(file: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(file); folder !== '/' && folder !== '.'; folder = dirname(folder)) folders.push(folder)
  return folders
}

/** claude-mem stores what a person saved by hand as observations of a session that never was. */
const isManual = ({ memorySessionId, prompts }: ForeignSession) => (memorySessionId ?? '').startsWith('manual-') && prompts.length === 0

const isEmpty = ({ title, narrative }: ForeignSession['observations'][number]) => title.trim() === '' && narrative.trim() === ''

const manualNotes = ({ observations }: ForeignSession, project: ProjectKey) =>
  observations
    .filter((one) => !isEmpty(one))
    .map(({ title, narrative, facts, type, concepts, at }) => ({
      id: asNoteId(ulidOf(`claude-mem memory\n${title}\n${narrative}`, at)),
      title,
      body: [narrative.trim() || title, ...facts.map((fact) => `- ${fact}`)].join('\n'),
      project,
      source: 'import' as const,
      namespace: 'context',
      createdAt: at,
      tags: ['claude-mem', ...tagsOf(type, concepts)],
    }))

async function saveImportedNote(services: Services, draft: NoteDraft & { id: ReturnType<typeof asNoteId> }, total: ImportCounts) {
  return countImportedNote(services, await saveNoteUnderId(services.notebook, draft, Date.now()), total)
}

/** Types and concepts that we do not have stay searchable as tags. Both security types also have the tag that they share. */
function tagsOf(type: string, concepts: string[]): string[] {
  const isKnownType = OBSERVATION_TYPES.some((known) => known === type)
  const own = [...(isKnownType ? [] : [type]), ...concepts.filter((one) => !CONCEPTS.some((known) => known === one))]
  return [...new Set([...(type.startsWith('security') ? ['security'] : []), ...own])]
    .filter((tag) => tag.trim() !== '')
    .map((tag) => tag.slice(0, 100))
}

/** False if the project is excluded, or the session was deleted. Call inside a transaction. */
async function importSession(
  services: Services,
  from: ForeignSession,
  { project, folder, hasTranscript }: Place & { hasTranscript: boolean },
  total: ImportCounts,
): Promise<boolean> {
  const ends = [...from.prompts, ...from.observations, ...from.summaries].map((row) => row.at)
  const agent = await services.agents[agentOfHost(from.platform)]()
  const found = await openImportedSession(services, agent, {
    sessionId: from.contentSessionId,
    project,
    folder,
    branch: null,
    title: from.title,
    startedAt: from.startedAt,
    lastEventAt: Math.max(from.startedAt, from.endedAt ?? 0, ...ends),
    host: agent.name === agentOfHost(null) ? null : from.platform,
  })
  if (!found) return false
  const { session, opened } = found
  if (opened) total.sessions++
  const numbers = new Map<number, number>()
  if (!hasTranscript && session.transcript === null) {
    for (const prompt of from.prompts) {
      const row = { ...prompt, key: `claude-mem:${prompt.number}`, origin: 'person' as const, answer: null, answeredAt: null }
      const added = await addPrompt(services, session, row)
      if (!added) continue
      total.prompts++
      numbers.set(prompt.number, added.number)
    }
  }
  const numberOf = await promptNumbers(services, session, numbers)
  const relative = (path: string) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path)
  const rows = from.observations
    .filter((o) => !isEmpty(o))
    .map((o) => ({
      ...o,
      title: o.title.trim() || o.narrative.trim().split('\n', 1)[0] || '',
      key: `claude-mem:${from.contentSessionId}:${o.id}`,
      type: OBSERVATION_TYPES.find((type) => type === o.type) ?? 'discovery',
      tags: tagsOf(o.type, o.concepts),
      promptNumber: numberOf(o.promptNumber),
      filesRead: o.filesRead.map(relative),
      filesModified: o.filesModified.map(relative),
      tool: null,
    }))
  total.observations += await addObservations(services, session, rows)
  for (const { id, ...summary } of from.summaries) {
    const key = `claude-mem:${from.contentSessionId}:${id}`
    const row = { ...summary, promptNumber: numberOf(summary.promptNumber), source: 'turn' as const, model: 'claude-mem' }
    if (await addSummary(services, session, key, row)) total.summaries++
  }
  return true
}

/**
 * Our number of each of claude-mem's prompts: of those that were just imported, or of the prompt that a person typed in that place. claude-mem counts
 * only what a person typed, and a prompt that is wholly private here has no number, so the two may differ.
 */
async function promptNumbers({ store }: Services, session: Session, imported: Map<number, number>) {
  const typed = (await store.prompts.ofSession(session.id)).filter(({ origin }) => origin === 'person')
  return (number: number | null): number => (number === null ? 0 : (imported.get(number) ?? typed[number - 1]?.number ?? number))
}
