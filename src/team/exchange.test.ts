import { expect, test } from 'bun:test'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { aLaptop } from '../../test/support/laptop.ts'
import { scriptedHub } from '../../test/support/scripted-hub.ts'
import { filesWith } from '../../test/support/team-flow.ts'
import { asProjectKey, GLOBAL_PROJECT } from '../core/ids.ts'
import { asNoteId, type Note } from '../core/note.ts'
import { changeNote, forgetNote, type NoteDraft, purgeNote, reindex, restoreNote, saveNote } from '../notes/notes.ts'
import { filesBelow } from '../platform/folder.ts'
import type { SharedMemory } from '../wire/contract/hub.ts'
import {
  conflicts,
  resolveConflict,
  review,
  reviewQueue,
  shareNote,
  shareProject,
  teamState,
  withdrawNote,
  withdrawProject,
} from './team.ts'

const harbour = asProjectKey('harbour')

type Laptop = Awaited<ReturnType<typeof aLaptop>>

async function note(laptop: Laptop, body: string, draft: Partial<NoteDraft> = {}): Promise<Note> {
  const { receipt } = await saveNote(laptop.book, { body, project: harbour, source: 'human', ...draft }, Date.now())
  if (receipt.kind === 'refused') throw new Error(receipt.reason)
  return receipt.note
}

const share = (laptop: Laptop, policy: 'notes' | 'notes+distilled' = 'notes') => shareProject(laptop.context, harbour, policy, 'Harbour')

const titles = (notes: Note[]) => notes.map(({ title }) => title)

/** Two members of one project; the first shares it. */
async function twoMembers() {
  const hub = scriptedHub()
  hub.add('ada', { harbour: 'write' })
  hub.add('ben', { harbour: 'write' })
  const ada = await aLaptop(hub, 'ada')
  const ben = await aLaptop(hub, 'ben')
  return {
    hub,
    ada,
    ben,
    [Symbol.dispose]: () => {
      for (const one of [ada, ben, hub]) one[Symbol.dispose]()
    },
  }
}

test('a note of a shared project becomes a copy with its author on another laptop, and is found there', async () => {
  using t = await twoMembers()
  await note(t.ada, 'The tide tables come from the harbour master.')
  await share(t.ada)
  expect(await t.ada.exchange()).toEqual({ kind: 'exchanged', sent: 1 })
  await t.ben.exchange()
  const [copy] = await t.ben.copies('harbour')
  expect(copy).toMatchObject({ author: 'ada', scope: 'local', source: 'import', body: 'The tide tables come from the harbour master.' })
  expect(await t.ben.find('tide tables', harbour)).toEqual([String(copy?.id)])
  // Again and again: still one.
  await t.ada.exchange()
  await t.ben.exchange()
  expect(await t.ben.copies('harbour')).toHaveLength(1)
  expect(t.hub.pushes).toHaveLength(1)
})

test('nothing is sent before a project is shared', async () => {
  using t = await twoMembers()
  await note(t.ada, 'A secret plan')
  await t.ada.exchange()
  expect(t.hub.pushes).toEqual([])
  expect(await (await t.ada.store.team()).outboxSize()).toBe(0)
})

test('session notes, proposals, local and global notes, imports and copies stay here', async () => {
  using t = await twoMembers()
  await share(t.ben)
  await note(t.ben, 'from ben')
  await t.ben.exchange()
  await share(t.ada)
  await note(t.ada, 'wanted')
  await note(t.ada, 'about a session', { type: 'episodic' })
  await note(t.ada, 'only proposed', { state: 'proposed' })
  await note(t.ada, 'only for this machine', { scope: 'local' })
  await note(t.ada, 'for all projects', { project: GLOBAL_PROJECT })
  await note(t.ada, 'from another program', { source: 'import' })
  await note(t.ada, 'by a model', { source: 'reflection' })
  await note(t.ada, 'of another project', { project: asProjectKey('quay') })
  await t.ada.exchange()
  await t.ada.exchange()
  expect(t.hub.feed('harbour').map(({ body }) => body?.text)).toEqual(['from ben', 'wanted'])
  expect(titles(await t.ada.copies('harbour'))).toEqual(['from ben'])
})

