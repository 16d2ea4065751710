import { expect, test } from 'bun:test'
import { addObservations, observation, openSession, temporaryStore } from '../../test/support/builders.ts'
import { asContentSessionId, asProjectKey } from '../core/ids.ts'

const known = { transcript: null, clientPid: null }

test('a session is opened once per agent and content id, and keeps what it was opened with', async () => {
  using t = await temporaryStore()
  const open = (agent: 'claude-code' | 'codex', folder: string) =>
    t.store.sessions.open({
      agent,
      contentSessionId: asContentSessionId('s1'),
      project: asProjectKey('app'),
      folder,
      branch: null,
      at: 1000,
      ...known,
    })
  const first = await open('claude-code', '/a')
  const again = await open('claude-code', '/b')
  const other = await open('codex', '/c')
  expect([first.opened, again.opened, other.opened]).toEqual([true, false, true])
  expect([again.session.id, again.session.folder]).toEqual([first.session.id, '/a'])
  expect(other.session.id).not.toBe(first.session.id)
  expect(await t.store.sessions.find('gemini', asContentSessionId('s1'))).toBeNull()
})

test('events in any order widen the time of a session, and forget nothing that an earlier one knew', async () => {
  using t = await temporaryStore()
  const { id } = await openSession(t.store, 's1', 1000)
  await t.store.sessions.touch(id, { at: 5000, transcript: '/t.jsonl', clientPid: 7 })
  await t.store.sessions.touch(id, { at: 200, ...known })
  expect(await t.store.sessions.get(id)).toMatchObject({ startedAt: 200, lastEventAt: 5000, transcript: '/t.jsonl', clientPid: 7 })
})

test('a session is completed once, and goes on when it is resumed', async () => {
  using t = await temporaryStore()
  const { id } = await openSession(t.store)
  expect((await t.store.sessions.notCompleted()).map((session) => session.id)).toEqual([id])
  expect([await t.store.sessions.complete(id, 2000), await t.store.sessions.complete(id, 3000)]).toEqual([true, false])
  expect(await t.store.sessions.get(id)).toMatchObject({ status: 'completed', endedAt: 2000 })
  expect(await t.store.sessions.notCompleted()).toEqual([])
  await t.store.sessions.activate(id)
  expect(await t.store.sessions.get(id)).toMatchObject({ status: 'active', endedAt: null })
})

test('the beginning of a content id finds an exact match first, then the newest', async () => {
  using t = await temporaryStore()
  for (const id of ['ab-2', 'ab', 'ab-1', 'ac', 'AB', 'ab%']) await openSession(t.store, id)
  const found = async (prefix: string, limit = 9) =>
    (await t.store.sessions.withIdPrefix(prefix, limit)).map(({ contentSessionId }) => String(contentSessionId))
  expect(await found('ab')).toEqual(['ab', 'ab%', 'ab-1', 'ab-2'])
  expect(await found('ab', 2)).toEqual(['ab', 'ab%'])
  expect(await found('b')).toEqual([])
})

test('the first fork and its parent count, and the answer nearest in time is the parent', async () => {
  using t = await temporaryStore()
  const [near, far, fork] = [await openSession(t.store, 'near'), await openSession(t.store, 'far'), await openSession(t.store, 'fork')]
  for (const [session, answeredAt] of [
    [near, 5100],
    [far, 6500],
  ] as const) {
    const added = await t.store.transaction(() =>
      t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'x', at: 5000 }),
    )
    if (added) await t.store.transaction(() => t.store.prompts.setAnswer(added, 'Yes.', answeredAt))
  }
  const parent = async (at: number, within: number) =>
    (await t.store.sessions.findAnsweredAt(fork, at, within))?.contentSessionId.toString() ?? null
  expect([await parent(5000, 3000), await parent(6400, 3000), await parent(9000, 100)]).toEqual(['near', 'far', null])
  await t.store.sessions.markForked(fork.id, 5000, near.id)
  await t.store.sessions.markForked(fork.id, 7000, far.id)
  expect(await t.store.sessions.get(fork.id)).toMatchObject({ forkedAt: 5000, forkedFrom: near.id })
})

test('a private prompt mutes its turn by its id; events without an id follow the state of the session', async () => {
  using t = await temporaryStore()
  const { id } = await openSession(t.store)
  const muted = async () => [
    await t.store.sessions.isMuted(id, 'p1'),
    await t.store.sessions.isMuted(id, 'p2'),
    await t.store.sessions.isMuted(id, null),
  ]
  expect([await muted(), await t.store.sessions.hasPrivate(id)]).toEqual([[false, false, false], false])
  await t.store.sessions.setMuting(id, true, 'p1')
  expect(await muted()).toEqual([true, false, true])
  await t.store.sessions.setMuting(id, false, 'p2')
  expect([await muted(), await t.store.sessions.hasPrivate(id)]).toEqual([[true, false, false], true])
})

test('a page of sessions has the latest first, with counts and the total', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'one' }), observation({ title: 'two' })], 'busy')
  for (const [name, at] of [
    ['old', 500],
    ['new', 9000],
  ] as const)
    await openSession(t.store, name, at)
  await openSession(t.store, 'elsewhere', 9999, asProjectKey('other'))
  const { total, sessions } = await t.store.sessions.page(asProjectKey('app'), null, 2, 1)
  expect(total).toBe(3)
  expect(sessions.map(({ contentSessionId, observations }) => [String(contentSessionId), observations])).toEqual([
    ['busy', 2],
    ['old', 0],
  ])
  expect((await t.store.sessions.page(null, 'codex', 9, 0)).total).toBe(0)
  expect((await t.store.sessions.projects()).map(({ project, sessions }) => [String(project), sessions])).toEqual([
    ['other', 1],
    ['app', 3],
  ])
})

test('removing a session removes everything that belongs to it', async () => {
  using t = await temporaryStore()
  const session = await addObservations(t.store, [observation({ title: 'Herons nest here' })])
  const scope = { project: null, kinds: ['observation' as const], since: 0, before: Number.MAX_SAFE_INTEGER, limit: 9 }
  expect(await t.store.documents.match(['herons'], scope)).toHaveLength(1)
  await t.store.transaction(() => t.store.sessions.remove(session.id))
  expect(await t.store.documents.match(['herons'], scope)).toEqual([])
  expect([...t.store.observations.each(null)]).toEqual([])
})
