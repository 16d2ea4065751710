/** Runs each kind of job. Loaded with the first job, because a worker that only answers requests needs none of this. */
import { dirname } from 'node:path'
import { queueEpisode, queueStatements } from '../capture/capture.ts'
import { catchUpOldTurns, distillUnsettled, settleUndoneTurns } from '../capture/turns.ts'
import type { Job, JobKind, Jobs } from '../core/job.ts'
import type { Change, Session } from '../core/memory.ts'
import { connectedAgents } from '../platform/installs.ts'
import { isSilent, lookAtFolders } from '../platform/silent-folders.ts'
import { findReplacedThread } from '../retrieval/replacements.ts'
import { CAUGHT_UP_MARK, CAUGHT_UP_TO_MARK, queueAnchoring } from './automatic-jobs.ts'
import { openBackgroundDistiller, queueDistillingByModel } from './background-distiller.ts'
import { openBackgroundSync } from './background-sync.ts'
import { runConsolidateJob } from './consolidation.ts'
import { saveEpisodeNote, saveMarkedNotes } from './draft-notes.ts'
import type { Embedding } from './embedding.ts'
import { followGitHistory } from './import-git.ts'
import { importTranscripts } from './import-transcripts.ts'
import { moveProject } from './project-jobs.ts'
import { ingestTranscript } from './reconcile.ts'
import { readActionWith, type Services } from './services.ts'
import { saveStatementNotes } from './statement-notes.ts'

/** How long one transaction may distill turn after turn. Hooks wait for it. */
const MAX_DISTILLING_MS = 50

export type JobRunner = ReturnType<typeof openJobRunner>

type JobHandlers = { [K in JobKind]: (job: Job<K>, signal: AbortSignal) => Promise<void> | void }

export function openJobRunner(services: Services, embedding: Embedding, maxDistillingMs = MAX_DISTILLING_MS) {
  const sync = openBackgroundSync(services)
  const distiller = openBackgroundDistiller(services, () => embedding.queue())
  const distill = (job: Job<'distill'>) => distillByRules(services, embedding, job, maxDistillingMs)
  const handlers = jobHandlers(services, embedding, sync, distiller, distill)
  return {
    do: async (job: Job, signal: AbortSignal): Promise<void> => {
      if (Object.hasOwn(handlers, job.kind)) return runJob(handlers, job, signal)
      services.log.warn('dropped a job of a kind this version does not know', { kind: job.kind })
      await services.store.transaction(() => services.store.jobs.complete(job.id))
    },
    /** Waits briefly for the work that runs beside the queue. */
    stop: async (): Promise<void> => {
      await sync.stop()
      await distiller.stop()
    },
  }
}

async function runJob<K extends JobKind>(handlers: JobHandlers, job: Job<K>, signal: AbortSignal): Promise<void> {
  await handlers[job.kind](job, signal)
}

/** A handler removes its job from the queue, in the same transaction as its work where that is possible. */
function jobHandlers(
  services: Services,
  embedding: Embedding,
  sync: ReturnType<typeof openBackgroundSync>,
  distiller: ReturnType<typeof openBackgroundDistiller>,
  distill: JobHandlers['distill'],
): JobHandlers {
  const { store } = services
  /** For work that cannot share a transaction with the removal of its job. It may run again after a crash, and must then change nothing. */
  const thenComplete =
    <Payload>(work: (payload: Payload, signal: AbortSignal) => Promise<unknown>) =>
    async (job: { id: number; payload: Payload }, signal: AbortSignal) => {
      await work(job.payload, signal)
      await store.transaction(() => store.jobs.complete(job.id))
    }
  return {
    distill,
    'model-distill': (job) => distiller.start(job),
    anchor: thenComplete(async (payload) => (await import('./anchor-turn.ts')).anchorTurn(services, payload, Date.now())),
    replacement: thenComplete((payload) => linkReplacement(services, payload)),
    markers: thenComplete((payload) => saveMarkedNotes(services, payload, Date.now())),
    episode: thenComplete((payload) => saveEpisodeNote(services, payload, Date.now())),
    statements: thenComplete((payload) => saveStatementNotes(services, payload, Date.now())),
    embed: (job) => embedding.doJob(job.id),
    reconcile: (job, signal) => reconcileSession(services, job, signal),
    read: thenComplete(async ({ path, agent }, signal) => ingestTranscript(services, await services.agents[agent](), path, { signal })),
    consolidate: (job) => runConsolidateJob(services, job),
    'catch-up': (job) => catchUp(services, job),
    sync: (job) => sync.start(job),
    'git-history': (job) => followGitHistory(services, job),
    'move-project': async (job, signal) => {
      await thenComplete((payload: Jobs['move-project']) => moveProject(services, payload))(job, signal)
      services.stream.publish({ type: 'projects-changed', data: job.payload })
    },
    erase: async (job) => {
      const { runEraseJob } = await import('./erase.ts')
      await runEraseJob(services, job)
      services.stream.publish({ type: 'projects-changed', data: {} })
    },
    rebuild: thenComplete(() => rebuildFromTranscripts(services)),
  }
}

