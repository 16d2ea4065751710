import { expect, test } from 'bun:test'
import { existsSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { aNotebook } from '../../test/support/notebook.ts'
import { asProjectKey } from '../core/ids.ts'
import { asNoteId } from '../core/note.ts'
import { reindex, saveNote } from './notes.ts'

const app = asProjectKey('app')
const file = (id: string, body: string, more = '') => `---\nid: ${id}\ntype: semantic\ntitle: About ${id}\n${more}---\n\n${body}\n`

test('a file that a person wrote becomes a note, changes with the file, and disappears with it', async () => {
  using t = await aNotebook()
  t.write('memory/app/by-hand.md', file('n1', 'The port is 8080'))
  expect(await reindex(t.book)).toMatchObject([{ kind: 'note-changed', note: { id: 'n1', project: 'app', scope: 'project' } }])
  expect(await t.find('port', app)).toEqual(['n1'])
  expect(await reindex(t.book)).toEqual([])
  t.write('memory/app/by-hand.md', file('n1', 'The socket is enough'))
  await reindex(t.book)
  expect(await t.find('port', app)).toEqual([])
  t.remove('memory/app/by-hand.md')
  expect(await reindex(t.book)).toEqual([{ kind: 'note-removed', id: asNoteId('n1') }])
  expect(await t.find('socket', app)).toEqual([])
})

test('temporary files of a process that was killed are removed: old ones, and those from before this process', async () => {
  using t = await aNotebook()
  const [old, killed, young] = ['old', 'killed', 'young'].map((name) => `local/app/${name}.md.${crypto.randomUUID()}.tmp`) as [
    string,
    string,
    string,
  ]
  const all = [old, killed, young, 'local/app/mine.tmp']
  for (const path of all) t.write(path, 'half a note')
  utimesSync(join(t.folder, old), 1, 1)
  utimesSync(join(t.folder, killed), performance.timeOrigin / 1000 - 1, performance.timeOrigin / 1000 - 1)
  utimesSync(join(t.folder, 'local/app/mine.tmp'), 1, 1)
  await reindex(t.book)
  expect(all.map((path) => existsSync(join(t.folder, path)))).toEqual([false, false, true, true])
})

test('a malformed file is reported and the others are read', async () => {
  using t = await aNotebook()
  t.write('memory/app/bad.md', 'no front matter')
  t.write('memory/app/binary.md', '\u0000\u0001')
  t.write('memory/app/good.md', file('n1', 'All is well'))
  await reindex(t.book)
  expect((await t.store.notes.problems()).map((one) => one.path)).toEqual(['memory/app/bad.md', 'memory/app/binary.md'])
  expect(await t.find('well', app)).toEqual(['n1'])
  t.write('memory/app/bad.md', file('n2', 'Mended'))
  await reindex(t.book)
  expect(await t.find('mended', app)).toEqual(['n2'])
  expect((await t.store.notes.problems()).map((one) => one.path)).toEqual(['memory/app/binary.md'])
})

test('of two files with one id the newer wins, and the other replaces it when it is deleted', async () => {
  using t = await aNotebook()
  t.write('memory/app/a.md', file('n1', 'older words', 'updated: 2026-01-01\n'))
  t.write('memory/app/b.md', file('n1', 'newer words', 'updated: 2026-02-01\n'))
  await reindex(t.book)
  expect((await t.store.notes.get(asNoteId('n1')))?.body).toBe('newer words')
  expect(await t.store.notes.problems()).toMatchObject([{ path: 'memory/app/a.md' }])
  t.remove('memory/app/b.md')
  await reindex(t.book)
  expect((await t.store.notes.get(asNoteId('n1')))?.body).toBe('older words')
  expect(await t.store.notes.problems()).toEqual([])
})

test('the folder determines the project of a note, also after the file is moved', async () => {
  using t = await aNotebook()
  t.write('memory/global/n1.md', file('n1', 'Everywhere'))
  t.write('local/github.com~team~app/n2.md', file('n2', 'Here only'))
  t.write('memory/.git/n3.md', file('n3', 'Not a note'))
  t.write('memory/README.md', file('n4', 'Not in a project'))
  await reindex(t.book)
  expect((await t.list()).map(({ id, scope, project }) => `${id} ${scope} ${project}`).sort()).toEqual([
    'n1 global global',
    'n2 local github.com/team/app',
  ])
  t.remove('memory/global/n1.md')
  t.write('memory/app/n1.md', file('n1', 'Everywhere'))
  await reindex(t.book)
  expect(await t.store.notes.get(asNoteId('n1'))).toMatchObject({ scope: 'project', project: 'app' })
})

test('a secret that a person wrote into a file never reaches the database', async () => {
  using t = await aNotebook()
  t.write('memory/app/n1.md', file('n1', `Deploy with ghp_${'a1B2'.repeat(9)} <private>and my salary</private>`))
  await reindex(t.book)
  const body = (await t.store.notes.get(asNoteId('n1')))?.body
  expect(body).toStartWith('Deploy with')
  expect(body).not.toContain('a1B2')
  expect(body).not.toContain('salary')
  expect(t.read('memory/app/n1.md')).toContain('a1B2')
})

test('symbolic links are not followed', async () => {
  using t = await aNotebook()
  t.write('elsewhere/n1.md', file('n1', 'Outside'))
  t.write('memory/app/n2.md', file('n2', 'Inside'))
  symlinkSync(join(t.folder, 'elsewhere', 'n1.md'), join(t.folder, 'memory', 'app', 'n1.md'))
  symlinkSync(join(t.folder, 'elsewhere'), join(t.folder, 'memory', 'away'))
  await reindex(t.book)
  await reindex(t.book, ['memory/app/n1.md', 'memory/away/n1.md'])
  expect((await t.list()).map((note) => note.id as string)).toEqual(['n2'])
})

test('missing rows are rebuilt from the files', async () => {
  using t = await aNotebook()
  const { receipt } = await saveNote(t.book, { body: 'Kept on disk', project: app, source: 'human' }, 1000)
  if (receipt.kind !== 'added') throw new Error(receipt.kind)
  await t.store.notes.remove(receipt.note.id)
  await t.store.notes.removeFile(receipt.note.path)
  await reindex(t.book)
  expect(await t.store.notes.get(receipt.note.id)).toEqual(receipt.note)
})