test('private parts and secrets are removed before anything is sent', async () => {
  using t = await twoMembers()
  await share(t.ada)
  await note(t.ada, 'The key is AKIAIOSFODNN7EXAMPLE <private>and the code is 4711</private> for tests.')
  await t.ada.exchange()
  const sent = JSON.stringify(t.hub.pushes)
  expect(sent).not.toContain('AKIAIOSFODNN7EXAMPLE')
  expect(sent).not.toContain('4711')
  expect(t.hub.pushes).toHaveLength(1)
})

test('a proposal is sent when the person accepts it, and taken back when it is only local again', async () => {
  using t = await twoMembers()
  await share(t.ada)
  const one = await note(t.ada, 'We deploy on Mondays', { state: 'proposed' })
  await t.ada.exchange()
  expect(t.hub.pushes).toEqual([])
  await changeNote(t.ada.book, one.id, { state: 'accepted' }, Date.now())
  await t.ada.exchange()
  await t.ben.exchange()
  expect(titles(await t.ben.copies('harbour'))).toEqual(['We deploy on Mondays'])
  await changeNote(t.ada.book, one.id, { scope: 'local' }, Date.now())
  await t.ada.exchange()
  await t.ben.exchange()
  expect(await t.ben.copies('harbour')).toEqual([])
})

test('an edit reaches the copy, whatever the clocks say', async () => {
  using t = await twoMembers()
  await share(t.ada)
  const one = await note(t.ada, 'The port is 1', { title: 'The port' })
  await t.ada.exchange()
  await t.ben.exchange()
  // Her clock went back.
  await changeNote(t.ada.book, one.id, { body: 'The port is 2' }, Date.now() - 86_400_000)
  await t.ada.exchange()
  await t.ben.exchange()
  expect((await t.ben.copies('harbour')).map(({ body }) => body)).toEqual(['The port is 2'])
})

test.each([
  ['forgets', (laptop: Laptop, id: string) => forgetNote(laptop.book, asNoteId(id), Date.now())],
  ['deletes for good', (laptop: Laptop, id: string) => purgeNote(laptop.book, asNoteId(id), Date.now())],
  ['withdraws', (laptop: Laptop, id: string) => withdrawNote(laptop.context, asNoteId(id))],
])('a note that a person %s is gone from the hub and from every laptop', async (_, remove) => {
  using t = await twoMembers()
  await share(t.ada)
  const one = await note(t.ada, 'The zanzibarian anchor')
  await t.ada.exchange()
  await t.ben.exchange()
  expect(await t.ben.copies('harbour')).toHaveLength(1)
  await remove(t.ada, one.id)
  await t.ada.exchange()
  await t.ben.exchange()
  expect(t.hub.feed('harbour').map(({ body }) => body)).toEqual([null])
  expect(await t.ben.copies('harbour')).toEqual([])
  expect(await t.ben.find('zanzibarian', harbour)).toEqual([])
  for (const { path } of filesBelow(join(t.ben.folder, 'local'), ['.md'])) expect(readFileSync(path, 'utf8')).not.toContain('zanzibarian')
  // It is not shared again by itself.
  await t.ada.exchange()
  expect(t.hub.feed('harbour').map(({ body }) => body)).toEqual([null])
})

test('no byte of an earlier version of a copy stays after its author deleted it', async () => {
  using t = await twoMembers()
  await share(t.ada)
  // Long enough for pages of its own in the database.
  const long = (word: string) => `${word} `.repeat(3000)
  const one = await note(t.ada, long('zanzibarian'))
  await t.ada.exchange()
  await t.ben.exchange()
  await changeNote(t.ada.book, one.id, { body: long('madagascan') }, Date.now())
  await t.ada.exchange()
  await t.ben.exchange()
  expect(filesWith(t.ben.folder, 'madagascan madagascan')).not.toEqual([])
  await forgetNote(t.ada.book, one.id, Date.now())
  await t.ada.exchange()
  await t.ben.exchange()
  for (const word of ['zanzibarian', 'madagascan']) expect([word, filesWith(t.ben.folder, `${word} ${word}`)]).toEqual([word, []])
})

