import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { Jobs } from '../core/job.ts'
import { changeNote } from '../notes/notes.ts'
import type { Services } from './services.ts'

/** Each session is one transaction, so hooks wait no longer than one session takes. */
const SESSIONS_PER_BATCH = 20

/** Moves everything of one project to another, session by session. After an interruption it continues with the remaining sessions. */
export async function moveProject(services: Services, job: Jobs['move-project']): Promise<void> {
  const { store } = services
  const [from, to] = [asProjectKey(job.from), asProjectKey(job.to)]
  await forEachSession(services, from, (id) =>
    store.transaction(async () => {
      await store.projects.moveSession(id, to)
      for (const table of [store.prompts, store.observations, store.summaries]) await table.reindex(id)
    }),
  )
  for (const note of [...store.notes.each(from)]) {
    const moved = note.scope === 'global' ? null : await changeNote(services.notebook, note.id, { project: to }, Date.now())
    if (moved) services.announce(moved.changes)
  }
}

/** `work` must take the session out of the project, or this never ends. */
async function forEachSession(services: Services, project: ProjectKey, work: (id: number) => Promise<void>): Promise<void> {
  for (;;) {
    const ids = await services.store.sessions.idsOf(project, SESSIONS_PER_BATCH)
    if (ids.length === 0) return
    for (const id of ids) {
      await work(id)
      await Bun.sleep(0)
    }
  }
}
