import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { aNotebook } from '../../test/support/notebook.ts'
import { asProjectKey } from '../core/ids.ts'
import { asNoteId, type Note, type NoteId } from '../core/note.ts'
import {
  changeNote,
  forgetNote,
  importNote,
  type NoteDraft,
  type NoteSaveResult,
  purgeNote,
  restoreNote,
  saveNote,
  saveNoteUnderId,
} from './notes.ts'

const app = asProjectKey('github.com/team/app')
const draft = (body: string, given: Partial<NoteDraft> = {}): NoteDraft => ({ body, project: app, source: 'human', ...given })

test('a note is a markdown file in the folder of its project, and search finds it by its words', async () => {
  using t = await aNotebook()
  const { receipt } = await saveNote(t.book, draft('We chose PostgreSQL because of JSONB.', { namespace: 'decisions' }), 1000)
  if (receipt.kind !== 'added') throw new Error(receipt.kind)
  expect(receipt.note.path).toBe(`memory/github.com~team~app/${receipt.note.id}.md`)
  expect(t.read(receipt.note.path)).toContain('namespace: decisions\n')
  expect(await t.find('postgresql', app)).toEqual([receipt.note.id])
  expect(await t.find('postgresql', asProjectKey('another'))).toEqual([])
})

test('a global note is found in every project; a local note has its own folder', async () => {
  using t = await aNotebook()
  const global = await saveNote(t.book, draft('Always answer in British spelling.', { scope: 'global' }), 1000)
  const local = await saveNote(t.book, draft('The license server is on my desk.', { scope: 'local' }), 1000)
  if (global.receipt.kind !== 'added' || local.receipt.kind !== 'added') throw new Error('not added')
  expect(global.receipt.note.path).toStartWith('memory/global/')
  expect(local.receipt.note.path).toStartWith('local/github.com~team~app/')
  expect(await t.find('spelling', asProjectKey('another'))).toEqual([global.receipt.note.id])
})

test('saving the same words again does not add a note', async () => {
  using t = await aNotebook()
  const first = await saveNote(t.book, draft('Use  tabs, never spaces!'), 1000)
  const again = await saveNote(t.book, draft('use tabs\nnever spaces'), 2000)
  expect(again.receipt).toMatchObject({ kind: 'same', note: { id: (first.receipt as { note: { id: string } }).note.id } })
  expect(again.changes).toEqual([])
})

test('a restatement supersedes the older note, which can still be read', async () => {
  using t = await aNotebook()
  const first = await saveNote(
    t.book,
    draft('The staging database for the billing service listens on port 5433 of the bastion host.'),
    1000,
  )
  const second = await saveNote(
    t.book,
    draft('Since March the staging database for the billing service listens on port 5433 of the bastion host.'),
    2000,
  )
  const [old, now] = [first, second].map((kept) => (kept.receipt as { note: { id: string } }).note.id)
  expect(second.receipt).toMatchObject({ kind: 'restated', superseded: [old] })
  expect(await t.find('staging database', app)).toContain(now as string)
  expect((await t.list()).map((note) => note.id as string)).toEqual([now as string])
  expect((await t.list({ hidden: true })).map((note) => note.id).sort()).toEqual([old, now].sort() as never)
})

test.each([
  [
    'The staging database server listens on port 5432 of the db host.',
    'The production database server listens on port 5432 of the db host.',
  ],
  ['Use npm for the docs.', 'Use pnpm in the monorepo.'],
  ['Use tabs.', 'Use npm.'],
  ['Always run `npm test` before you commit.', 'Always run `npm run lint` before you commit.'],
])('%s and %s are both saved', async (one, other) => {
  using t = await aNotebook()
  await saveNote(t.book, draft(one), 1000)
  expect((await saveNote(t.book, draft(other), 2000)).receipt.kind).toBe('added')
  expect(await t.list()).toHaveLength(2)
})