test('a note that no hub accepts is named, and the others are sent', async () => {
  using t = await twoMembers()
  await share(t.ada)
  const front = 'id: by-hand\ntype: semantic\ntitle: By hand\nnamespace: context\nsource: human\nsupersedes: ["not an id"]'
  t.ada.write('memory/harbour/by-hand.md', `---\n${front}\n---\n\nWritten by hand\n`)
  await reindex(t.ada.book)
  await note(t.ada, 'Ordinary')
  await t.ada.exchange()
  expect(t.hub.feed('harbour').map(({ body }) => body?.title)).toEqual(['Ordinary'])
  const state = await teamState(t.ada.home, t.ada.store, '')
  if (state.kind !== 'joined') throw new Error('not joined')
  expect(state.waiting).toBe(0)
  expect(state.problems.map(({ title, problem }) => [title, problem.slice(0, 41)])).toEqual([
    ['By hand', 'a hub does not accept it: supersedes.0: I'],
  ])
})

test('a restored note is shared again', async () => {
  using t = await twoMembers()
  await share(t.ada)
  const one = await note(t.ada, 'Back and forth')
  await t.ada.exchange()
  await forgetNote(t.ada.book, one.id, Date.now())
  await t.ada.exchange()
  await restoreNote(t.ada.book, one.id, Date.now())
  await t.ada.exchange()
  await t.ben.exchange()
  expect(titles(await t.ben.copies('harbour'))).toEqual(['Back and forth'])
})

test('a withdrawn project is empty on the hub, and its notes stay here', async () => {
  using t = await twoMembers()
  await share(t.ada)
  await note(t.ada, 'one')
  await note(t.ada, 'two, which is another note')
  await t.ada.exchange()
  await t.ben.exchange()
  await withdrawProject(t.ada.context, 'harbour')
  await t.ben.exchange()
  expect(await t.ben.copies('harbour')).toEqual([])
  expect([...t.ada.store.notes.each(harbour)]).toHaveLength(2)
  await note(t.ada, 'three, after the withdrawal')
  await t.ada.exchange()
  expect(t.hub.feed('harbour').filter(({ body }) => body !== null)).toEqual([])
})

test('a global note travels only when it is shared by hand', async () => {
  using t = await twoMembers()
  await share(t.ada)
  const global = await note(t.ada, 'Always use tabs', { project: GLOBAL_PROJECT })
  await t.ada.exchange()
  expect(t.hub.pushes).toEqual([])
  await shareNote(t.ada.context, global, harbour, 'Harbour')
  await t.ada.exchange()
  await t.ben.exchange()
  expect(await t.ben.copies('harbour')).toMatchObject([{ body: 'Always use tabs', author: 'ada', project: 'harbour' }])
})

test('an excluded project is neither sent nor received', async () => {
  using t = await twoMembers()
  await share(t.ada)
  await note(t.ada, 'before')
  await t.ada.exchange()
  t.ben.excluded.add('harbour')
  await t.ben.exchange()
  expect(await t.ben.copies('harbour')).toEqual([])
  t.ada.excluded.add('harbour')
  await note(t.ada, 'after the exclusion')
  await t.ada.exchange()
  expect(JSON.stringify(t.hub.pushes)).not.toContain('after the exclusion')
})

test('after days offline everything arrives once', async () => {
  using t = await twoMembers()
  await share(t.ada)
  t.hub.play(() => new Response('bad gateway', { status: 502 }))
  for (let n = 0; n < 230; n++) await note(t.ada, `Fact number ${n} about the harbour wall`, { id: asNoteId(`fact-${n}`), apart: true })
  expect((await t.ada.exchange()).kind).toBe('unreachable')
  t.hub.play(() => undefined)
  await t.ada.exchange()
  await t.ada.exchange()
  await t.ben.exchange()
  expect(t.hub.feed('harbour')).toHaveLength(230)
  expect(await t.ben.copies('harbour')).toHaveLength(230)
  expect(await (await t.ada.store.team()).outboxSize()).toBe(0)
}, 300_000)

