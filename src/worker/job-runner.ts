/** How each kind of job is done. Loaded with the first one: a worker that only answers does without all of it. */
import type { DistillJob, EpisodeJob, MarkersJob, StatementsJob } from '../capture/capture.ts'
import { queueEpisode } from '../capture/capture.ts'
import { catchUpOldTurns, distillTurn } from '../capture/turns.ts'
import { claudeCode } from '../integrations/agent.ts'
import type { Job } from '../store/store.ts'
import { CAUGHT_UP_MARK, CAUGHT_UP_TO_MARK } from './automatic-jobs.ts'
import { type BackgroundDistiller, openBackgroundDistiller, queueDistillingByModel } from './background-distiller.ts'
import { type BackgroundSync, openBackgroundSync } from './background-sync.ts'
import { runConsolidateJob } from './consolidation.ts'
import { saveEpisodeNote, saveMarkedNotes, saveStatementNotes } from './draft-notes.ts'
import type { Embedding } from './embedding.ts'
import { importTranscripts } from './import-transcripts.ts'
import { type MoveProjectJob, moveProject, type WipeProjectJob, wipeProject } from './project-jobs.ts'
import { ingestTranscript } from './reconcile.ts'
import type { Services } from './services.ts'

export type JobRunner = ReturnType<typeof openJobRunner>

export function openJobRunner(desk: Services, embedding: Embedding) {
  const syncing = openBackgroundSync(desk)
  const telling = openBackgroundDistiller(desk, () => embedding.queue())
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
async function doJob(desk: Services, embedding: Embedding, syncing: BackgroundSync, telling: BackgroundDistiller, job: Job): Promise<void> {
  const { store } = desk
  switch (job.kind) {
    case 'distill': {
      const changes = await store.transaction(async () => {
        const changes = await distillTurn(store, job.payload as DistillJob, claudeCode.readAction)
        await queueDistillingByModel(desk, job.payload as DistillJob, Date.now())
        await store.jobs.complete(job.id)
        return changes
      })
      desk.announce(changes)
      await embedding.queue()
      return
    }
    case 'tell':
      return telling.start(job)
    case 'markers': {
      await saveMarkedNotes(desk, job.payload as MarkersJob, Date.now())
      await store.transaction(() => store.jobs.complete(job.id))
      return
    }
    case 'episode': {
      await saveEpisodeNote(desk, claudeCode, job.payload as EpisodeJob, Date.now())
      await store.transaction(() => store.jobs.complete(job.id))
      return
    }
    case 'statements': {
      await saveStatementNotes(desk, claudeCode, job.payload as StatementsJob, Date.now())
      await store.transaction(() => store.jobs.complete(job.id))
      return
    }
    case 'embed':
      return embedding.doJob(job.id)
    case 'reconcile': {
      const { sessionId, over } = job.payload as { sessionId: number; over?: boolean }
      const session = await store.sessions.get(sessionId)
      if (session?.transcript) await ingestTranscript(desk, claudeCode, session.transcript)
      await store.transaction(async () => {
        const read = await store.sessions.get(sessionId)
        if (session && read && over && (await store.sessions.complete(session.id, read.lastEventAt))) {
          desk.announce([{ kind: 'session-completed', sessionId: session.id }])
        }
        // The transcript may have told what no hook did, the last answer above all.
        if ((await store.sessions.get(sessionId))?.status === 'completed') await queueEpisode(store, sessionId, 'session-end', Date.now())
        await store.jobs.complete(job.id)
      })
      return
    }
    case 'read': {
      await ingestTranscript(desk, claudeCode, (job.payload as { path: string }).path)
      await store.transaction(() => store.jobs.complete(job.id))
      return
    }
    case 'consolidate':
      return runConsolidateJob(desk, job)
    // What an older version had still to do is part of catching up, which every start asks for.
    case 'link':
      return store.transaction(() => store.jobs.complete(job.id))
    case 'catch-up': {
      await store.transaction(async () => {
        const upTo = Number((await store.audit.mark(CAUGHT_UP_TO_MARK)) ?? 0)
        const next = await catchUpOldTurns(store, upTo, claudeCode.readAction)
        await store.jobs.complete(job.id)
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
      await moveProject(desk, job.payload as MoveProjectJob)
      await store.transaction(() => store.jobs.complete(job.id))
      desk.stream.publish({ type: 'projects-changed', data: job.payload })
      return
    }
    case 'wipe-project': {
      await wipeProject(desk, job.payload as WipeProjectJob)
      await store.transaction(() => store.jobs.complete(job.id))
      desk.stream.publish({ type: 'projects-changed', data: job.payload })
      return
    }
    case 'rebuild': {
      // Jobs wait for each other, so the distilling that this asks for comes after it.
      for await (const line of importTranscripts(desk, claudeCode, { paths: [], since: null, project: null }))
        if (line.kind === 'distilling') break
      await store.transaction(() => store.jobs.complete(job.id))
      return
    }
    default:
      throw new Error(`there is no way to do a job of kind ${job.kind}`)
  }
}
