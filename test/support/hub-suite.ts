/**
 * What every hub promises, whatever PostgreSQL is below it: who may call what, who sees what, what becomes of a push, and that SQL as the hub's
 * role gives away nothing. It runs on PGlite with the unit tests and on a real server in the hub's own lane.
 */
import { afterAll, beforeAll, describe, expect, type test } from 'bun:test'
import { sharedHash } from '../../src/core/shared-hash.ts'
import type { Query } from '../../src/hub/database.ts'
import { proposalId } from '../../src/hub/push.ts'
import { FEED_PAGE, IN_FEED_ORDER } from '../../src/hub/routes/feed.ts'
import { MAX_PULLED, MAX_PUSHED } from '../../src/wire/contract/hub.ts'
import {
  aBody,
  aMemory,
  expectOk,
  type HubLogins,
  type HubRoute,
  hashOf,
  KINDS,
  type Kind,
  MEMORY_KINDS,
  type MemoryState,
  startTeam,
  type Team,
} from './team.ts'

type Status = 200 | 400 | 401 | 403 | 409 | 410
const START_TIMEOUT_MS = 300_000

export function describeHub(it: typeof test, open: () => Promise<HubLogins>): void {
  let logins: HubLogins
  let team: Team
  beforeAll(async () => {
    logins = await open()
    team = await startTeam(logins)
  }, START_TIMEOUT_MS)
  afterAll(async () => {
    await team?.stop()
    await logins?.close()
  })
  const call = <Name extends HubRoute>(kind: Kind, ...args: Parameters<typeof team.nobody<Name>>) => team.member(kind).call<Name>(...args)
  /** Runs SQL as the hub's role, in one transaction, with or without a member's token. */
  const sql = <T>(kind: Kind, work: (query: Query) => Promise<T>): Promise<T> =>
    logins.hub.transaction(async (query) => {
      if (kind !== 'nobody') await query('SELECT recollect.identify($1)', [team.member(kind).token])
      return work(query)
    })
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'allowed',
      (cause: Error & { errno?: string; code?: string }) => cause.errno ?? cause.code ?? cause.message,
    )
  const DENIED = '42501'
  const newProject = async (key: string, fields: { review?: boolean } = {}) => {
    await expectOk(call('curator', 'POST /v1/projects', { key, title: key, ...fields }))
    for (const kind of ['author', 'writer'] as const)
      await expectOk(call('curator', 'PUT /v1/grants', { project: key, member: kind, may: 'write' }))
    await expectOk(call('curator', 'PUT /v1/grants', { project: key, member: 'reader', may: 'read' }))
    const push = (
      kind: Kind,
      ...memories: { id: string; kind: 'note' | 'distilled'; base: string | null; body: ReturnType<typeof aBody> | null }[]
    ) => expectOk(call(kind, 'POST /v1/push', { project: key, memories }))
    const pull = async (kind: Kind, after = 0) => (await expectOk(call(kind, 'GET /v1/pull', { project: key, after }))).memories
    return { push, pull }
  }

  describe('each member at each route', () => {
    const withToken = (statuses: Partial<Record<Kind, Status>>, others: Status): Record<Kind, Status> => ({
      author: others,
      writer: others,
      reader: others,
      curator: others,
      admin: others,
      stranger: others,
      revoked: 401,
      erased: 401,
      nobody: 401,
      ...statuses,
    })
    const everyone = withToken({}, 200)
    const writers = withToken({ author: 200, writer: 200, curator: 200 }, 403)
    const readers = withToken({ author: 200, writer: 200, reader: 200, curator: 200 }, 403)
    const managers = withToken({ curator: 200, admin: 200 }, 403)
    const admins = withToken({ admin: 200 }, 403)
    let number = 0
    type Case = { route: HubRoute; what: string; expected: Record<Kind, Status>; request: (kind: Kind) => Promise<{ status: number }> }
    const cases: Case[] = [
      { route: 'GET /v1/me', what: 'who they are', expected: everyone, request: (k) => call(k, 'GET /v1/me', {}) },
      { route: 'GET /v1/projects', what: 'their projects', expected: everyone, request: (k) => call(k, 'GET /v1/projects', {}) },
      {
        route: 'POST /v1/projects',
        what: 'a project that exists',
        expected: readers,
        request: (k) => call(k, 'POST /v1/projects', { key: 'shared', title: '' }),
      },
      {
        route: 'POST /v1/push',
        what: 'a new memory',
        expected: writers,
        request: (k) => call(k, 'POST /v1/push', { project: 'open', memories: [aMemory(`new-${number++}`)] }),
      },
      { route: 'GET /v1/pull', what: 'the feed', expected: readers, request: (k) => call(k, 'GET /v1/pull', { project: 'shared' }) },
      { route: 'POST /v1/search', what: 'words', expected: everyone, request: (k) => call(k, 'POST /v1/search', { query: 'zebra' }) },
      {
        route: 'POST /v1/review',
        what: 'a proposed memory',
        // A version that never existed: who may review learns that it changed, the others learn nothing.
        expected: withToken({ curator: 409 }, 403),
        request: (k) => call(k, 'POST /v1/review', { project: 'shared', id: 'proposed', hash: '0'.repeat(64), verdict: 'accepted' }),
      },
      {
        route: 'POST /v1/handover',
        what: 'a dry run',
        expected: withToken({ author: 403 }, 200),
        request: (k) => call(k, 'POST /v1/handover', { to: 'heir', project: 'shared' }),
      },
      {
        route: 'POST /v1/own/push',
        what: 'a sealed item',
        expected: everyone,
        request: (k) => call(k, 'POST /v1/own/push', { items: [{ id: '1'.repeat(64), keyId: '0123456789abcdef', sealed: 'aGk=' }] }),
      },
      { route: 'GET /v1/own/pull', what: 'their items', expected: everyone, request: (k) => call(k, 'GET /v1/own/pull', {}) },
      { route: 'GET /v1/own/keys', what: 'their keys', expected: everyone, request: (k) => call(k, 'GET /v1/own/keys', {}) },
      {
        route: 'PUT /v1/own/keys',
        what: 'a first key',
        expected: everyone,
        request: (k) => call(k, 'PUT /v1/own/keys', { was: null, keyId: '0123456789abcdef', olderKeys: '' }),
      },
      { route: 'GET /v1/devices', what: 'their devices', expected: everyone, request: (k) => call(k, 'GET /v1/devices', {}) },
      {
        route: 'POST /v1/devices/:id/revoke',
        what: "another member's device",
        expected: admins,
        request: async (k) => {
          const { code } = await team.operator.invite({ name: null, role: 'member', grants: [], hours: 1, deviceOf: 'heir' })
          const spare = await team.enrol(code, team.heir.id)
          return call(k, 'POST /v1/devices/:id/revoke', { id: spare.device })
        },
      },
      { route: 'GET /v1/members', what: 'members', expected: everyone, request: (k) => call(k, 'GET /v1/members', {}) },
      {
        route: 'POST /v1/invites',
        what: 'a new member',
        expected: admins,
        request: (k) => call(k, 'POST /v1/invites', { name: `guest ${number++}` }),
      },
      { route: 'POST /v1/invites', what: 'a device of theirs', expected: everyone, request: (k) => call(k, 'POST /v1/invites', {}) },
      {
        route: 'PUT /v1/grants',
        what: 'a right',
        expected: managers,
        request: (k) => call(k, 'PUT /v1/grants', { project: 'open', member: 'heir', may: 'write' }),
      },
      {
        route: 'PATCH /v1/projects',
        what: 'review and retention',
        expected: managers,
        request: (k) => call(k, 'PATCH /v1/projects', { key: 'open', review: false }),
      },
      { route: 'POST /v1/erase', what: 'another member', expected: admins, request: (k) => call(k, 'POST /v1/erase', { member: 'heir' }) },
      {
        route: 'POST /v1/erase',
        what: 'themselves, as a dry run',
        expected: everyone,
        request: (k) => call(k, 'POST /v1/erase', { member: team.member(k).id || 'heir' }),
      },
      { route: 'GET /v1/audit', what: 'of a project', expected: managers, request: (k) => call(k, 'GET /v1/audit', { project: 'shared' }) },
      { route: 'GET /v1/audit', what: 'of everything', expected: admins, request: (k) => call(k, 'GET /v1/audit', {}) },
      {
        route: 'POST /v1/enrol',
        what: 'with an unknown code',
        expected: Object.fromEntries(KINDS.map((kind) => [kind, 403])) as Record<Kind, Status>,
        request: (k) => call(k, 'POST /v1/enrol', { code: 'AAAA-BBBB', device: 'x' }),
      },
    ]
    for (const { route, what, expected, request } of cases)
      it(`${route}: ${what}`, async () => {
        const statuses: Partial<Record<Kind, number>> = {}
        for (const kind of KINDS) statuses[kind] = (await request(kind)).status
        expect(statuses).toEqual(expected)
      })

    it('GET /v1/stream: only with a token that works', async () => {
      const statuses: Partial<Record<Kind, number>> = {}
      for (const kind of KINDS) {
        const abort = new AbortController()
        const headers = { authorization: `Bearer ${team.member(kind).token}` }
        statuses[kind] = (await fetch(`${team.base}/v1/stream`, { headers, signal: abort.signal })).status
        abort.abort()
      }
      expect(statuses).toEqual(withToken({}, 200))
    })

    it('every route of the contract is in this table', async () => {
      const { hub } = await import('../../src/wire/contract/hub.ts')
      expect(Object.keys(hub).filter((name) => name !== 'GET /v1/stream' && !cases.some(({ route }) => route === name))).toEqual([])
    })
  })

  describe('each member and each memory', () => {
    const accepted: MemoryState[] = ['accepted', 'deleted', 'distilled']
    const all: MemoryState[] = [...MEMORY_KINDS]
    const visible: Record<Kind, MemoryState[]> = {
      author: all,
      curator: all,
      writer: accepted,
      reader: accepted,
      admin: [],
      stranger: [],
      revoked: [],
      erased: [],
      nobody: [],
    }
    const stateOf = (id: string) => (id === team.keptAs ? 'kept' : id)
    const sorted = (ids: string[]) => ids.map(stateOf).sort()

    for (const kind of KINDS)
      it(`${kind} pulls, finds and selects ${visible[kind].join(', ') || 'nothing'}`, async () => {
        const pulled = await call(kind, 'GET /v1/pull', { project: 'shared' })
        expect(sorted((pulled.value.memories ?? []).map(({ id }) => id))).toEqual(visible[kind].toSorted())
        const { value } = await call(kind, 'POST /v1/search', { query: 'zebra', project: 'shared' })
        // A deleted memory has no words.
        expect(sorted((value.hits ?? []).map(({ memory }) => memory.id))).toEqual(
          visible[kind].filter((state) => state !== 'deleted').toSorted(),
        )
        const rows = await sql(kind, (query) =>
          query<{ id: string }>(
            `SELECT m.id FROM recollect.memories m WHERE project_id = (SELECT max(project_id) FROM recollect.memories x WHERE x.id = 'accepted')`,
          ),
        ).catch((): { id: string }[] => [])
        expect(sorted(rows.map(({ id }) => id))).toEqual(visible[kind].toSorted())
      })

    it('a deleted memory keeps its place in the feed without its text', async () => {
      const { memories } = await expectOk(call('reader', 'GET /v1/pull', { project: 'shared' }))
      expect(memories.find(({ id }) => id === 'deleted')).toMatchObject({ body: null, hash: sharedHash(null), revision: 2 })
    })

    it('an admin without a right sees that projects exist, and no memory', async () => {
      expect((await expectOk(call('admin', 'GET /v1/projects', {}))).projects).toEqual([])
      expect(await sql('admin', (query) => query('SELECT 1 FROM recollect.memories'))).toEqual([])
    })

    it('members see the people of their projects without devices; admins see everyone', async () => {
      const names = async (kind: Kind) => (await expectOk(call(kind, 'GET /v1/members', {}))).members
      expect((await names('stranger')).map(({ name }) => name)).toEqual(['stranger'])
      const fellows = await names('reader')
      expect(fellows.map(({ name }) => name)).toEqual(['author', 'curator', 'heir', 'reader', 'revoked', 'writer'])
      expect(fellows.flatMap(({ devices }) => devices)).toEqual([])
      const everyone = await names('admin')
      expect(everyone.map(({ name }) => name)).toContain('stranger')
      expect(everyone.find(({ name }) => name === 'author')?.devices).toHaveLength(1)
    })
  })

  describe('pushes', () => {
    it('a push that is repeated changes nothing', async () => {
      const { push, pull } = await newProject('repeated')
      const first = await push('author', aMemory('a'), aMemory('b'))
      expect(first.results.map(({ kind }) => kind)).toEqual(['stored', 'stored'])
      const again = await push('author', aMemory('a'), aMemory('b'))
      expect(again).toEqual({ head: first.head, results: first.results.map((result) => ({ ...result, kind: 'same' })) as never })
      expect(await pull('reader')).toHaveLength(2)
    })

    it('the audit trail counts what a push did and names what it deleted; a repeated push leaves no trace', async () => {
      const { push } = await newProject('audited')
      await push('author', aMemory('a'), aMemory('b'))
      await push('author', aMemory('a'), aMemory('b'))
      await push('author', aMemory('c'), { id: 'b', kind: 'note', base: hashOf(aMemory('b')), body: null })
      const { entries } = await expectOk(call('curator', 'GET /v1/audit', { project: 'audited' }))
      expect(entries.filter(({ action }) => action === 'push').map(({ details }) => details)).toEqual([{ stored: 2 }, { stored: 2 }])
      expect(entries.filter(({ action }) => action === 'delete').map(({ memory }) => memory)).toEqual(['b'])
    })

    it('versions in one push, late and in the wrong order end with the newest', async () => {
      const { push, pull } = await newProject('reordered')
      const one = aMemory('a', { text: 'one' })
      const two = aMemory('a', { text: 'two' }, hashOf(one))
      const three = aMemory('a', { text: 'three' }, hashOf(two))
      expect((await push('author', one, two)).results).toMatchObject([
        { kind: 'stored', revision: 1 },
        { kind: 'stored', revision: 2 },
      ])
      expect((await push('author', three)).results).toMatchObject([{ kind: 'stored', revision: 3 }])
      expect((await push('author', one, two)).results.map(({ kind }) => kind)).toEqual(['same', 'same'])
      const late = aMemory('b', { text: 'two' }, hashOf(aMemory('b', { text: 'one' })))
      await push('author', late)
      expect((await push('author', aMemory('b', { text: 'one' }))).results[0]?.kind).toBe('same')
      expect((await pull('reader')).map(({ id, body }) => [id, body?.text])).toEqual([
        ['a', 'three'],
        ['b', 'two'],
      ])
    })

    it('a push of an older version does not bring a deleted memory back', async () => {
      const { push, pull } = await newProject('deleted twice')
      const one = aMemory('a')
      await push('author', one)
      await push('author', { id: 'a', kind: 'note', base: hashOf(one), body: null })
      expect((await push('author', one)).results[0]?.kind).toBe('same')
      expect((await pull('reader'))[0]?.body).toBeNull()
    })

    it('a stale base keeps both versions, once', async () => {
      const { push, pull } = await newProject('conflict')
      const one = aMemory('a', { text: 'one' })
      await push('author', one)
      await push('curator', aMemory('a', { text: 'of the curator' }, hashOf(one)))
      const mine = aMemory('a', { text: 'of the author' }, hashOf(one))
      const { results } = await push('author', mine)
      expect(results[0]).toMatchObject({ kind: 'conflict' })
      expect((await push('author', mine)).results).toEqual(results)
      const memories = await pull('reader')
      expect(memories.map(({ body, conflictOf, author }) => [body?.text, conflictOf, author.name])).toEqual([
        ['of the curator', null, 'author'],
        ['of the author', 'a', 'author'],
      ])
    })

    it('deleting a version that was not seen keeps the memory, unless no version is named', async () => {
      const { push, pull } = await newProject('stale deletion')
      const one = aMemory('a', { text: 'one' })
      await push('author', one)
      await push('curator', aMemory('a', { text: 'two' }, hashOf(one)))
      const stale = await push('author', { id: 'a', kind: 'note', base: hashOf(one), body: null })
      expect(stale.results[0]).toMatchObject({ kind: 'conflict', keptAs: 'a' })
      expect((await pull('reader'))[0]?.body?.text).toBe('two')
      await push('author', { id: 'a', kind: 'note', base: null, body: null })
      expect((await pull('reader'))[0]?.body).toBeNull()
    })

    it('a writer changes nothing that another member wrote; a curator may', async () => {
      const { push, pull } = await newProject('others')
      const one = aMemory('a')
      await push('author', one)
      for (const body of [aBody({ text: 'mine now' }), null])
        expect((await push('writer', { id: 'a', kind: 'note', base: hashOf(one), body })).results[0]).toMatchObject({ kind: 'refused' })
      expect((await push('curator', { id: 'a', kind: 'note', base: hashOf(one), body: null })).results[0]?.kind).toBe('stored')
      expect((await pull('author'))[0]?.author.name).toBe('author')
    })

    it("a member cannot take the id under which another member's version is kept", async () => {
      const { push, pull } = await newProject('squatted')
      await expectOk(call('curator', 'PATCH /v1/projects', { key: 'squatted', review: true }))
      const first = aMemory('a')
      await push('author', first)
      await expectOk(call('curator', 'POST /v1/review', { project: 'squatted', id: 'a', hash: hashOf(first), verdict: 'accepted' }))
      const pusher = { member: team.member('author').id, curates: false, review: true }
      const squatted = await push('writer', aMemory(proposalId(pusher, 'a'), { text: 'in the way' }))
      expect(squatted.results[0]).toMatchObject({ kind: 'refused' })
      expect((await push('author', aMemory('a', { text: 'better' }, hashOf(first)))).results[0]).toMatchObject({ kind: 'proposed' })
      expect((await pull('curator')).map(({ body }) => body?.text)).toContain('better')
    })

    it('a project cannot pass for another by the case of its letters', async () => {
      expect((await call('stranger', 'POST /v1/projects', { key: 'SHARED', title: '' })).status).toBe(400)
    })

    it('a memory that cannot be stored is refused, and the others of the push are stored', async () => {
      const { push, pull } = await newProject('unusable')
      const { results } = await push('author', aMemory('nul', { text: 'a\u0000b' }), aMemory('half', { title: '\ud800' }), aMemory('fine'))
      expect(results.map(({ kind }) => kind)).toEqual(['refused', 'refused', 'stored'])
      expect((await pull('reader')).map(({ id }) => id)).toEqual(['fine'])
    })

    it('SQL in every field is stored as text', async () => {
      const evil = `'; drop table recollect.memories; --`
      const { push, pull } = await newProject(evil)
      await push('author', aMemory('a', { title: evil, text: `${evil} $1 \\ %s`, tags: [evil], namespace: evil.slice(0, 40) }))
      const [memory] = await pull('reader')
      expect(memory?.body).toMatchObject({ title: evil, tags: [evil] })
      for (const query of [evil, `'`, '\\', '& | ! ( )', `a'b\\c:*`, '🦓 ½'])
        expect((await call('reader', 'POST /v1/search', { query, project: evil })).status).toBe(200)
      for (const named of [evil, `' OR true --`]) expect((await call('admin', 'POST /v1/erase', { member: named })).status).toBe(400)
      expect((await call('author', 'POST /v1/enrol', { code: evil, device: evil })).status).toBe(403)
    })

    it('requests of the wrong shape or size get a reason', async () => {
      const post = async (path: string, body: string | Uint8Array<ArrayBuffer>, method = 'POST') => {
        const headers = { authorization: `Bearer ${team.member('author').token}` }
        const response = await fetch(`${team.base}${path}`, { method, body, headers })
        await response.text()
        return response.status
      }
      const tooMany = Array.from({ length: MAX_PUSHED + 1 }, (_, i) => aMemory(`m${i}`))
      expect(await post('/v1/push', JSON.stringify({ project: 'open', memories: tooMany }))).toBe(400)
      expect(await post('/v1/push', JSON.stringify({ project: 'open', memories: [] }))).toBe(400)
      expect(await post('/v1/push', JSON.stringify({ project: 'open', memories: 'x' }))).toBe(400)
      expect(await post('/v1/push', JSON.stringify({ project: 7, memories: [aMemory('a')] }))).toBe(400)
      expect(await post('/v1/push', JSON.stringify({ project: 'open', memories: [{ ...aMemory('a'), id: 'a/b' }] }))).toBe(400)
      expect(await post('/v1/push', JSON.stringify({ project: 'open', memories: [aMemory('a')], author: 'curator' }))).toBe(400)
      expect(await post('/v1/push', 'not json')).toBe(400)
      expect(await post('/v1/push', new Uint8Array([0xff, 0xfe, 0, 1]))).toBe(400)
      expect(await post('/v1/push', '['.repeat(200_000))).toBe(400)
      expect(await post('/v1/push', ' '.repeat(9 * 1024 * 1024))).toBe(413)
      expect(await post('/v1/projects', JSON.stringify({ key: 'a\u0000b', title: '' }))).toBe(400)
      // A terminal of the operator would execute these.
      expect(await post('/v1/projects', JSON.stringify({ key: '\u001b[2j', title: '' }))).toBe(400)
      expect(await post('/v1/enrol', JSON.stringify({ code: 'x', device: 'laptop\u001b]0;x\u0007' }))).toBe(400)
      expect(await post('/v1/devices/not-an-id/revoke', '{}')).toBe(404)
      expect(await post('/v2/push', '{}')).toBe(404)
      for (const query of ['after=-1', 'after=x', `limit=${MAX_PULLED + 1}`, 'unknown=1'])
        expect(
          (
            await fetch(`${team.base}/v1/pull?project=open&${query}`, {
              headers: { authorization: `Bearer ${team.member('author').token}` },
            })
          ).status,
        ).toBe(400)
    })

    it('an author is whoever has the token: a body cannot name another', async () => {
      const { push, pull } = await newProject('authors')
      await push('writer', { ...aMemory('a'), author: { id: team.member('curator').id, name: 'curator' } } as never)
      expect((await pull('reader'))[0]?.author.name).toBe('writer')
    })
  })

  describe('review', () => {
    it('a memory is seen by others once a curator accepted it', async () => {
      const { push, pull } = await newProject('review', { review: true })
      const one = aMemory('a')
      expect((await push('author', one)).results[0]).toMatchObject({ kind: 'stored', state: 'proposed' })
      expect(await pull('reader')).toEqual([])
      const verdict = { project: 'review', id: 'a', hash: hashOf(one), verdict: 'accepted' as const }
      expect((await call('author', 'POST /v1/review', verdict)).status).toBe(403)
      const accepted = await expectOk(call('curator', 'POST /v1/review', verdict))
      expect(accepted).toMatchObject({ state: 'accepted', author: { name: 'author' } })
      expect(await expectOk(call('curator', 'POST /v1/review', verdict))).toEqual(accepted)
      expect((await pull('reader')).map(({ id }) => id)).toEqual(['a'])
      expect((await push('curator', aMemory('c'))).results[0]).toMatchObject({ state: 'accepted' })
    })

    it('a change of an accepted memory waits, and replaces it when it is accepted', async () => {
      const { push, pull } = await newProject('changes', { review: true })
      const one = aMemory('a', { text: 'one' })
      await push('author', one)
      await expectOk(call('curator', 'POST /v1/review', { project: 'changes', id: 'a', hash: hashOf(one), verdict: 'accepted' }))
      const two = aMemory('a', { text: 'two' }, hashOf(one))
      const three = aMemory('a', { text: 'three' }, hashOf(one))
      const [waiting] = (await push('author', two)).results
      expect(waiting?.kind).toBe('proposed')
      expect((await push('author', three)).results[0]).toEqual(waiting as never)
      expect((await push('author', two)).results[0]).toEqual(waiting as never)
      expect((await pull('reader')).map(({ body }) => body?.text)).toEqual(['one'])
      const keptAs = waiting?.kind === 'proposed' ? waiting.keptAs : ''
      expect(
        (await call('curator', 'POST /v1/review', { project: 'changes', id: keptAs, hash: hashOf(two), verdict: 'accepted' })).status,
      ).toBe(409)
      const replaced = await expectOk(
        call('curator', 'POST /v1/review', { project: 'changes', id: keptAs, hash: hashOf(three), verdict: 'accepted' }),
      )
      expect(replaced).toMatchObject({ id: 'a', revision: 2, hash: hashOf(three), body: { text: 'three' } })
      expect((await pull('reader')).map(({ id, body }) => [id, body?.text])).toEqual([['a', 'three']])
      expect((await pull('author')).map(({ id, body, revision }) => [id, body?.text, revision])).toEqual([
        ['a', 'three', 2],
        [keptAs, undefined, 3],
      ])
    })

    it('the author of an accepted memory deletes it without review', async () => {
      const { push, pull } = await newProject('withdrawn', { review: true })
      const one = aMemory('a')
      await push('author', one)
      await expectOk(call('curator', 'POST /v1/review', { project: 'withdrawn', id: 'a', hash: hashOf(one), verdict: 'accepted' }))
      await push('author', { id: 'a', kind: 'note', base: null, body: null })
      expect((await pull('reader'))[0]?.body).toBeNull()
    })
  })

  describe('feeds', () => {
    it('pages follow each other without gaps, in the order of numbers', async () => {
      const { push } = await newProject('pages')
      for (let i = 0; i < 5; i++) await push('author', ...Array.from({ length: 10 }, (_, j) => aMemory(`m${i}-${j}`)))
      const seen: number[] = []
      let after = 0
      for (let more = true; more; ) {
        const page = await expectOk(call('reader', 'GET /v1/pull', { project: 'pages', after, limit: 7 }))
        expect(page.memories.length).toBeLessThanOrEqual(7)
        seen.push(...page.memories.map(({ seq }) => seq))
        more = page.more
        after = more ? (seen.at(-1) ?? 0) : page.head
      }
      expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => i + 1))
      expect(after).toBe(50)
    })

    it('a page has at least one memory, so that a device always gets on', async () => {
      const { push } = await newProject('smallest page')
      await push('author', ...['a', 'b', 'c'].map((id) => aMemory(id)))
      const page = await expectOk(call('reader', 'GET /v1/pull', { project: 'smallest page', limit: 0 }))
      expect([page.memories.map(({ id }) => id), page.more]).toEqual([['a'], true])
    })

    it('a page of large memories ends early', async () => {
      const { push } = await newProject('large')
      const large = 'x'.repeat(131_072)
      for (let i = 0; i < 3; i++) await push('author', ...Array.from({ length: 40 }, (_, j) => aMemory(`m${i}-${j}`, { text: large })))
      const page = await expectOk(call('reader', 'GET /v1/pull', { project: 'large', limit: 500 }))
      expect(page.memories.length).toBeLessThan(70)
      expect(page.more).toBe(true)
      const rest = await expectOk(call('reader', 'GET /v1/pull', { project: 'large', limit: 500, after: page.memories.at(-1)?.seq }))
      expect(page.memories.length + rest.memories.length).toBe(120)
      expect(rest.more).toBe(false)
    }, 60_000)

    it('retention deletes old memories everywhere; when the tombstones are gone, an old number gets 410', async () => {
      const { push } = await newProject('retention')
      await push('author', aMemory('old'), aMemory('older'))
      await push('author', aMemory('fresh'))
      await expectOk(call('curator', 'PATCH /v1/projects', { key: 'retention', retainDays: 30 }))
      const age = (days: number, ids: string) =>
        logins.operator.query(
          `WITH t AS (SELECT set_config('session_replication_role', 'replica', true))
           UPDATE recollect.memories SET changed_at = now() - make_interval(days => $1) FROM t WHERE id = ANY ($2::text[])
           AND project_id = (SELECT id FROM recollect.projects WHERE key = 'retention')`,
          [days, ids],
        )
      await age(31, '{old,older}')
      const sweep = () =>
        logins.hub.query<{ expired: number; dropped: number }>(
          'SELECT memories_expired::int AS expired, tombstones_dropped::int AS dropped FROM recollect.sweep()',
        )
      expect(await sweep()).toEqual([{ expired: 2, dropped: 0 }])
      const { memories } = await expectOk(call('reader', 'GET /v1/pull', { project: 'retention', after: 3 }))
      expect(memories.map(({ id, body }) => [id, body])).toEqual([
        ['old', null],
        ['older', null],
      ])
      await age(91, '{old,older}')
      expect(await sweep()).toEqual([{ expired: 0, dropped: 2 }])
      const pull = (after: number, fresh = false) => call('reader', 'GET /v1/pull', { project: 'retention', after, fresh })
      expect((await pull(3)).status).toBe(410)
      expect((await pull(3, true)).status).toBe(200)
      expect((await pull(5)).status).toBe(200)
      expect((await expectOk(pull(0))).memories.map(({ id }) => id)).toEqual(['fresh'])
    })

    it('sealed items of one person reach only their own devices', async () => {
      const item = (letter: string, sealed: string | null) => ({ id: letter.repeat(64), keyId: 'feedfeedfeedfeed', sealed })
      const before = (await expectOk(call('author', 'GET /v1/own/pull', {}))).head
      const { head } = await expectOk(call('author', 'POST /v1/own/push', { items: [item('a', 'YQ=='), item('b', 'Yg==')] }))
      expect(head).toBe(before + 2)
      expect((await expectOk(call('author', 'POST /v1/own/push', { items: [item('a', 'YQ==')] }))).head).toBe(head)
      await expectOk(call('author', 'POST /v1/own/push', { items: [item('b', null), item('c', 'Yw==')] }))
      const { items } = await expectOk(call('author', 'GET /v1/own/pull', { after: before }))
      expect(items.map(({ id, sealed }) => [id[0], sealed])).toEqual([
        ['a', 'YQ=='],
        ['b', null],
        ['c', 'Yw=='],
      ])
      for (const kind of ['writer', 'curator', 'admin'] as const) {
        expect((await expectOk(call(kind, 'GET /v1/own/pull', {}))).items.filter(({ keyId }) => keyId.startsWith('feed'))).toEqual([])
        expect(await sql(kind, (query) => query(`SELECT 1 FROM recollect.sealed WHERE member_id <> recollect.me()`))).toEqual([])
      }
      // PostgreSQL would accept the second one, and the item would come back as another text.
      for (const sealed of ['not base64!', 'YQ\n==', 'YQ'])
        expect(await call('author', 'POST /v1/own/push', { items: [item('a', 'Yg=='), item('d', sealed)] })).toMatchObject({
          status: 400,
          error: 'items: sealed must be base64',
        })
      expect((await expectOk(call('author', 'GET /v1/own/pull', { after: before }))).items).toEqual(items)
    })

    it('sealed items come in pages without gaps, and the last page says that it is', async () => {
      const { call: newcomer } = await team.join('pages of sealed items')
      const pull = (after: number, limit: number) => expectOk(newcomer('GET /v1/own/pull', { after, limit }))
      expect(await pull(0, 10)).toEqual({ items: [], head: 0, more: false })
      const items = ['a', 'b', 'c', 'd', 'e'].map((letter) => ({ id: letter.repeat(64), keyId: 'feedfeedfeedfeed', sealed: 'YQ==' }))
      expect(await expectOk(newcomer('POST /v1/own/push', { items }))).toEqual({ head: 5 })
      const received: string[] = []
      const pages: [number, boolean][] = []
      let after = 0
      for (const limit of [2, 0, 2, 2]) {
        const page = await pull(after, limit)
        received.push(...page.items.map(({ id }) => id))
        pages.push([page.items.length, page.more])
        after = page.items.at(-1)?.seq ?? after
      }
      expect(pages).toEqual([
        [2, true],
        [1, true],
        [2, false],
        [0, false],
      ])
      expect(received.toSorted()).toEqual(items.map(({ id }) => id))
      expect(await pull(after, 1)).toEqual({ items: [], head: 5, more: false })
    })

    it('old deletions of sealed items are dropped, and a device that has not seen them gets 410', async () => {
      const { call: newcomer } = await team.join('old sealed deletions')
      const item = (letter: string, sealed: string | null) => ({ id: letter.repeat(64), keyId: 'feedfeedfeedfeed', sealed })
      await expectOk(newcomer('POST /v1/own/push', { items: [item('1', 'YQ=='), item('2', 'YQ==')] }))
      await expectOk(newcomer('POST /v1/own/push', { items: [item('1', null)] }))
      await logins.operator.query(
        `WITH t AS (SELECT set_config('session_replication_role', 'replica', true))
         UPDATE recollect.sealed SET changed_at = now() - interval '91 days' FROM t WHERE id = decode($1, 'hex')`,
        ['1'.repeat(64)],
      )
      await logins.hub.query('SELECT recollect.sweep()')
      const pull = (after: number, fresh = false) => newcomer('GET /v1/own/pull', { after, fresh })
      expect([(await pull(2)).status, (await pull(3)).status]).toEqual([410, 200])
      expect((await expectOk(pull(0, true))).items.map(({ id }) => id[0])).toEqual(['2'])
    })

    it('two devices cannot both replace the key', async () => {
      const heir = team.heir.call
      expect((await heir('PUT /v1/own/keys', { was: null, keyId: 'a'.repeat(16), olderKeys: 'x' })).status).toBe(200)
      expect((await heir('PUT /v1/own/keys', { was: null, keyId: 'b'.repeat(16), olderKeys: 'x' })).status).toBe(409)
      expect((await heir('PUT /v1/own/keys', { was: 'a'.repeat(16), keyId: 'c'.repeat(16), olderKeys: 'y' })).status).toBe(200)
      expect((await heir('PUT /v1/own/keys', { was: 'a'.repeat(16), keyId: 'd'.repeat(16), olderKeys: 'z' })).status).toBe(409)
      expect((await heir('PUT /v1/own/keys', { was: 'a'.repeat(16), keyId: 'c'.repeat(16), olderKeys: 'y' })).status).toBe(200)
      expect((await expectOk(heir('GET /v1/own/keys', {}))).keys).toMatchObject({ keyId: 'c'.repeat(16), olderKeys: 'y' })
    })

    it('the stream announces the feeds that a listener may read, and nothing else', async () => {
      const { push } = await newProject('streamed')
      const listen = async (kind: Kind) => {
        const abort = new AbortController()
        const response = await fetch(`${team.base}/v1/stream`, {
          headers: { authorization: `Bearer ${team.member(kind).token}` },
          signal: abort.signal,
        })
        let text = ''
        const reading = (async () => {
          for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk)
        })().catch(() => {})
        return { text: () => text, end: () => endOf(abort, reading) }
      }
      const [reader, stranger] = await Promise.all([listen('reader'), listen('stranger')])
      const { head } = await push('author', aMemory('a'))
      for (let i = 0; i < 100 && !reader.text().includes(`{"project":"streamed","head":${head}}`); i++) await Bun.sleep(50)
      expect(reader.text()).toContain(`{"project":"streamed","head":${head}}`)
      expect(stranger.text()).not.toContain('project')
      await Promise.all([reader.end(), stranger.end()])
    })
  })

  describe('members come and go', () => {
    it('a code works once and a device that is revoked is out at once', async () => {
      const { code, member } = await expectOk(
        call('admin', 'POST /v1/invites', { name: 'newcomer', grants: [{ project: 'open', may: 'read' }] }),
      )
      expect((await call('admin', 'POST /v1/invites', { name: 'NEWCOMER' })).status).toBe(409)
      const typed = code.toLowerCase().replaceAll('-', ' ')
      const newcomer = await team.enrol(typed, member)
      expect((await team.nobody('POST /v1/enrol', { code, device: 'second' })).status).toBe(403)
      expect((await newcomer.call('GET /v1/pull', { project: 'open' })).status).toBe(200)
      await expectOk(newcomer.call('POST /v1/devices/:id/revoke', { id: newcomer.device }))
      expect((await newcomer.call('GET /v1/pull', { project: 'open' })).status).toBe(401)
    })

    it('a code that a stolen device asked for ends with the device', async () => {
      const second = await team.operator.invite({ name: null, role: 'member', grants: [], hours: 1, deviceOf: 'writer' })
      const stolen = await team.enrol(second.code, team.member('writer').id)
      const { code } = await expectOk(stolen.call('POST /v1/invites', {}))
      const { code: ours } = await expectOk(call('writer', 'POST /v1/invites', {}))
      await expectOk(call('writer', 'POST /v1/devices/:id/revoke', { id: stolen.device }))
      expect((await team.nobody('POST /v1/enrol', { code, device: 'thief' })).status).toBe(403)
      expect((await team.nobody('POST /v1/enrol', { code: ours, device: 'desk' })).status).toBe(200)
    })

    it('a code that has expired does not work', async () => {
      const { code } = await team.operator.invite({ name: 'too late', role: 'member', grants: [], hours: 1, deviceOf: null })
      await logins.operator.query(`UPDATE recollect.enrolment_codes SET expires_at = now() - interval '1 second' WHERE used_at IS NULL`)
      expect((await team.nobody('POST /v1/enrol', { code, device: 'x' })).status).toBe(403)
    })

    it('a handover makes another member the author, who must be able to write', async () => {
      const { push, pull } = await newProject('handed over')
      await push('author', aMemory('a'), aMemory('b'))
      await push('writer', aMemory('c'))
      const give = (to: string, dryRun: boolean) => call('author', 'POST /v1/handover', { to, project: 'handed over', dryRun })
      // Whoever may only write could otherwise put words into another's mouth.
      expect((await give('writer', false)).status).toBe(403)
      await expectOk(call('curator', 'PUT /v1/grants', { project: 'handed over', member: 'author', may: 'curate' }))
      expect((await give('reader', false)).status).toBe(403)
      expect((await give('author', false)).status).toBe(400)
      expect((await expectOk(give('writer', true))).memories).toBe(2)
      expect((await pull('reader')).map(({ author }) => author.name)).toEqual(['author', 'author', 'writer'])
      expect((await expectOk(give('writer', false))).memories).toBe(2)
      expect((await pull('reader')).map(({ id, seq, author }) => [id, seq, author.name])).toEqual([
        ['c', 3, 'writer'],
        ['a', 4, 'writer'],
        ['b', 5, 'writer'],
      ])
    })

    it('a member who has written nothing in a project does not become the author of something in it, unless an admin says so', async () => {
      // Otherwise anybody could open a project, give a colleague the right to write there, and publish words in their name.
      const mallory = await team.join('mallory')
      await expectOk(mallory.call('POST /v1/projects', { key: 'trap', title: '' }))
      for (const [member, may] of [
        ['writer', 'curate'],
        ['reader', 'read'],
      ] as const)
        await expectOk(mallory.call('PUT /v1/grants', { project: 'trap', member, may }))
      await expectOk(mallory.call('POST /v1/push', { project: 'trap', memories: [aMemory('a', { text: 'I like it.' })] }))
      const give = (dryRun: boolean) => mallory.call('POST /v1/handover', { to: 'writer', project: 'trap', dryRun })
      expect([(await give(true)).status, (await give(false)).status]).toEqual([403, 403])
      const authors = async () =>
        (await expectOk(call('reader', 'GET /v1/pull', { project: 'trap' }))).memories.map(({ author }) => author.name)
      expect(await authors()).toEqual(['mallory'])
      // Memories that an admin handed over were not written by the member either.
      expect(await team.operator.handOver('mallory', 'writer', 'trap', false)).toBe(1)
      expect(await authors()).toEqual(['writer'])
      await expectOk(mallory.call('POST /v1/push', { project: 'trap', memories: [aMemory('b')] }))
      expect((await give(false)).status).toBe(403)
      await expectOk(call('writer', 'POST /v1/push', { project: 'trap', memories: [aMemory('c')] }))
      expect((await expectOk(give(false))).memories).toBe(1)
    })

    it('erasing a member leaves tombstones without text, name or token', async () => {
      const leaver = await team.join('leaver')
      const { pull } = await newProject('left')
      await expectOk(call('curator', 'PUT /v1/grants', { project: 'left', member: 'leaver', may: 'write' }))
      await expectOk(leaver.call('POST /v1/push', { project: 'left', memories: [aMemory('a', { text: 'personal thoughts' })] }))
      await expectOk(leaver.call('POST /v1/own/push', { items: [{ id: 'e'.repeat(64), keyId: '0123456789abcdef', sealed: 'aGk=' }] }))
      await expectOk(leaver.call('PUT /v1/own/keys', { was: null, keyId: '0123456789abcdef', olderKeys: '' }))
      expect(await expectOk(leaver.call('POST /v1/erase', { member: 'leaver' }))).toEqual({ memories: 1, devices: 1, sealed: 1 })
      expect(await expectOk(leaver.call('POST /v1/erase', { member: 'leaver', dryRun: false }))).toEqual({
        memories: 1,
        devices: 1,
        sealed: 1,
      })
      expect((await leaver.call('GET /v1/me', {})).status).toBe(401)
      expect((await pull('reader')).map(({ id, seq, body, author }) => [id, seq, body, author.name])).toEqual([['a', 2, null, '']])
      const [left] = await logins.operator.query<{ found: number }>(
        `SELECT (SELECT count(*) FROM recollect.memories WHERE words::text || coalesce(body::text, '') LIKE '%personal%')
           + (SELECT count(*) FROM recollect.members WHERE name = 'leaver') + (SELECT count(*) FROM recollect.devices WHERE member_id = $1::uuid AND (token_hash IS NOT NULL OR name <> ''))
           + (SELECT count(*) FROM recollect.sealed WHERE member_id = $1::uuid) + (SELECT count(*) FROM recollect.key_rings WHERE member_id = $1::uuid)
           + (SELECT count(*) FROM recollect.grants WHERE member_id = $1::uuid) + (SELECT count(*) FROM recollect.audit WHERE details::text LIKE '%leaver%') AS found`,
        [leaver.id],
      )
      expect(Number(left?.found)).toBe(0)
    })

    it('a member whose right was taken reads nothing more', async () => {
      const { push } = await newProject('taken')
      await push('author', aMemory('a'))
      await expectOk(call('curator', 'PUT /v1/grants', { project: 'taken', member: 'reader', may: null }))
      expect((await call('reader', 'GET /v1/pull', { project: 'taken' })).status).toBe(403)
      expect((await expectOk(call('reader', 'GET /v1/projects', {}))).projects.map(({ key }) => key)).not.toContain('taken')
    })

    it('the audit trail names actions and ids, and holds no text', async () => {
      const { entries } = await expectOk(call('admin', 'GET /v1/audit', { limit: 1000 }))
      const actions = new Set(entries.map(({ action }) => action))
      for (const action of [
        'enrol',
        'invite',
        'grant',
        'push',
        'delete',
        'accepted',
        'rejected',
        'project-created',
        'project-changed',
        'device-revoked',
        'erase',
      ])
        expect(actions).toContain(action)
      const text = JSON.stringify(entries)
      for (const secret of ['zebra', 'Favourites', 'JSON file', 'laptop', 'newcomer']) expect(text).not.toContain(secret)
    })

    it('the log of the hub holds no text, no key and no token', () => {
      const text = JSON.stringify(team.lines)
      for (const secret of ['zebra', 'shared', 'rch_', 'Memory']) expect(text).not.toContain(secret)
    })
  })

  describe("SQL as the hub's role", () => {
    const one = async (kind: Kind, text: string, values: unknown[] = []) => failure(sql(kind, (query) => query(text, values)))

    it('without a token, no member is identified and no row is seen', async () => {
      expect(await sql('nobody', (query) => query('SELECT recollect.me() AS me'))).toEqual([{ me: null }])
      for (const table of ['members', 'projects', 'grants', 'memories', 'sealed', 'key_rings', 'audit', 'devices'])
        expect(
          await sql('nobody', (query) =>
            query(`SELECT ${table === 'devices' || table === 'members' ? 'id' : '*'} FROM recollect.${table}`),
          ),
        ).toEqual([])
      expect(await one('nobody', `SELECT recollect.identify('rch_guess')`)).toBe('RC401')
      for (const kind of ['revoked', 'erased'] as const) expect(await one(kind, 'SELECT 1')).toBe('RC401')
    })

    it('an identity cannot be forged', async () => {
      const { id, device } = team.member('curator')
      for (const claim of [
        id,
        `${id}|${device}|admin`,
        `${id}|${device}|admin|`,
        `${id}|${device}|admin|${'0'.repeat(64)}`,
        `${id}|${device}|member|${sharedHash({})}`,
      ]) {
        const rows = await sql('nobody', async (query) => {
          await query(`SELECT set_config('recollect.identity', $1, true)`, [claim])
          return query(
            'SELECT recollect.me() AS me, recollect.is_admin() AS admin, (SELECT count(*)::int FROM recollect.memories) AS memories',
          )
        })
        expect(rows).toEqual([{ me: null, admin: false, memories: 0 }])
      }
    })

    it('an identity cannot be changed, nor used in another transaction', async () => {
      const identity = await sql(
        'reader',
        async (query) => (await query<{ value: string }>(`SELECT current_setting('recollect.identity') AS value`))[0]?.value ?? '',
      )
      expect(identity.split('|')).toHaveLength(4)
      const use = (value: string, kind: Kind) =>
        sql(kind, async (query) => {
          await query(`SELECT set_config('recollect.identity', $1, true)`, [value])
          return query('SELECT recollect.me() AS me, recollect.is_admin() AS admin')
        })
      const nothing = [{ me: null, admin: false }]
      expect(await use(identity, 'nobody')).toEqual(nothing)
      const changed = await sql('reader', async (query) => {
        await query(`SELECT set_config('recollect.identity', replace(current_setting('recollect.identity'), '|member|', '|admin|'), true)`)
        return query('SELECT recollect.me() AS me, recollect.is_admin() AS admin')
      })
      expect(changed).toEqual(nothing)
      const swapped = await sql('reader', async (query) => {
        await query(`SELECT set_config('recollect.identity', replace(current_setting('recollect.identity'), $1, $2), true)`, [
          team.member('reader').id,
          team.member('curator').id,
        ])
        return query('SELECT recollect.me() AS me, recollect.is_admin() AS admin')
      })
      expect(swapped).toEqual(nothing)
    })

    it('token hashes, codes, keys and internal functions are out of reach', async () => {
      for (const text of [
        'SELECT token_hash FROM recollect.devices',
        'SELECT * FROM recollect.devices',
        'SELECT own_head FROM recollect.members',
        'SELECT * FROM recollect.enrolment_codes',
        'SELECT * FROM recollect.signing_keys',
        'SELECT tombstone_days FROM recollect.hub',
        'SELECT * FROM recollect.memories_0',
        'SELECT * FROM recollect.sealed_0',
        'SELECT * FROM recollect.audit_other',
        `SELECT recollect.identity_signature('a', 'b', 'admin')`,
        'SELECT recollect.checked_identity()',
        `SELECT recollect.member_named('curator')`,
        `SELECT recollect.project_named('shared')`,
        'SELECT recollect.make_audit_partitions()',
        'SELECT recollect.manages()',
      ])
        expect([text, await one('curator', text)]).toEqual([text, DENIED])
    })

    it('tables are written only where a member may', async () => {
      const { id } = team.member('writer')
      for (const text of [
        `INSERT INTO recollect.members (name, role) VALUES ('x', 'admin')`,
        `UPDATE recollect.members SET role = 'admin'`,
        `INSERT INTO recollect.grants VALUES (1, '${id}', 'curate')`,
        `UPDATE recollect.grants SET may = 'curate'`,
        'UPDATE recollect.projects SET head = 0',
        'DELETE FROM recollect.memories',
        'DELETE FROM recollect.sealed',
        'TRUNCATE recollect.memories',
        `INSERT INTO recollect.audit (action) VALUES ('x')`,
        'DELETE FROM recollect.audit',
        'UPDATE recollect.devices SET revoked_at = NULL',
        'UPDATE recollect.hub SET version = 0',
        'ALTER TABLE recollect.memories DISABLE ROW LEVEL SECURITY',
        'DROP TABLE recollect.memories',
        'CREATE TABLE recollect.x (a int)',
        'SET ROLE recollect_owner',
        'ALTER ROLE recollect_hub BYPASSRLS',
        'GRANT recollect_owner TO recollect_hub',
      ])
        expect([text, await one('writer', text)]).toEqual([text, DENIED])
      expect(
        await failure(
          sql('writer', async (query) => {
            await query('SET LOCAL row_security = off')
            await query('SELECT * FROM recollect.memories')
          }),
        ),
      ).toBe(DENIED)
    })

    const insert = (query: Query, fields: { project?: string; author?: string; device?: string; seq?: string; state?: string }) =>
      query(
        `INSERT INTO recollect.memories (project_id, id, kind, author_id, device_id, revision, hash, state, body, seq)
         SELECT p.id, 'forged', 'note', ${fields.author ?? 'recollect.me()'}, ${fields.device ?? 'recollect.my_device()'}, 1, '\\x00', '${fields.state ?? 'accepted'}', '{}', ${fields.seq ?? 'p.head + 1'}
         FROM recollect.projects p WHERE p.key = '${fields.project ?? 'open'}'`,
      )

    it('a memory cannot be written in the name of another member or device', async () => {
      const { id, device } = team.member('curator')
      expect(await failure(sql('writer', (query) => insert(query, { author: `'${id}'` })))).toBe(DENIED)
      expect(await failure(sql('writer', (query) => insert(query, { device: `'${device}'` })))).toBe(DENIED)
      expect(await failure(sql('reader', (query) => insert(query, {})))).toBe(DENIED)
      expect(
        await failure(
          sql('nobody', (query) =>
            query(
              `INSERT INTO recollect.memories (project_id, id, kind, author_id, device_id, revision, hash, state, seq) VALUES (1, 'x', 'note', $1::uuid, $2::uuid, 1, '\\x00', 'accepted', 1)`,
              [id, device],
            ),
          ),
        ),
      ).toBe(DENIED)
      expect(await failure(sql('writer', (query) => insert(query, { project: 'shared', state: 'accepted' })))).toBe(DENIED)
    })

    it('a number that does not continue the feed is refused', async () => {
      for (const seq of ['p.head', 'p.head + 2', '1', '-1'])
        expect(['RC409', '23505']).toContain(await failure(sql('writer', (query) => insert(query, { seq }))))
    })

    it('a memory cannot change its author, project, id or kind, even by a curator', async () => {
      await expectOk(call('author', 'POST /v1/push', { project: 'open', memories: [aMemory('steady')] }))
      const head = `seq = (SELECT head + 1 FROM recollect.projects WHERE key = 'open')`
      for (const change of ['author_id = recollect.me()', `id = 'other'`, `kind = 'distilled'`, 'revision = 0', `conflict_of = 'x'`])
        expect([change, await one('curator', `UPDATE recollect.memories SET ${change}, ${head} WHERE id = 'steady'`)]).toEqual([
          change,
          'RC403',
        ])
      const rows = await sql('writer', (query) =>
        query(`UPDATE recollect.memories SET body = NULL, ${head} WHERE id = 'steady' RETURNING id`),
      )
      expect(rows).toEqual([])
    })

    it("another person's sealed items and keys are neither read nor written", async () => {
      const { id } = team.member('author')
      await expectOk(call('author', 'POST /v1/own/push', { items: [{ id: 'f'.repeat(64), keyId: '0123456789abcdef', sealed: 'aGk=' }] }))
      for (const kind of ['curator', 'admin'] as const) {
        expect(await sql(kind, (query) => query('SELECT 1 FROM recollect.sealed WHERE member_id = $1::uuid', [id]))).toEqual([])
        expect(await sql(kind, (query) => query('SELECT 1 FROM recollect.key_rings WHERE member_id = $1::uuid', [id]))).toEqual([])
        expect(
          await sql(kind, (query) => query('UPDATE recollect.sealed SET sealed = NULL WHERE member_id = $1::uuid RETURNING 1', [id])),
        ).toEqual([])
        expect(
          await one(
            kind,
            `INSERT INTO recollect.sealed (member_id, id, key_id, device_id, seq) VALUES ($1::uuid, '\\x01', 'k', recollect.my_device(), 99)`,
            [id],
          ),
        ).toBe(DENIED)
        expect(await one(kind, `INSERT INTO recollect.key_rings (member_id, key_id, older_keys) VALUES ($1::uuid, 'k', '')`, [id])).toBe(
          DENIED,
        )
      }
    })

    it('functions that write check the right themselves', async () => {
      for (const [kind, text, code] of [
        ['nobody', `SELECT recollect.create_project('x', '', false)`, 'RC401'],
        ['nobody', `SELECT recollect.record_audit('x', NULL, NULL, '{}')`, 'RC401'],
        ['stranger', `SELECT recollect.record_audit('push', 1, NULL, '{}')`, 'RC403'],
        ['writer', `SELECT recollect.record_audit('erase', 1, NULL, '{}')`, 'RC403'],
        ['writer', `SELECT recollect.add_audit('push', 1, NULL, '{}')`, DENIED],
        ['stranger', `SELECT recollect.create_project('Shared', '', false)`, '23514'],
        ['nobody', `SELECT recollect.hand_over(NULL, 'heir', NULL, false)`, 'RC401'],
        ['nobody', `SELECT recollect.erase_member('author', false)`, 'RC403'],
        ['writer', `SELECT recollect.erase_member('author', false)`, 'RC403'],
        ['writer', `SELECT recollect.disable_member('author')`, 'RC403'],
        ['writer', `SELECT recollect.hand_over('author', 'writer', NULL, false)`, 'RC403'],
        ['writer', `SELECT recollect.change_grant('open', 'writer', 'curate')`, 'RC403'],
        ['writer', `SELECT recollect.change_project('open', '{"retainDays": 1}')`, 'RC403'],
        ['writer', `SELECT recollect.invite('y', 'admin', '[]', 1, '\\x00', NULL)`, 'RC403'],
        ['writer', `SELECT recollect.invite(NULL, 'member', '[]', 1, '\\x00', 'curator')`, 'RC403'],
        ['nobody', `SELECT recollect.invite(NULL, 'member', '[]', 1, '\\x00', NULL)`, 'RC400'],
        ['reader', `SELECT recollect.lock_feed('open', 'write')`, 'RC403'],
        ['stranger', `SELECT recollect.lock_feed('open', 'read')`, 'RC403'],
      ] as const)
        expect([kind, text, await one(kind, text)]).toEqual([kind, text, code])
      for (const kind of ['stranger', 'nobody'] as const) {
        expect(await sql(kind, (query) => query(`SELECT * FROM recollect.search_candidates('zebra', '{zebra}', NULL, 10)`))).toEqual([])
        expect(await sql(kind, (query) => query(`SELECT * FROM recollect.stored_versions(1, '["accepted"]')`))).toEqual([])
        expect(
          await sql(kind, (query) =>
            query(`SELECT * FROM recollect.author_names(jsonb_build_array(jsonb_build_array(1, $1::text)))`, [team.member('author').id]),
          ),
        ).toEqual([])
      }
    })

    it('the statistics of words tell nothing to someone without a token', async () => {
      const { push } = await newProject('words')
      for (let batch = 0; batch < 3; batch++)
        await push('author', ...Array.from({ length: 200 }, (_, n) => aMemory(`w${batch}-${n}`, { text: `The quagga number ${n}` })))
      await logins.operator.query('ANALYZE recollect.memories')
      const words = (kind: Kind) =>
        sql(kind, async (query) => (await query<{ word: string }>('SELECT word FROM recollect.common_words()')).map(({ word }) => word))
      expect(await words('reader')).toContain('quagga')
      expect(await words('nobody')).toEqual([])
    })

    it('a page of a feed is read in the order of its index, also without statistics', async () => {
      const { push } = await newProject('long')
      for (let batch = 0; batch < 4; batch++) await push('author', ...Array.from({ length: 200 }, (_, n) => aMemory(`l${batch}-${n}`)))
      const [row] = await sql('reader', async (query) => {
        // Sorting looks cheap, as it does to PostgreSQL when a feed grew faster than its statistics.
        await query('SET LOCAL random_page_cost = 1000')
        const [feed] = await query<{ id: number }>(`SELECT id, ${IN_FEED_ORDER} FROM recollect.projects WHERE key = 'long'`)
        return query<{ 'QUERY PLAN': unknown }>(`EXPLAIN (ANALYZE, FORMAT JSON) ${FEED_PAGE}`, [feed?.id, 0, 11, 1_000_000])
      })
      const plan = JSON.stringify(row?.['QUERY PLAN'])
      const scans = [...plan.matchAll(/"Relation Name":"memories_\d+".*?"Actual Rows":([\d.]+)/g)].map(([, rows]) => Number(rows))
      expect(scans).toEqual([11])
    })

    it('an operator of the same name in another schema does not switch a check off', async () => {
      await expectOk(call('author', 'POST /v1/push', { project: 'open', memories: [aMemory('guarded')] }))
      // As in a database that was upgraded from PostgreSQL 14, where every role may create objects in the schema public.
      await logins.operator.query('GRANT CREATE ON SCHEMA public TO recollect_hub')
      const changed = sql('curator', async (query) => {
        await query(`CREATE FUNCTION public.never(a uuid, b uuid) RETURNS boolean LANGUAGE sql AS 'SELECT false'`)
        await query('CREATE OPERATOR public.<> (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = public.never)')
        await query('SET LOCAL search_path = public, pg_catalog')
        return query(`UPDATE recollect.memories SET author_id = recollect.me(), seq = (SELECT head + 1 FROM recollect.projects WHERE key = 'open')
          WHERE id = 'guarded'`)
      })
      expect(await failure(changed)).toBe('RC403')
      await logins.operator.query('REVOKE CREATE ON SCHEMA public FROM recollect_hub')
    })

    it('a temporary table of the same name does not stand in for a real one', async () => {
      const rows = await sql('stranger', async (query) => {
        await query('CREATE TEMPORARY TABLE grants (project_id int, member_id uuid, may text) ON COMMIT DROP')
        await query(`INSERT INTO pg_temp.grants SELECT n, recollect.me(), 'curate' FROM generate_series(1, 100) n`)
        return query(`SELECT recollect.my_projects('read') AS projects, (SELECT count(*)::int FROM recollect.memories) AS memories`)
      })
      expect(rows).toEqual([{ projects: [], memories: 0 }])
    })

    it('every table forces row level security, and every function that decides something has a fixed search path', async () => {
      const open = await logins.operator.query(
        `SELECT relname::text FROM pg_class WHERE relnamespace = 'recollect'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND NOT (relrowsecurity AND relforcerowsecurity)`,
      )
      expect(open).toEqual([])
      const unpinned = await logins.operator.query(
        `SELECT proname::text FROM pg_proc WHERE pronamespace = 'recollect'::regnamespace AND (prosecdef OR prorettype = 'trigger'::regtype) AND NOT coalesce('search_path=recollect, pg_temp' = ANY (proconfig), false)`,
      )
      expect(unpinned).toEqual([])
      const forPublic = await logins.operator.query(
        `SELECT p.proname::text FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a WHERE p.pronamespace = 'recollect'::regnamespace AND a.grantee = 0`,
      )
      expect(forPublic).toEqual([])
      const tables = await logins.operator.query(
        `SELECT c.relname::text FROM pg_class c, aclexplode(c.relacl) a WHERE c.relnamespace = 'recollect'::regnamespace AND c.relispartition AND a.grantee <> c.relowner`,
      )
      expect(tables).toEqual([])
    })
  })
}

async function endOf(abort: AbortController, reading: Promise<void>): Promise<void> {
  abort.abort()
  await reading
}
