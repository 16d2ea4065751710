import { expect, test } from 'bun:test'
import { addObservations, memoriesIn, note, observation, openSession, temporaryStore } from '../../test/support/builders.ts'
import type { Entity } from '../core/entities.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Session } from '../core/memory.ts'
import { asNoteId } from '../core/note.ts'
import { countTokens } from '../core/tokens.ts'
import type { Store } from '../store/store.ts'
import { fileBriefFor, fileNames } from './file-brief.ts'

const NOW = 10_000_000

test('a file brief shows only what other sessions did with the file', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'Changed auth', filesModified: ['src/auth.ts'] }),
    observation({ title: 'Elsewhere', filesRead: ['src/b.ts'] }),
  ])
  const other = await openSession(t.store, 's2')
  const { text, items } = await fileBriefFor(t.store, other, 'src/auth.ts', NOW)
  expect(text).toContain('<recollect-context file="src/auth.ts">')
  expect(text).toContain('Changed auth')
  expect(memoriesIn(items)).toHaveLength(1)
  const own = await t.store.sessions.get(1)
  expect((await fileBriefFor(t.store, own as Session, 'src/auth.ts', NOW)).text).toBe('')
  expect((await fileBriefFor(t.store, other, 'src/none.ts', NOW)).text).toBe('')
})

test('observations that do not fit are listed as left out', async () => {
  using t = await temporaryStore()
  const long = (i: number) => observation({ title: `${i} ${'long '.repeat(50)}`, filesModified: ['a.ts'] })
  await addObservations(t.store, [1, 2, 3, 4].map(long))
  const { items, left, leftOut } = await fileBriefFor(t.store, await openSession(t.store, 's2'), 'a.ts', NOW)
  expect([memoriesIn(items).length + left.length, leftOut]).toEqual([4, left.length])
  expect(left[0]?.why).toMatch(/^no room: needs \d+ tokens, \d+ left$/)
})

test('a file brief stays within its budget, whatever the file is called', async () => {
  using t = await temporaryStore()
  for (const path of ['a.ts', 'folder/'.repeat(130), '目录/'.repeat(60), `${'x'.repeat(690)}.ts`]) {
    await addObservations(
      t.store,
      Array.from({ length: 4 }, (_, i) => observation({ title: `${i} 长 ${'long '.repeat(50)}`, filesModified: [path] })),
    )
    const { text } = await fileBriefFor(t.store, await openSession(t.store, 's2'), path, NOW)
    expect(countTokens(text)).toBeLessThanOrEqual(200)
    expect(text.length).toBeLessThanOrEqual(900)
    if (text) expect(text).toMatch(/not instructions[\s\S]+memory_get/)
  }
})

test('observations that changed the file come first, then those that mention it, then those that only read it', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'Changed it', filesModified: ['src/auth.ts'], at: 1000 }),
    observation({ title: 'Spoke of src/auth.ts', at: 2000 }),
    observation({ title: 'Read it', filesRead: ['src/auth.ts'], at: 3000 }),
    observation({ title: 'Read it, and auth.ts is what it is about', filesRead: ['src/auth.ts'], at: 1500 }),
  ])
  await naming(t.store, 'Spoke of', 'src/auth.ts')
  expect(await titlesAbout(t.store, 'src/auth.ts')).toEqual([
    'Changed it',
    'Spoke of auth.ts',
    'Read it, and auth.ts is what it is about',
    'Read it',
  ])
})

test('a line shows the fact about this file, not an edit, and not a fact about another file', async () => {
  using t = await temporaryStore()
  const facts = ['clock.ts: reads winter time', 'auth.ts: - `exp`', 'It is slow', 'src/auth.ts: exp is in seconds']
  await addObservations(t.store, [
    observation({ title: 'Changed the login', filesModified: ['src/auth.ts'], facts, at: 3000 }),
    observation({ title: 'Changed the clock', filesModified: ['src/auth.ts'], facts: facts.slice(0, 3), at: 2000 }),
    observation({ title: 'Changed the day', filesModified: ['src/auth.ts'], facts: facts.slice(0, 2), at: 1000 }),
  ])
  expect(await titlesAbout(t.store, 'src/auth.ts')).toEqual([
    'Changed the login — exp is in seconds',
    'Changed the clock — It is slow',
    'Changed the day',
  ])
})