/** Distills the turn and, after an import, turns that wait behind it: with its own transactions each would cost a tenth more. */
async function distillByRules(services: Services, embedding: Embedding, job: Job<'distill'>, maxMs: number): Promise<void> {
  const { store } = services
  const readAction = readActionWith(services.agents)
  const changes = await store.transaction(async () => {
    const until = performance.now() + maxMs
    const nextJob = () => (job.attempts > 1 || performance.now() > until ? null : store.jobs.claimAlso('distill', Date.now()))
    const changes: Change[] = []
    const turns: Parameters<typeof settleUndoneTurns>[1] = []
    for (let current: Job<'distill'> | null = job; current; current = await nextJob()) {
      const distilled = await distillUnsettled(store, current.payload, readAction)
      changes.push(...distilled.changes)
      if (distilled.turn) turns.push(distilled.turn)
      await queueDistillingByModel(services, current.payload, Date.now())
      await queueAnchoring(store, current.payload, Date.now())
      await store.jobs.complete(current.id)
    }
    changes.push(...(await settleUndoneTurns(store, turns)))
    await embedding.queueInTransaction()
    return changes
  })
  services.announce(changes)
}

/** Marks the earlier result that this turn's thread replaces. */
export async function linkReplacement({ store }: Services, { sessionId, number }: Jobs['replacement']): Promise<void> {
  const thread = await store.threads.ofTurn(sessionId, number)
  const replaced = thread && (await findReplacedThread(store, thread))
  if (thread && replaced) await store.transaction(() => store.threads.setReplaced(replaced.id, thread.id))
}

async function reconcileSession(services: Services, job: Job<'reconcile'>, signal: AbortSignal): Promise<void> {
  const { store } = services
  const { sessionId, over } = job.payload
  const session = await store.sessions.get(sessionId)
  if (session?.transcript) await readRest(services, { ...session, transcript: session.transcript }, signal)
  await store.transaction(async () => {
    const current = await store.sessions.get(sessionId)
    if (current && over && (await store.sessions.complete(sessionId, current.lastEventAt)))
      services.announce([{ kind: 'session-completed', sessionId }])
    // The transcript may hold events that no hook delivered, most often the last answer.
    if ((await store.sessions.get(sessionId))?.status === 'completed') {
      await queueEpisode(store, sessionId, 'session-end', Date.now())
      await queueStatements(store, sessionId, 'session-end', Date.now())
    }
    await store.jobs.complete(job.id)
  })
}

/** A session on a dead disk is completed all the same; a sweep reads its transcript when the disk answers again. */
async function readRest(services: Services, { agent, transcript }: Pick<Session, 'agent'> & { transcript: string }, signal: AbortSignal) {
  await lookAtFolders([dirname(transcript)])
  if (isSilent(transcript)) services.log.warn('the disk of a transcript does not answer', {})
  else await ingestTranscript(services, await services.agents[agent](), transcript, { signal })
}

async function catchUp({ store, agents }: Services, job: Job<'catch-up'>): Promise<void> {
  await store.transaction(async () => {
    const upTo = Number((await store.audit.mark(CAUGHT_UP_TO_MARK)) ?? 0)
    const next = await catchUpOldTurns(store, upTo, readActionWith(agents))
    await store.jobs.complete(job.id)
    const now = Date.now()
    if (next === null) return store.audit.setMark(CAUGHT_UP_MARK, String(now))
    await store.audit.setMark(CAUGHT_UP_TO_MARK, String(next))
    // Due now, so it runs after every job that was due earlier.
    await store.jobs.add('catch-up', 'older', {}, now, now)
  })
}

/** Stops waiting at the first report about distilling: those jobs run only after this one. */
async function rebuildFromTranscripts(services: Services): Promise<void> {
  for await (const line of importTranscripts(services, { agents: connectedAgents(services.home), paths: [], since: null, project: null }))
    if (line.kind === 'distilling') break
}