test('a push whose answer was lost is repeated and changes nothing', async () => {
  using t = await twoMembers()
  await share(t.ada)
  const one = await note(t.ada, 'Sent twice')
  await t.ada.exchange()
  // As if the worker had died before it stored the answer.
  const team = await t.ada.store.team()
  const [row] = await team.sharedOf('note', one.id)
  if (!row) throw new Error('the note is not shared')
  await t.ada.store.transaction(async () => {
    await team.putShared({ ...row, hash: null, sent: null })
    await team.queue('note', one.id)
  })
  await t.ada.exchange()
  expect(t.hub.feed('harbour').map(({ revision, conflictOf }) => ({ revision, conflictOf }))).toEqual([{ revision: 1, conflictOf: null }])
  expect(await team.outboxSize()).toBe(0)
})

test('lost rights remove the copies, and returned rights bring them back', async () => {
  using t = await twoMembers()
  await share(t.ada)
  await note(t.ada, 'For members only')
  await t.ada.exchange()
  await t.ben.exchange()
  const ben = t.hub.add('ben', {})
  await t.ben.exchange()
  expect(await t.ben.copies('harbour')).toEqual([])
  ben.may.set('harbour', 'read')
  await t.ben.exchange()
  expect(titles(await t.ben.copies('harbour'))).toEqual(['For members only'])
})

test('a lost membership removes all copies', async () => {
  using t = await twoMembers()
  await share(t.ada)
  await note(t.ada, 'For members only')
  await t.ada.exchange()
  await t.ben.exchange()
  t.hub.remove('ben')
  expect((await t.ben.exchange()).kind).toBe('lost')
  expect(await t.ben.copies('harbour')).toEqual([])
})

test('after 410 the feed is read again, and what is gone from it goes', async () => {
  using t = await twoMembers()
  await share(t.ada)
  const gone = await note(t.ada, 'Gone by then')
  await note(t.ada, 'Still there')
  await t.ada.exchange()
  await t.ben.exchange()
  expect(await t.ben.copies('harbour')).toHaveLength(2)
  const feed = t.hub.feed('harbour')
  feed.splice(
    feed.findIndex(({ body }) => body?.title === gone.title),
    1,
  )
  t.hub.forgetUpTo('harbour', 99)
  await t.ben.exchange()
  expect(titles(await t.ben.copies('harbour'))).toEqual(['Still there'])
})

test('a copy that the person forgot stays forgotten when its author changes it', async () => {
  using t = await twoMembers()
  await share(t.ada)
  const one = await note(t.ada, 'Noise')
  await t.ada.exchange()
  await t.ben.exchange()
  const [copy] = await t.ben.copies('harbour')
  await forgetNote(t.ben.book, asNoteId(String(copy?.id)), Date.now())
  await changeNote(t.ada.book, one.id, { body: 'More noise' }, Date.now())
  await t.ada.exchange()
  await t.ben.exchange()
  expect(await t.ben.copies('harbour')).toEqual([])
})

test('if a project requires review, a proposal counts only after a curator accepted it', async () => {
  using t = await twoMembers()
  t.hub.requireReview()
  t.hub.add('cora', { harbour: 'curate' })
  using cora = await aLaptop(t.hub, 'cora')
  await share(t.ada)
  await note(t.ada, 'Is this right?')
  await t.ada.exchange()
  await t.ben.exchange()
  await cora.exchange()
  expect([await t.ben.copies('harbour'), await cora.copies('harbour')]).toEqual([[], []])
  expect(await cora.find('right', harbour)).toEqual([])
  const [waiting] = await reviewQueue(cora.store)
  if (!waiting) throw new Error('nothing waits')
  expect(waiting).toMatchObject({ title: 'Is this right?', author: 'ada' })
  await review(cora.context, { ...waiting, verdict: 'accepted' })
  await t.ben.exchange()
  expect([titles(await t.ben.copies('harbour')), titles(await cora.copies('harbour'))]).toEqual([['Is this right?'], ['Is this right?']])
  expect(await reviewQueue(cora.store)).toEqual([])
})