test.each([
  ['Use pnpm', 'Use npm'],
  ['The staging database server listens on port 5432 of the db host.', 'The staging database server listens on port 6432 of the db host.'],
  ['Never run the migrations by hand on the production host please.', 'Always run the migrations by hand on the production host please.'],
  ['For the session cache of the shop we do use Redis.', 'For the session cache of the shop we do not use Redis.'],
])('%s is replaced by %s, can still be found, and can be restored', async (one, other) => {
  using t = await aNotebook()
  const older = receiptNote(await saveNote(t.book, draft(one), 1000))
  const newer = await saveNote(t.book, draft(other), 2000)
  expect(newer.receipt).toMatchObject({ kind: 'restated', superseded: [older.id] })
  expect((await t.list()).map((note) => note.body)).toEqual([other])
  expect(await t.book.store.notes.supersededBy(older.id)).toEqual([receiptNote(newer).id])
  await restoreNote(t.book, older.id, 3000)
  expect(await t.list()).toHaveLength(2)
  expect((await saveNote(t.book, draft(other), 4000)).receipt.kind).toBe('same')
  expect(await t.list()).toHaveLength(2)
})

test('a statement that was replaced and is said again replaces its successor', async () => {
  using t = await aNotebook()
  const said = (body: string, session: string, at: number) =>
    saveNote(t.book, draft(body, { namespace: 'rules', session, said: [`${at} ${session}:1`], createdAt: at, updatedAt: at }), at)
  await said('Use pnpm.', 's1', 1000)
  await said('Use npm.', 's2', 2000)
  expect((await t.list()).map((note) => note.body)).toEqual(['Use npm.'])
  await said('From now on, use pnpm.', 's3', 3000)
  expect(await t.list()).toMatchObject([{ body: 'Use pnpm.', said: ['1000 s1:1', '3000 s3:1'], updatedAt: 3000 }])
  // Read again, as when history is imported twice.
  await said('Use npm.', 's2', 2000)
  await said('Use pnpm.', 's1', 1000)
  expect(await t.list()).toMatchObject([{ body: 'Use pnpm.', said: ['1000 s1:1', '3000 s3:1'] }])
})

test('an older statement that arrives late is replaced by the newer one', async () => {
  using t = await aNotebook()
  const said = (body: string, session: string, at: number) =>
    saveNote(t.book, draft(body, { namespace: 'rules', session, said: [`${at} ${session}:1`], createdAt: at, updatedAt: at }), 9000)
  await said('Start function names with `y_`.', 's2', 2000)
  await said('Start function names with `x_`.', 's1', 1000)
  expect((await t.list()).map((note) => note.body)).toEqual(['Start function names with `y_`.'])
})

test('a rejected statement does not come back, also in other words', async () => {
  using t = await aNotebook()
  const said = (body: string, session: string) =>
    saveNote(t.book, draft(body, { namespace: 'rules', session, said: [`2026-01-31 ${session}:1`] }), 1000)
  await forgetNote(t.book, receiptNote(await said('Always use annotations for functions.', 's1')).id, 2000)
  expect((await said('From now on, always use annotations for functions.', 's2')).receipt.kind).toBe('refused')
  expect(await t.list()).toEqual([])
})

test('a statement of an agent does not replace one of a person', async () => {
  using t = await aNotebook()
  await saveNote(t.book, draft('Use pnpm.'), 1000)
  await saveNote(t.book, draft('We decided to use npm.', { namespace: 'decisions', tags: ['agent'], said: ['2026-01-31 s1:1'] }), 2000)
  expect(await t.list()).toHaveLength(2)
})

test('a title derived from the body changes with it; a given title stays', async () => {
  using t = await aNotebook()
  const first = await saveNote(t.book, draft('Deploys go out on Fridays.'), 1000)
  const second = await saveNote(t.book, draft('The cache is warm.', { title: 'Cache' }), 1000)
  const [derived, given] = [first, second].map((kept) => asNoteId((kept.receipt as { note: { id: string } }).note.id))
  expect((await changeNote(t.book, derived as NoteId, { body: 'Deploys go out on Mondays.' }, 2000))?.receipt).toMatchObject({
    note: { title: 'Deploys go out on Mondays.' },
  })
  expect((await changeNote(t.book, given as NoteId, { body: 'The cache is cold.' }, 2000))?.receipt).toMatchObject({
    note: { title: 'Cache' },
  })
})