test('the reasons say what a memory has to do with the file', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'Changed it', filesModified: ['src/auth.ts'], at: 1000 }),
    observation({ title: 'Spoke of src/auth.ts', at: 2000 }),
    observation({ title: 'Read it', filesRead: ['src/auth.ts'], at: 3000 }),
  ])
  await naming(t.store, 'Spoke of', 'src/auth.ts')
  const { items } = await fileBriefFor(t.store, await openSession(t.store, 's2'), 'src/auth.ts', NOW)
  expect(memoriesIn(items).map(({ why }) => why)).toEqual(['it changed src/auth.ts', 'it mentions src/auth.ts', 'it read src/auth.ts'])
})

test('a note that does not fit is left out with the reason, and decisions come first', async () => {
  using t = await temporaryStore()
  const add = async (id: string, body: string, namespace: string, at: number) => {
    await t.store.notes.put(note({ id: asNoteId(id), path: `${id}.md`, namespace, title: id, body, updatedAt: at }), 'print')
    await t.store.links.setMentions({ kind: 'note', ref: id, project: asProjectKey('app'), at }, [{ kind: 'file', name: 'src/auth.ts' }])
  }
  await add('01ARZ3NDEKTSV4RRFFQ69G5FA1', `The clock is slow. ${'語'.repeat(340)}`, 'context', 3000)
  await add('01ARZ3NDEKTSV4RRFFQ69G5FA2', 'Tokens are opaque, not signed.', 'decisions', 2000)
  const { text, left } = await fileBriefFor(t.store, await openSession(t.store, 's2'), 'src/auth.ts', NOW)
  expect(text).toContain('Tokens are opaque')
  expect(left).toEqual([{ kind: 'note', id: '01ARZ3NDEKTSV4RRFFQ69G5FA1', why: expect.stringMatching(/^no room: /) }])
})

test('decisions and undone attempts come before other work, and say what undid them', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'Tried a cache', filesModified: ['src/auth.ts'], at: 1000 }),
    observation({ title: 'Tokens are opaque', type: 'decision', filesModified: ['src/auth.ts'], at: 500 }),
    observation({ title: 'Renamed it', filesModified: ['src/auth.ts'], at: 3000 }),
  ])
  const [tried] = (await t.store.observations.recent(observation().project, 50)).filter(({ title }) => title === 'Tried a cache')
  await (await t.store.turnWork()).markObservation(tried?.id ?? 0, 'P7')
  expect(await titlesAbout(t.store, 'src/auth.ts')).toEqual(['Tokens are opaque', '[undone by P7] Tried a cache', 'Renamed it'])
})

test('a test of the file that failed when it was last run is shown until it passes', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'Run the tests.', at: 900 })
  const failure = { command: 'bun test', names: ['src/auth.test.ts › expires'], error: '1 of 3 tests fails', at: 1000, promptNumber: 1 }
  await t.store.prompts.setOpenFailures(1, 1, [failure])
  const brief = async () => (await fileBriefFor(t.store, await openSession(t.store, 's2'), 'src/auth.ts', NOW)).text
  expect(await brief()).toMatch(/P1 · Failed when last run, [^\n]*`bun test`: src\/auth\.test\.ts › expires/)
  await t.store.prompts.setOpenFailures(1, 1, [{ ...failure, isUnclear: true }])
  expect(await brief()).toBe('')
})

