import { cleanSessionTitle } from '../capture/capture.ts'
import { projectKey, projectName } from '../core/project.ts'
import type { Agent } from '../integrations/agent.ts'
import { filesBelow } from '../platform/folder.ts'
import { findProject } from '../platform/project.ts'
import { isStoreFailure } from '../store/store.ts'
import type { ImportLine } from '../wire/contract/upkeep.ts'
import { ingestTranscript, type TranscriptReadResult } from './reconcile.ts'
import type { Services } from './services.ts'
import { isLive } from './sweep.ts'

export type ImportTranscriptsOptions = { paths: string[]; since: number | null; project: string | null }

/**
 * Brings in history: every transcript under the given paths, or all that the agent keeps. The same door as hooks, so what is known
 * is left alone and an import that was broken off goes on where it stopped.
 */
export async function* importTranscripts(desk: Services, agent: Agent, wish: ImportTranscriptsOptions): AsyncGenerator<ImportLine> {
  const started = performance.now()
  const roots = wish.paths.length > 0 ? wish.paths : agent.transcriptRoots(desk.environment.claudeConfig).map((root) => root.folder)
  const files = roots
    .flatMap((root) => filesBelow(root, ['.jsonl', '.jsonl.gz']))
    .filter((file) => !/\/subagents\//.test(file.path)) // read with their parents
    .filter((file) => wish.since === null || file.changedAt >= wish.since)
    .sort((a, b) => a.changedAt - b.changedAt)
  const totalBytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const total = { files: 0, skipped: 0, sessions: new Set<number>(), prompts: 0, toolUses: 0, unreadableLines: 0 }
  let bytes = 0
  for (const [index, file] of files.entries()) {
    yield { kind: 'progress', file: file.path, done: index, files: files.length, bytes, totalBytes }
    const read = await importTranscript(desk, agent, file.path, wish.project)
    if (typeof read === 'string') {
      total.skipped++
      yield { kind: 'skipped', file: file.path, reason: read }
    } else {
      await setSessionTitles(desk, agent, read.sessions, read.facts?.title ?? null)
      total.files++
      for (const id of read.sessions) total.sessions.add(id)
      total.prompts += read.prompts
      total.toolUses += read.toolUses
      total.unreadableLines += read.unreadable
    }
    bytes += file.bytes
  }
  yield* waitForDistilling(desk)
  const ms = Math.round(performance.now() - started)
  const sum = { ...total, sessions: total.sessions.size }
  await desk.store.transaction(() =>
    desk.store.audit.add({ at: Date.now(), action: 'import', subject: roots.join(', '), details: { ...sum, ms } }),
  )
  desk.log.info('imported', { ...sum, ms })
  yield { kind: 'done', ...sum, ms }
}

/** What was read of a file, or why it was not. A file that cannot be read does not keep the others out. */
async function importTranscript(
  desk: Services,
  agent: Agent,
  path: string,
  project: string | null,
): Promise<TranscriptReadResult | string> {
  try {
    return (
      (await reasonToSkip(agent, path, project)) ??
      (await ingestTranscript(desk, agent, path, (sessions) => completeSilentSessions(desk, sessions)))
    )
  } catch (cause) {
    if (isStoreFailure(cause)) throw cause
    return `it cannot be read (${(cause as Error).cause instanceof Error ? ((cause as Error).cause as Error).message : (cause as Error).message})`
  }
}

async function reasonToSkip(agent: Agent, path: string, project: string | null): Promise<string | null> {
  const format = await agent.detectTranscriptFormat(path)
  if (format === 'codex') return 'a Codex session; Recollect cannot read those yet'
  if (format === 'copilot-cli') return 'a Copilot CLI session; Recollect cannot read those yet'
  if (format === 'unknown') return 'not a transcript of an agent'
  if (project === null) return null
  const wanted = project.startsWith('/') ? projectKey(findProject(project)) : project.toLowerCase()
  for await (const batch of agent.readTranscript(path, null)) {
    const key = projectKey(findProject(batch.facts.cwd ?? '/'))
    return key === wanted || projectName(key) === wanted ? null : `of another project (${key})`
  }
  return 'empty'
}

/**
 * A session that has long been silent is over, unless its client still sits there and waits for a prompt. How new its file is says nothing:
 * people copy their history. Closed with what is read of it, so that a sweep never meets it open: it would end it as one that has gone on
 * until now, with a note.
 */
async function completeSilentSessions({ store }: Services, sessions: Set<number>): Promise<void> {
  for (const id of sessions) {
    const session = await store.sessions.get(id)
    if (session && !isLive(session, Date.now())) await store.sessions.complete(id, session.lastEventAt)
  }
}

async function setSessionTitles(desk: Services, agent: Agent, sessions: Set<number>, title: string | null): Promise<void> {
  const kept = title ? cleanSessionTitle(title, desk.rules(agent)) : ''
  if (!kept) return
  await desk.store.transaction(async () => {
    for (const id of sessions) if (!(await desk.store.sessions.get(id))?.title) await desk.store.sessions.setTitle(id, kept)
  })
}

async function* waitForDistilling(desk: Services): AsyncGenerator<ImportLine> {
  desk.queue.kick()
  for (;;) {
    const { waiting, running } = await desk.store.jobs.counts()
    const nextAt = await desk.store.jobs.nextAt()
    if (running === 0 && (nextAt === null || nextAt > Date.now())) return
    yield { kind: 'distilling', waiting: waiting + running }
    await Bun.sleep(100)
  }
}