test('a secret in a tag is never written to the file', async () => {
  using t = await aNotebook()
  const token = `ghp_${'a1B2'.repeat(9)}`
  const { receipt } = await saveNote(t.book, draft('Tagged', { tags: [token] }), 1000)
  if (receipt.kind !== 'added') throw new Error(receipt.kind)
  await changeNote(t.book, receipt.note.id, { tags: [token] }, 2000)
  await importNote(t.book, { ...receipt.note, id: asNoteId('imported'), tags: [token], updatedAt: 3000 })
  for (const path of [receipt.note.path, 'memory/github.com~team~app/imported.md']) expect(t.read(path)).not.toContain('a1B2a1B2')
})

test('nothing is written through a link', async () => {
  using t = await aNotebook()
  using outside = temporaryFolder()
  mkdirSync(join(t.folder, 'memory'))
  symlinkSync(outside.path, join(t.folder, 'memory', 'away'))
  expect(saveNote(t.book, draft('Out of the house', { project: asProjectKey('away') }), 1000)).rejects.toThrow('is a symbolic link')
  expect(readdirSync(outside.path)).toEqual([])
})

test('short notes that differ in one word are both saved', async () => {
  using t = await aNotebook()
  await saveNote(t.book, draft('Deploy on Monday'), 1000)
  expect((await saveNote(t.book, draft('Deploy on Friday'), 2000)).receipt.kind).toBe('added')
})

test('a forgotten note is hidden, can be restored, and is gone with its file once purged', async () => {
  using t = await aNotebook()
  const { receipt } = await saveNote(t.book, draft('The flaky test is clock.test.ts'), 1000)
  if (receipt.kind !== 'added') throw new Error(receipt.kind)
  const { id, path } = receipt.note
  await forgetNote(t.book, id, 2000)
  expect(await t.find('flaky', app)).toEqual([])
  expect(t.read(path)).toContain('deleted: 1970-01-01T00:00:02.000Z\n')
  await restoreNote(t.book, id, 3000)
  expect(await t.find('flaky', app)).toEqual([id])
  expect(await purgeNote(t.book, id, 9000)).toEqual([{ kind: 'note-removed', id }])
  expect(t.read(path)).toBeNull()
  expect(await forgetNote(t.book, id, 4000)).toBeNull()
})

test('a superseded note is visible again when the note that superseded it is forgotten', async () => {
  using t = await aNotebook()
  const first = await saveNote(t.book, draft('Caching is off.'), 1000)
  const older = (first.receipt as { note: { id: string } }).note.id
  const second = await saveNote(t.book, draft('Caching is on since the release.', { supersedes: [asNoteId(older)] }), 2000)
  expect((await t.list()).map((note) => note.id as string)).toEqual([(second.receipt as { note: { id: string } }).note.id])
  await forgetNote(t.book, asNoteId((second.receipt as { note: { id: string } }).note.id), 3000)
  expect(await t.find('caching', app)).toEqual([older])
})

test('a note is hidden once it has expired', async () => {
  using t = await aNotebook()
  await saveNote(t.book, draft('Freeze until Friday', { expiresAt: 5000 }), 1000)
  expect(await t.list({ now: 4999 })).toHaveLength(1)
  expect(await t.list({ now: 5000 })).toHaveLength(0)
})

test('secrets and private parts are never written to the file', async () => {
  using t = await aNotebook()
  const token = `ghp_${'a1B2'.repeat(9)}`
  const { receipt } = await saveNote(t.book, draft(`Deploy with ${token}. <private>my salary</private>`, { title: `Key ${token}` }), 1000)
  if (receipt.kind !== 'added') throw new Error(receipt.kind)
  expect(t.read(receipt.note.path)).not.toContain('a1B2a1B2')
  expect(t.read(receipt.note.path)).not.toContain('salary')
  expect((await saveNote(t.book, draft('<private>all of it</private>'), 1000)).receipt.kind).toBe('refused')
})