test.each(['mine', 'theirs'] as const)('a conflict keeps both versions until the person chooses %s', async (choice) => {
  using t = await twoMembers()
  await share(t.ada)
  const one = await note(t.ada, 'The port is 1', { title: 'Port' })
  await t.ada.exchange()
  const [stored] = t.hub.feed('harbour')
  if (!stored?.body) throw new Error('not stored')
  // Another device of hers changed it meanwhile.
  t.hub.put('harbour', { ...stored, seq: 7, hash: 'b'.repeat(64), body: { ...stored.body, text: 'The port is 2' } })
  await changeNote(t.ada.book, one.id, { body: 'The port is 3' }, Date.now())
  await t.ada.exchange()
  await t.ada.exchange()
  expect((await t.ada.store.notes.get(one.id))?.body).toBe('The port is 3')
  const found = await conflicts(t.ada.store)
  expect(found).toMatchObject([{ isOwn: true, current: { text: 'The port is 2' } }])
  expect(t.hub.feed('harbour').map(({ body }) => body?.text)).toEqual(['The port is 2', 'The port is 3'])
  expect(await resolveConflict(t.ada.context, 'harbour', String(found[0]?.id), choice)).toBe(true)
  await t.ada.exchange()
  await t.ben.exchange()
  const chosen = choice === 'mine' ? 'The port is 3' : 'The port is 2'
  expect(await conflicts(t.ada.store)).toEqual([])
  expect((await t.ada.store.notes.get(one.id))?.body).toBe(chosen)
  expect((await t.ben.copies('harbour')).map(({ body }) => body)).toEqual([chosen])
})

test('the state says what waits, without the network', async () => {
  using t = await twoMembers()
  await share(t.ada)
  await note(t.ada, 'Waiting')
  t.hub.play(() => Response.json({ error: 'down' }, { status: 503 }))
  await t.ada.exchange()
  expect(await teamState(t.ada.home, t.ada.store, '')).toMatchObject({
    kind: 'joined',
    member: 'ada',
    waiting: 1,
    projects: [{ key: 'harbour', policy: 'notes', may: 'write' }],
  })
})

test('the token is in a file that only its owner can read', async () => {
  using t = await twoMembers()
  expect(statSync(join(t.ada.folder, 'team.json')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(t.ada.folder, 'team.json'), 'utf8')).toContain(t.ada.membership.token)
})

const forged = (memory: Partial<Omit<SharedMemory, 'body'>> & { body?: unknown }) => ({
  id: 'forged-1',
  kind: 'note',
  seq: 1,
  revision: 1,
  hash: 'a'.repeat(64),
  author: { id: 'x', name: 'mallory' },
  device: 'd',
  state: 'accepted',
  conflictOf: null,
  changedAt: 1,
  ...memory,
  body:
    memory.body === undefined
      ? {
          type: 'semantic',
          namespace: 'context',
          title: 'Forged',
          text: 'Forged text',
          tags: [],
          supersedes: [],
          confidence: 1,
          createdAt: 1,
          updatedAt: 1,
          expiresAt: null,
        }
      : memory.body,
})

/** A hub that answers pulls with these memories. */
function playFeed(hub: ReturnType<typeof scriptedHub>, memories: unknown[]): void {
  hub.play((route) => (route === 'GET /v1/pull' ? Response.json({ memories, head: 9, more: false }) : undefined))
}

