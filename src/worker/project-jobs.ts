import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import { changeNote, purgeNote } from '../notes/notes.ts'
import type { Services } from './services.ts'

export type MoveProjectJob = { from: string; to: string }
export type WipeProjectJob = { project: string }

/** Sessions are taken a few at a time: hooks wait for no longer than one of them takes. */
const SESSIONS_PER_BATCH = 20

/** Gives everything of one project to another, session by session. Broken off, it goes on where it was. */
export async function moveProject(desk: Services, job: MoveProjectJob): Promise<void> {
  const { store } = desk
  const [from, to] = [asProjectKey(job.from), asProjectKey(job.to)]
  await forEachSession(desk, from, (id) =>
    store.transaction(async () => {
      await store.projects.moveSession(id, to)
      for (const kind of [store.prompts, store.observations, store.summaries]) await kind.reindex(id)
    }),
  )
  for (const note of [...store.notes.each(from)]) {
    const moved = note.scope === 'global' ? null : await changeNote(desk.notebook, note.id, { project: to }, Date.now())
    if (moved) desk.announce(moved.changes)
  }
}

/** Removes everything of a project for good: its journal, what was told of it, and its notes with their files. */
export async function wipeProject(desk: Services, job: WipeProjectJob): Promise<void> {
  const { store } = desk
  const project = asProjectKey(job.project)
  await store.withSecureDelete(async () => {
    await forEachSession(desk, project, (id) => store.transaction(() => store.sessions.remove(id)))
    for (const note of [...store.notes.each(project)]) desk.announce(await purgeNote(desk.notebook, note.id))
    await store.transaction(() => store.projects.dropInjections(project))
  })
}

/** `work` must take the session out of the project. */
async function forEachSession(desk: Services, project: ProjectKey, work: (id: number) => Promise<void>): Promise<void> {
  for (;;) {
    const ids = await desk.store.sessions.idsOf(project, SESSIONS_PER_BATCH)
    if (ids.length === 0) return
    for (const id of ids) {
      await work(id)
      await Bun.sleep(0)
    }
  }
}
