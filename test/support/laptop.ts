import { asProjectKey } from '../../src/core/ids.ts'
import { homePaths } from '../../src/platform/paths.ts'
import { exchange, joinTeam, type TeamContext } from '../../src/team/team.ts'
import { environment } from './builders.ts'
import { aNotebook } from './notebook.ts'

/** A home that has joined a team, without a worker. */
export async function aLaptop(hub: { url: string }, code: string, machine = `${code}-laptop`) {
  const t = await aNotebook(machine)
  const home = { ...homePaths(environment(t.folder)), folder: t.folder }
  const stopped = new AbortController()
  const membership = await joinTeam(home, t.store, { url: hub.url, code, device: machine }, stopped.signal, Date.now())
  const excluded = new Set<string>()
  const context: TeamContext = {
    book: t.book,
    hub: { url: membership.url, token: membership.token, id: membership.hub },
    member: membership.member,
    signal: stopped.signal,
    isExcluded: (project) => excluded.has(project),
    now: Date.now,
    announce: () => {},
  }
  return {
    ...t,
    home,
    membership,
    context,
    excluded,
    exchange: () => exchange(context),
    /** The copies of others' notes in a project, by title. */
    copies: async (project: string) => {
      const notes = [...t.store.notes.each(asProjectKey(project))].filter(({ author, deletedAt }) => author !== null && deletedAt === null)
      return notes.sort((a, b) => (a.title < b.title ? -1 : 1))
    },
  }
}
