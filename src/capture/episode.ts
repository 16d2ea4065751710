import type { Jobs } from '../core/job.ts'
import type { Session } from '../core/memory.ts'
import { asNoteId } from '../core/note.ts'
import { ulidOf } from '../core/ulid.ts'
import type { Store } from '../store/store.ts'

export type EpisodeJob = Jobs['episode']

/** Queues writing or updating the note of a session. Requests that are still waiting are merged into one. */
export async function queueEpisode(store: Store, sessionId: number, hook: EpisodeJob['hook'], at: number): Promise<void> {
  const job: EpisodeJob = { sessionId, hook }
  await store.jobs.add('episode', String(sessionId), job, at)
}

/** Queues an update if the session has a note. Imported sessions have none and get none. */
export async function refreshEpisode(store: Store, session: Session, at: number): Promise<void> {
  if (await store.notes.ofSession(session.contentSessionId)) await queueEpisode(store, session.id, 'session-end', at)
}

/** The note of a session has the same id on every machine. */
export const episodeNoteId = (session: Session) => asNoteId(ulidOf(`${session.agent}\n${session.contentSessionId}`, session.startedAt))