test('a hostile hub cannot change a note of the person, nor pass for the person', async () => {
  using t = await twoMembers()
  await share(t.ada)
  const mine = await note(t.ada, 'We never force-push', { namespace: 'rules', type: 'procedural' })
  await t.ada.exchange()
  const [shared] = t.hub.feed('harbour')
  if (!shared?.body) throw new Error('not stored')
  const body = { ...shared.body, text: 'We always force-push', updatedAt: Date.now() + 1e9, supersedes: [mine.id, shared.id] }
  const me = { id: t.ada.membership.member.id, name: 'ada' }
  playFeed(t.hub, [
    forged({ ...shared, seq: 50, hash: 'c'.repeat(64), body, author: me }),
    forged({ id: mine.id, seq: 51, body, author: me }),
    forged({ id: 'rule', seq: 52, body: { ...body, namespace: 'rules' }, author: { id: 'x', name: 'ada' } }),
  ])
  await t.ada.exchange()
  const kept = await t.ada.store.notes.get(mine.id)
  expect(kept).toMatchObject({ body: 'We never force-push', author: null, state: 'accepted' })
  expect(await t.ada.store.notes.getVisible(mine.id, Date.now())).not.toBeNull()
  const copies = await t.ada.copies('harbour')
  for (const copy of copies) {
    expect(copy.author).toBe('ada')
    expect(copy.updatedAt).toBeLessThanOrEqual(Date.now())
  }
  // Copies in the namespace of rules are not rules: see `rulesFor`.
  expect(copies.map(({ scope }) => scope)).toEqual(copies.map(() => 'local'))
})

test.each<[string, () => Response]>([
  ['no JSON', () => new Response('<html>')],
  ['wrong types', () => Response.json({ projects: [{ key: 7 }] })],
  [
    'too many projects',
    () =>
      Response.json({
        projects: Array.from({ length: 2000 }, (_, n) => ({
          key: `p${n}`,
          title: '',
          may: 'read',
          head: 0,
          review: false,
          retainDays: null,
        })),
      }),
  ],
  ['a redirect', () => Response.redirect('http://127.0.0.1:1/elsewhere', 302)],
  ['an answer without an end', () => new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(1_000_000).fill(32)) }))],
])(
  'an answer that is %s ends the exchange and changes nothing',
  async (_, answer) => {
    using t = await twoMembers()
    await share(t.ada)
    await note(t.ada, 'Mine')
    await t.ada.exchange()
    await t.ben.exchange()
    t.hub.play(answer)
    expect(await t.ben.exchange()).toMatchObject({ kind: 'unreachable' })
    expect(await t.ben.copies('harbour')).toHaveLength(1)
  },
  300_000,
)

test('one memory of the feed that cannot be used stops the page, not the laptop', async () => {
  using t = await twoMembers()
  playFeed(t.hub, [forged({ body: { title: 7 } })])
  expect(await t.ben.exchange()).toMatchObject({ kind: 'unreachable', reason: expect.stringContaining('cannot be used') })
})

test('a feed without an end is read in parts', async () => {
  using t = await twoMembers()
  let seq = 0
  t.hub.play((route) =>
    route === 'GET /v1/pull'
      ? Response.json({ memories: [forged({ id: `n-${seq}`, seq: ++seq, body: null })], head: seq + 1, more: true })
      : undefined,
  )
  expect(await t.ben.exchange()).toMatchObject({ kind: 'exchanged' })
  expect(seq).toBeLessThanOrEqual(200)
}, 300_000)

test('a hub cannot put copies into every project', async () => {
  using t = await twoMembers()
  t.hub.add('ben', { global: 'read', harbour: 'read' })
  t.hub.put('global', {
    id: 'g',
    kind: 'note',
    author: { id: 'x', name: 'x' },
    device: 'd',
    state: 'accepted',
    conflictOf: null,
    body: forged({}).body as never,
  })
  await t.ben.exchange()
  expect(await t.ben.copies('global')).toEqual([])
})

test('a project whose name is too long for a folder is left out, and the others are received', async () => {
  using t = await twoMembers()
  const long = 'ü'.repeat(60)
  t.hub.add('ben', { [long]: 'read', harbour: 'read' })
  for (const key of [long, 'harbour']) t.hub.put(key, { ...forged({}), kind: 'note', state: 'accepted', body: forged({}).body as never })
  expect(await t.ben.exchange()).toMatchObject({ kind: 'exchanged' })
  expect((await t.ben.copies('harbour')).map(({ title }) => title)).toEqual(['Forged'])
  expect(await t.ben.copies(long)).toEqual([])
})
