import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { Jobs } from '../core/job.ts'
import type { Note } from '../core/note.ts'
import { changeNote } from '../notes/notes.ts'
import type { Services } from './services.ts'

/** Each session is one transaction, so hooks wait no longer than one session takes. */
const SESSIONS_PER_BATCH = 20
const COMMITS_PER_BATCH = 100

/** Moves everything of one project to another, session by session. After an interruption it continues with the remaining sessions. */
export async function moveProject(services: Services, job: Jobs['move-project']): Promise<void> {
  const { store } = services
  const [from, to] = [asProjectKey(job.from), asProjectKey(job.to)]
  // The person may have split the two again before this ran.
  const isUndone = async () => (await store.audit.mark(joinMark(from))) === UNDONE_JOIN && (await store.projects.currentKey(from)) === from
  await forEachSession(services, from, (id) =>
    store.transaction(async () => {
      if (await isUndone()) return false
      await store.projects.moveSession(id, to)
      for (const table of [store.prompts, store.observations, store.summaries]) await table.reindex(id)
      return true
    }),
  )
  if (await isUndone()) return
  while (await store.transaction(() => store.commits.move(from, to, COMMITS_PER_BATCH))) await Bun.sleep(0)
  for (const note of [...store.notes.each(from)]) {
    await moveNote(services, note, to)
  }
}

/** Moves a note and changes nothing else, not even its time. */
export async function moveNote(services: Services, { id, scope, updatedAt, machine }: Note, project: ProjectKey): Promise<void> {
  const moved = scope === 'global' ? null : await changeNote(services.notebook, id, { project, machine }, updatedAt)
  if (moved) services.announce(moved.changes)
}

/** The record of what a join moved, and its value once the join is undone. */
export const joinMark = (from: ProjectKey) => `project join: ${from}`
export const UNDONE_JOIN = 'null'

/** `work` must take the session out of the project, or return false to end this. */
async function forEachSession(services: Services, project: ProjectKey, work: (id: number) => Promise<boolean>): Promise<void> {
  for (;;) {
    const ids = await services.store.sessions.idsOf(project, SESSIONS_PER_BATCH)
    if (ids.length === 0) return
    for (const id of ids) {
      if (!(await work(id))) return
      await Bun.sleep(0)
    }
  }
}
