import { sharedHash } from '../../src/core/shared-hash.ts'
import type { PushedMemory, PushResult, Right, SharedBody, SharedMemory } from '../../src/wire/contract/hub.ts'

/** Overrides the answer to a request, to play a hub that is broken or hostile. Undefined answers as usual. */
type Script = (route: string, body: Record<string, unknown>, query: URLSearchParams) => Response | Promise<Response> | undefined

type Person = { id: string; name: string; token: string; may: Map<string, Right> }

/**
 * A hub in memory, over real HTTP: enough of the protocol for tests of the laptop's side that are about its own behaviour. The real hub is tested with
 * PostgreSQL in `test/hub`.
 */
export function scriptedHub() {
  const people = new Map<string, Person>()
  const feeds = new Map<string, SharedMemory[]>()
  const pushes: { project: string; memories: PushedMemory[] }[] = []
  const forgottenUpTo = new Map<string, number>()
  let script: Script = () => undefined
  let hasReview = false

  const hashOf = (body: SharedBody | null) => sharedHash(body)
  const feedOf = (project: string) => feeds.get(project) ?? feeds.set(project, []).get(project) ?? []
  const headOf = (project: string) => Math.max(0, ...feedOf(project).map(({ seq }) => seq))
  /** Puts a version into the feed, in place of the earlier one. */
  const put = (
    project: string,
    memory: Omit<SharedMemory, 'seq' | 'hash' | 'changedAt' | 'revision'> & { seq?: number; hash?: string },
  ) => {
    const seq = memory.seq ?? headOf(project) + 1
    const stored: SharedMemory = { revision: seq, hash: hashOf(memory.body), changedAt: Date.now(), ...memory, seq }
    feeds.set(project, [...feedOf(project).filter(({ id }) => id !== stored.id), stored])
    return stored
  }
  const pushOne = (person: Person, project: string, pushed: PushedMemory): PushResult => {
    const { id, kind, base, body } = pushed
    const known = feedOf(project).find((one) => one.id === id)
    const hash = hashOf(body)
    const state = hasReview && person.may.get(project) !== 'curate' ? ('proposed' as const) : ('accepted' as const)
    if (known && known.hash === hash) return { id, kind: 'same', hash, revision: known.revision, state: known.state }
    const author = known?.author ?? { id: person.id, name: person.name }
    if (known?.body && known.hash !== base && body !== null) {
      const keptAs = `${id}.${hash.slice(0, 8)}`
      put(project, { id: keptAs, kind, author, device: 'd', state, conflictOf: id, body })
      return { id, kind: 'conflict', keptAs, current: known.hash }
    }
    const stored = put(project, { id, kind, author, device: 'd', state, conflictOf: null, body })
    return { id, kind: 'stored', hash, revision: stored.revision, state }
  }

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const url = new URL(request.url)
      const route = `${request.method} ${url.pathname}`
      const body = request.method === 'GET' ? {} : ((await request.json()) as Record<string, unknown>)
      const scripted = await script(route, body, url.searchParams)
      if (scripted) return scripted
      const error = (status: number, reason: string) => Response.json({ error: reason }, { status })
      if (route === 'POST /v1/enrol') {
        const person = people.get(String(body.code))
        if (!person) return error(403, 'the code is unknown, used or expired')
        const member = { id: person.id, name: person.name, role: 'member' }
        return Response.json({ token: person.token, hub: 'hub-1', member, device: { id: crypto.randomUUID(), name: body.device } })
      }
      const token = request.headers.get('authorization')?.replace('Bearer ', '')
      const person = [...people.values()].find((one) => one.token === token)
      if (!person) return error(401, 'the token is not known')
      const project = String(body.project ?? url.searchParams.get('project') ?? body.key)
      const may = person.may.get(project)
      const shown = (key: string) => ({ key, title: key, may: person.may.get(key), head: headOf(key), review: hasReview, retainDays: null })
      switch (route) {
        case 'GET /v1/stream':
          return new Response(new ReadableStream({}), { headers: { 'content-type': 'text/event-stream' } })
        case 'GET /v1/projects':
          return Response.json({ projects: [...person.may.keys()].map(shown) })
        case 'POST /v1/projects':
          person.may.set(project, may ?? 'curate')
          return Response.json(shown(project))
        case 'POST /v1/push': {
          if (may === undefined || may === 'read') return error(403, 'you may not write')
          const memories = body.memories as PushedMemory[]
          pushes.push({ project, memories })
          return Response.json({ results: memories.map((one) => pushOne(person, project, one)), head: headOf(project) })
        }
        case 'GET /v1/pull': {
          if (may === undefined) return error(403, 'you may not read')
          const after = Number(url.searchParams.get('after'))
          if (after > 0 && after < (forgottenUpTo.get(project) ?? 0)) return error(410, 'begin again')
          const limit = Number(url.searchParams.get('limit'))
          const isVisible = (one: SharedMemory) => one.state === 'accepted' || may === 'curate' || one.author.id === person.id
          const all = feedOf(project)
            .filter((one) => one.seq > after && isVisible(one))
            .sort((a, b) => a.seq - b.seq)
          return Response.json({ memories: all.slice(0, limit), head: headOf(project), more: all.length > limit })
        }
        case 'POST /v1/review': {
          const known = feedOf(project).find((one) => one.id === body.id)
          if (!known) return error(403, 'no')
          return Response.json(put(project, { ...known, seq: headOf(project) + 1, state: body.verdict as 'accepted' }))
        }
        case 'GET /v1/members':
          return Response.json({
            members: [...people.values()].map(({ id, name, may }) => ({
              id,
              name,
              role: 'member',
              disabledAt: null,
              grants: [...may].map(([project, right]) => ({ project, may: right })),
              devices: [],
            })),
          })
        default:
          return error(404, 'there is no such route')
      }
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    /** Adds a person; the code to join is their name. */
    add: (name: string, rights: Record<string, Right> = {}) => {
      const person: Person = { id: `member-${name}`, name, token: `token-of-${name}-0123456789`, may: new Map(Object.entries(rights)) }
      people.set(name, person)
      return person
    },
    remove: (name: string) => people.delete(name),
    feed: feedOf,
    put,
    pushes,
    forgetUpTo: (project: string, seq: number) => forgottenUpTo.set(project, seq),
    requireReview: () => {
      hasReview = true
    },
    play: (next: Script) => {
      script = next
    },
    [Symbol.dispose]: () => void server.stop(true),
  }
}