test('a failing test is about a file by the name of the file, or by the name of its test', async () => {
  const shown = async (path: string, name: string) => {
    using t = await temporaryStore()
    const session = await openSession(t.store)
    const given = { key: 'k', promptId: null, uuid: null, origin: 'person' as const, text: 'Go on', at: 500 }
    await t.store.prompts.add(session, given)
    await t.store.prompts.setOpenFailures(session.id, 1, [{ command: 'bun test', names: [name], error: '', at: 1000, promptNumber: 1 }])
    const { text, left } = await fileBriefFor(t.store, await openSession(t.store, 's2'), path, NOW)
    expect(left).toEqual([])
    return text !== ''
  }
  expect(await shown('src/auth.ts', 'src/auth.ts: expired tokens')).toBe(true)
  expect(await shown('src/auth.ts', 'auth.test.ts > expired tokens')).toBe(true)
  expect(await shown('src/auth.ts', 'author.test.ts > names')).toBe(false)
  expect(await shown('src/auth.ts', 'clock.test.ts > winter time')).toBe(false)
  expect(await shown('src/a.ts', 'a.test.js > names')).toBe(false)
})

test('a bare name means a file if no other file of the project has it', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'auth.ts forgets the clock' }),
    observation({ title: 'auth.ts elsewhere', filesModified: ['src/schema.ts'] }),
    observation({ title: 'Schema.sql drops a table' }),
  ])
  await naming(t.store, 'auth.ts forgets', 'auth.ts')
  await naming(t.store, 'Schema.sql', 'Schema.sql')
  expect(await titlesAbout(t.store, 'src/auth.ts')).toEqual(['auth.ts forgets the clock'])
  expect(await titlesAbout(t.store, 'db/0012_Schema.sql')).toEqual(['Schema.sql drops a table'])
  await addObservations(t.store, [observation({ title: 'Another', filesModified: ['lib/auth.ts'] })], 's3')
  expect(await titlesAbout(t.store, 'src/auth.ts')).toEqual([])
  expect(await titlesAbout(t.store, 'auth.ts')).toEqual([])
  expect(await titlesAbout(t.store, 'lib/auth.ts')).toEqual(['Another', 'auth.ts forgets the clock'])
})

test('a bare name means neither of two hidden files that share it', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: '.env is not read' }), observation({ title: 'Other', filesRead: ['app/.env'] })])
  await naming(t.store, '.env is', '.env')
  expect(await titlesAbout(t.store, '.env')).toEqual([])
  expect(await titlesAbout(t.store, 'app/.env')).toEqual(['.env is not read', 'Other'])
})

test('in a file brief a fact about the file replaces its path', async () => {
  using t = await temporaryStore()
  const path = 'src/very/deep/auth.ts'
  const facts = [`${path}: - \`old\``, 'other.ts: changed x', 'The clock runs in `auth.ts`', `${path}: changed login`]
  await addObservations(t.store, [
    observation({ title: `Fixed ${path}`, subtitle: `${path}; also other.ts`, facts, filesModified: [path] }),
  ])
  const { text } = await fileBriefFor(t.store, await openSession(t.store, 's2'), path, NOW)
  expect(text.split('\n')[3]).toBe('#1 · 2h · change · Fixed auth.ts — The clock runs in `auth.ts` · ~10t')
})

test('a file can be named by the end of its path, and a numbered one without its number', () => {
  expect(fileNames('a/b/c/d.ts')).toEqual(['a/b/c/d.ts', 'b/c/d.ts', 'c/d.ts', 'd.ts'])
  expect(fileNames('db/0012_init.sql')).toEqual(['db/0012_init.sql', '0012_init.sql', 'init.sql'])
  expect(fileNames('README.md')).toEqual(['README.md'])
})

/** Records that the observation whose title starts like this mentions a file. */
async function naming(store: Store, title: string, file: string): Promise<void> {
  const [o] = (await store.observations.recent(observation().project, 50)).filter((one) => one.title.startsWith(title))
  const entities: Entity[] = [{ kind: 'file', name: file }]
  if (o) await store.links.setMentions({ kind: 'observation', ref: String(o.id), project: o.project, at: o.at }, entities)
}

async function titlesAbout(store: Store, path: string): Promise<string[]> {
  const { text } = await fileBriefFor(store, await openSession(store, 's2'), path, NOW)
  return text.split('\n').flatMap((line) => /^#\d+ · \S+ · \w+ · (.*) · ~/.exec(line)?.[1] ?? [])
}
