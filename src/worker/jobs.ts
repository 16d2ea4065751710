/** How each kind of job is done. Loaded with the first one: a worker that only answers does without all of it. */
import type { DistillJob, EpisodeJob, MarkersJob, StatementsJob } from '../capture/capture.ts'
import { queueEpisode } from '../capture/capture.ts'
import { catchUp, distillTurn } from '../capture/turns.ts'
import { claudeCode } from '../integrations/agent.ts'
import type { Job } from '../store/store.ts'
import { keepEpisode, keepMarked, keepStatements } from './captured.ts'
import { consolidateJob } from './consolidation.ts'
import type { Desk } from './desk.ts'
import { CAUGHT_UP_MARK, CAUGHT_UP_TO_MARK } from './due.ts'
import type { Embedding } from './embedding.ts'
import { importHistory } from './import.ts'
import { type MoveJob, moveProject, type WipeJob, wipeProject } from './project-work.ts'
import { readThrough } from './reconcile.ts'
import { openSyncing, type Syncing } from './syncing.ts'
import { openTelling, queueTelling, type Telling } from './telling.ts'

export type Jobs = ReturnType<typeof openJobs>

export function openJobs(desk: Desk, embedding: Embedding) {
  const syncing = openSyncing(desk)
  const telling = openTelling(desk, () => embedding.queue())
  return {
    do: (job: Job) => doJob(desk, embedding, syncing, telling, job),
    /** Waits a moment for what goes on beside the list. */
    stop: async (): Promise<void> => {
      await syncing.stop()
      await telling.stop()
    },
  }
}

/** Each kind of job, and how it leaves the list: with its work in one transaction where that can be. */
async function doJob(desk: Desk, embedding: Embedding, syncing: Syncing, telling: Telling, job: Job): Promise<void> {
  const { store } = desk
  switch (job.kind) {
    case 'distill': {
      const changes = await store.transaction(async () => {
        const changes = await distillTurn(store, job.payload as DistillJob, claudeCode.readAction)
        await queueTelling(desk, job.payload as DistillJob, Date.now())
        await store.jobs.done(job.id)
        return changes
      })
      desk.announce(changes)
      await embedding.queue()
      return
    }
    case 'tell':
      return telling.start(job)
    case 'markers': {
      await keepMarked(desk, job.payload as MarkersJob, Date.now())
      await store.transaction(() => store.jobs.done(job.id))
      return
    }
    case 'episode': {
      await keepEpisode(desk, claudeCode, job.payload as EpisodeJob, Date.now())
      await store.transaction(() => store.jobs.done(job.id))
      return
    }
    case 'statements': {
      await keepStatements(desk, claudeCode, job.payload as StatementsJob, Date.now())
      await store.transaction(() => store.jobs.done(job.id))
      return
    }
    case 'embed':
      return embedding.doJob(job.id)
    case 'reconcile': {
      const { sessionId, over } = job.payload as { sessionId: number; over?: boolean }
      const session = await store.sessions.get(sessionId)
      if (session?.transcript) await readThrough(desk, claudeCode, session.transcript)
      await store.transaction(async () => {
        const read = await store.sessions.get(sessionId)
        if (session && read && over && (await store.sessions.complete(session.id, read.lastEventAt))) {
          desk.announce([{ kind: 'session-completed', sessionId: session.id }])
        }
        // The transcript may have told what no hook did, the last answer above all.
        if ((await store.sessions.get(sessionId))?.status === 'completed') await queueEpisode(store, sessionId, 'session-end', Date.now())
        await store.jobs.done(job.id)
      })
      return
    }
    case 'read': {
      await readThrough(desk, claudeCode, (job.payload as { path: string }).path)
      await store.transaction(() => store.jobs.done(job.id))
      return
    }
    case 'consolidate':
      return consolidateJob(desk, job)
    // What an older version had still to do is part of catching up, which every start asks for.
    case 'link':
      return store.transaction(() => store.jobs.done(job.id))
    case 'catch-up': {
      await store.transaction(async () => {
        const upTo = Number((await store.audit.mark(CAUGHT_UP_TO_MARK)) ?? 0)
        const next = await catchUp(store, upTo, claudeCode.readAction)
        await store.jobs.done(job.id)
        const now = Date.now()
        if (next === null) return store.audit.setMark(CAUGHT_UP_MARK, String(now))
        await store.audit.setMark(CAUGHT_UP_TO_MARK, String(next))
        // Due now, so behind everything that was due before.
        await store.jobs.add('catch-up', 'older', {}, now, now)
      })
      return
    }
    case 'sync':
      return syncing.start(job)
    case 'move-project': {
      await moveProject(desk, job.payload as MoveJob)
      await store.transaction(() => store.jobs.done(job.id))
      desk.stream.publish({ type: 'projects-changed', data: job.payload })
      return
    }
    case 'wipe-project': {
      await wipeProject(desk, job.payload as WipeJob)
      await store.transaction(() => store.jobs.done(job.id))
      desk.stream.publish({ type: 'projects-changed', data: job.payload })
      return
    }
    case 'rebuild': {
      // Jobs wait for each other, so the distilling that this asks for comes after it.
      for await (const line of importHistory(desk, claudeCode, { paths: [], since: null, project: null }))
        if (line.kind === 'distilling') break
      await store.transaction(() => store.jobs.done(job.id))
      return
    }
    default:
      throw new Error(`there is no way to do a job of kind ${job.kind}`)
  }
}
