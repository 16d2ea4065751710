import { cleanSessionTitle, queueEpisode, queueStatements } from '../capture/capture.ts'
import { AGENT_TITLES, type AgentName } from '../core/agent.ts'
import { projectKey, projectName } from '../core/project.ts'
import { type Agent, defaultAgent } from '../integrations/agent.ts'
import { detectTranscriptFormat } from '../integrations/transcript-format.ts'
import type { FolderEntry } from '../platform/folder.ts'
import { findProject } from '../platform/project.ts'
import { isStoreFailure } from '../store/store.ts'
import type { ImportLine } from '../wire/contract/upkeep.ts'
import { ingestTranscript, type TranscriptReadResult } from './reconcile.ts'
import type { Services } from './services.ts'
import { isLive } from './sweep.ts'

export type ImportTranscriptsOptions = {
  /** Only transcripts of these agents. */
  agents: readonly AgentName[]
  paths: string[]
  since: number | null
  project: string | null
}

/**
 * Imports history: every transcript below the given paths, or all transcripts that the agents keep. Events pass through capture like those of
 * hooks, so known ones are skipped, and an interrupted import continues where it stopped.
 */
export async function* importTranscripts(services: Services, options: ImportTranscriptsOptions): AsyncGenerator<ImportLine> {
  const started = performance.now()
  const { roots, found } = await findTranscripts(services, options)
  const files = found.filter((file) => options.since === null || file.changedAt >= options.since).sort((a, b) => a.changedAt - b.changedAt)
  const totalBytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const total = { files: 0, skipped: 0, sessions: new Set<number>(), prompts: 0, toolUses: 0, unreadableLines: 0 }
  let bytes = 0
  for (const [index, file] of files.entries()) {
    yield { kind: 'progress', file: file.path, done: index, files: files.length, bytes, totalBytes }
    const read = await importTranscript(services, file.path, options)
    if (typeof read === 'string') {
      total.skipped++
      yield { kind: 'skipped', file: file.path, reason: read }
    } else {
      await setSessionTitles(services, read.sessions, read.facts?.title ?? null)
      await queueSessionNotes(services, read.sessions)
      total.files++
      for (const id of read.sessions) total.sessions.add(id)
      total.prompts += read.prompts
      total.toolUses += read.toolUses
      total.unreadableLines += read.unreadable
    }
    bytes += file.bytes
  }
  yield* waitForDistilling(services)
  const ms = Math.round(performance.now() - started)
  const sum = { ...total, sessions: total.sessions.size }
  await services.store.transaction(() =>
    services.store.audit.add({ at: Date.now(), action: 'import', subject: roots.join(', '), details: { ...sum, ms } }),
  )
  services.log.info('imported', { ...sum, ms })
  yield { kind: 'done', ...sum, ms }
}

/** Each agent looks for its own kind of file below the given paths, or in its own folders. */
async function findTranscripts(services: Services, { agents, paths }: ImportTranscriptsOptions) {
  const roots: string[] = []
  const found = new Map<string, FolderEntry>()
  for (const name of agents) {
    const agent = await services.agents[name]()
    const own = paths.length > 0 ? paths : agent.transcriptRoots(agent.configFolder(services.environment)).map((root) => root.folder)
    roots.push(...own)
    for (const file of own.flatMap((root) => agent.transcriptsBelow(root))) found.set(file.path, file)
  }
  return { roots: [...new Set(roots)], found: [...found.values()] }
}

/** The result of reading a file, or the reason why it was skipped. A file that cannot be read does not stop the import. */
async function importTranscript(
  services: Services,
  path: string,
  { agents, project }: ImportTranscriptsOptions,
): Promise<TranscriptReadResult | string> {
  try {
    const format = await detectTranscriptFormat(path)
    if (format === null) return 'not the transcript of an agent'
    if (!agents.includes(format)) return `a session of ${AGENT_TITLES[format]}, which --agent leaves out`
    const agent = await services.agents[format]()
    return (
      (await reasonToSkip(agent, path, project)) ??
      (await ingestTranscript(services, agent, path, { alsoInTransaction: (sessions) => completeSilentSessions(services, sessions) }))
    )
  } catch (cause) {
    if (isStoreFailure(cause)) throw cause
    return `it cannot be read (${(cause as Error).cause instanceof Error ? ((cause as Error).cause as Error).message : (cause as Error).message})`
  }
}

async function reasonToSkip(agent: Agent, path: string, project: string | null): Promise<string | null> {
  if (project === null) return null
  const wanted = project.startsWith('/') ? projectKey(findProject(project)) : project.toLowerCase()
  for await (const batch of agent.readTranscript(path, null)) {
    const key = projectKey(findProject(batch.facts.cwd ?? '/'))
    return key === wanted || projectName(key) === wanted ? null : `it belongs to another project (${key})`
  }
  return 'empty'
}

/**
 * Completes imported sessions unless their client still runs. The age of the file does not count, because people copy their history. This
 * happens in the transaction that reads the session: a sweep that found the session open would end it as of now.
 */
async function completeSilentSessions({ store }: Services, sessions: Set<number>): Promise<void> {
  for (const id of sessions) {
    const session = await store.sessions.get(id)
    if (!session || isLive(session, Date.now())) continue
    await store.sessions.complete(id, session.lastEventAt)
    await queueStatements(store, id, 'import', session.lastEventAt)
  }
}

/** Queues the notes that the sessions would have left here. After the whole file, because a note is made of all turns. */
async function queueSessionNotes({ store, settings }: Services, sessions: Set<number>): Promise<void> {
  if (!settings.import.session_notes || sessions.size === 0) return
  await store.transaction(async () => {
    for (const id of sessions) {
      const session = await store.sessions.get(id)
      if (session?.status === 'completed') await queueEpisode(store, id, 'session-end', session.lastEventAt)
    }
  })
}

async function setSessionTitles(services: Services, sessions: Set<number>, title: string | null): Promise<void> {
  const cleaned = title ? cleanSessionTitle(title, services.rules(defaultAgent)) : ''
  if (!cleaned) return
  const { store } = services
  await store.transaction(async () => {
    // The client may have named the session after a turn that was deleted.
    for (const id of sessions)
      if (!(await store.sessions.get(id))?.title && !(await store.tombstones.hasDeletedTurn(id))) await store.sessions.setTitle(id, cleaned)
  })
}

async function* waitForDistilling(services: Services): AsyncGenerator<ImportLine> {
  services.queue.kick()
  for (;;) {
    const { waiting, running } = await services.store.jobs.counts()
    const nextAt = await services.store.jobs.nextAt()
    if (running === 0 && (nextAt === null || nextAt > Date.now())) return
    yield { kind: 'distilling', waiting: waiting + running }
    await Bun.sleep(100)
  }
}