test('importing a note again updates it only if it changed', async () => {
  using t = await aNotebook()
  const imported = { ...draft('First version'), id: asNoteId('import-1') }
  expect((await saveNoteUnderId(t.book, imported, 1000)).receipt.kind).toBe('added')
  expect((await saveNoteUnderId(t.book, imported, 2000)).receipt.kind).toBe('same')
  await changeNote(t.book, asNoteId('import-1'), { tags: ['mine'], pinned: true }, 2500)
  const again = await saveNoteUnderId(t.book, { ...imported, body: 'Second version' }, 3000)
  expect(again.receipt).toMatchObject({ kind: 'updated', note: { body: 'Second version', tags: ['mine'], pinned: true } })
})

test('importing a note again keeps what a person edited and updates the rest', async () => {
  using t = await aNotebook()
  const id = asNoteId('import-1')
  const imported = { ...draft('First version', { title: 'First title' }), id }
  await saveNoteUnderId(t.book, imported, 1000)
  await changeNote(t.book, id, { body: 'My own words' }, 2000)
  await saveNoteUnderId(t.book, { ...imported, title: 'Second title', body: 'Second version' }, 3000)
  await saveNoteUnderId(t.book, { ...imported, title: 'Third title', body: 'Third version' }, 4000)
  expect(await t.store.notes.get(id)).toMatchObject({ title: 'Third title', body: 'My own words' })
  await forgetNote(t.book, id, 5000)
  expect((await saveNoteUnderId(t.book, { ...imported, title: 'Fourth' }, 6000)).receipt.kind).toBe('same')
  expect((await t.store.notes.get(id))?.deletedAt).toBe(5000)
})

test('a note saved under its id is left alone when it comes again, even if it was forgotten', async () => {
  using t = await aNotebook()
  const imported = { ...draft('Use tabs'), id: asNoteId('marked-1') }
  await saveNote(t.book, imported, 1000)
  await changeNote(t.book, imported.id, { body: 'Use spaces' }, 2000)
  await forgetNote(t.book, imported.id, 3000)
  expect((await saveNote(t.book, imported, 4000)).receipt.kind).toBe('same')
  expect(await t.store.notes.get(imported.id)).toMatchObject({ body: 'Use spaces', deletedAt: 3000 })
})

test('changing the scope of a note moves its file', async () => {
  using t = await aNotebook()
  const { receipt } = await saveNote(t.book, draft('Prefer small commits'), 1000)
  if (receipt.kind !== 'added') throw new Error(receipt.kind)
  const moved = await changeNote(t.book, receipt.note.id, { scope: 'global' }, 2000)
  expect(moved?.receipt).toMatchObject({ kind: 'updated', note: { path: `memory/global/${receipt.note.id}.md`, project: 'global' } })
  expect(t.read(receipt.note.path)).toBeNull()
})

test.each([
  ['a namespace with a slash', draft('x y', { namespace: '../up' })],
  ['a confidence of two', draft('x y', { confidence: 2 })],
  ['more text than a note may have', draft('x'.repeat(200_000))],
])('%s is refused with a reason', async (_, given) => {
  using t = await aNotebook()
  expect((await saveNote(t.book, given, 1000)).receipt.kind).toBe('refused')
})

test('a change is based on the file, so an edit by hand that was not indexed yet is not lost', async () => {
  using t = await aNotebook()
  const { receipt } = await saveNote(t.book, draft('The port is 8080.'), 1000)
  if (receipt.kind !== 'added') throw new Error(receipt.kind)
  const { id, path } = receipt.note
  t.write(path, (t.read(path) ?? '').replace('8080', '9090, behind the proxy'))
  await changeNote(t.book, id, { tags: ['net'] }, 2000)
  expect(t.read(path)).toContain('9090, behind the proxy')
  expect(t.read(path)).toContain('tags: [net]')
  t.write(path, (t.read(path) ?? '').replace('9090', '7070'))
  await forgetNote(t.book, id, 3000)
  expect(t.read(path)).toContain('7070, behind the proxy')
})

const receiptNote = ({ receipt }: NoteSaveResult): Note => {
  if (receipt.kind === 'refused') throw new Error(receipt.reason)
  return receipt.note
}
