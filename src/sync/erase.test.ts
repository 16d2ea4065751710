import { expect, test } from 'bun:test'
import { noteText } from '../../test/support/builders.ts'
import { aMachine, aRemote, type Machine } from '../../test/support/machines.ts'
import { asNoteId } from '../core/note.ts'
import { purgeNote, writeNote } from '../notes/notes.ts'
import { eraseFromHistory, pushedNotes } from './erase.ts'

/** Every text in the repository of a machine, in commits or anywhere else. */
function allTexts({ git }: Machine): string {
  const objects = git('cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)').split('\n')
  const blobs = objects.flatMap((line) => (line.endsWith(' blob') ? [line.slice(0, 40)] : []))
  return blobs.map((blob) => git('cat-file', 'blob', blob)).join('\n')
}

const subjects = ({ git }: Machine) => git('log', '--format=%an %s').trim().split('\n')

test('a note that was deleted for good leaves every commit that was never pushed, and the other notes stay', async () => {
  using a = await aMachine('a', '')
  const secret = await a.note('The heron code is 1234.')
  await a.sync()
  const kept = await a.note('The port is 8080.')
  await a.edit(secret, { body: 'The heron code is 5678.' })
  await a.sync()
  const before = subjects(a)
  await purgeNote(a.book, secret, Date.now())
  await eraseFromHistory(a.book, [secret], Date.now())
  expect(allTexts(a)).not.toContain('heron code')
  expect(allTexts(a)).toContain('The port is 8080.')
  expect(Object.keys(a.files())).toEqual([`app/${kept}.md`])
  // The commits stay, with their times and messages.
  expect(subjects(a).slice(1)).toEqual(before)
  expect(a.git('status', '--porcelain')).toBe('')
})

test('earlier versions of a note that still exists go, and its present one stays', async () => {
  using a = await aMachine('a', '')
  const id = await a.note('The heron code is 1234.')
  await a.sync()
  await a.edit(id, { body: 'It is in the safe.' })
  await a.sync()
  await eraseFromHistory(a.book, [id], Date.now())
  expect(allTexts(a)).not.toContain('heron code')
  expect(allTexts(a)).toContain('It is in the safe.')
})

test('the conflicting versions of a note go with it, and those of other notes stay', async () => {
  using a = await aMachine('a', '')
  const [secret, kept] = [await a.note('The heron code is 1234.'), await a.note('The port is 8080.')]
  const versions = { 'memory/app/v1.md': [secret, 'The heron code is 5678.'], 'memory/app/v2.md': [kept, 'The port is 9090.'] } as const
  for (const [path, [conflictOf, body]] of Object.entries(versions))
    a.write(path, writeNote(noteText({ id: asNoteId(`of-${conflictOf}`), conflictOf, body })))
  await a.sync()
  for (const path of Object.keys(versions)) a.remove(path)
  await a.sync()
  await purgeNote(a.book, secret, Date.now())
  await eraseFromHistory(a.book, [secret], Date.now())
  expect(allTexts(a)).not.toContain('heron code')
  expect(allTexts(a)).toContain('The port is 9090.')
})

test('commits that were pushed stay as they are, because other machines have them', async () => {
  using remote = aRemote()
  using a = await aMachine('a', remote.path)
  const shared = await a.note('The heron code is 1234.')
  await a.sync()
  const pushed = a.git('rev-parse', 'main')
  await a.edit(shared, { body: 'The heron code is 5678.' })
  const own = await a.note('The pelican code is 9.')
  await a.sync({ push: false })
  const found: string[][] = []
  for (const ids of [[shared, own], [shared], [own], []]) found.push(await pushedNotes(a.book, ids))
  expect(found).toEqual([[shared], [shared], [], []])
  await purgeNote(a.book, shared, Date.now())
  await purgeNote(a.book, own, Date.now())
  await eraseFromHistory(a.book, [shared, own], Date.now())
  expect(a.git('merge-base', '--is-ancestor', pushed.trim(), 'main')).toBe('')
  const texts = allTexts(a)
  expect([texts.includes('1234'), texts.includes('5678'), texts.includes('pelican code')]).toEqual([true, false, false])
})

test('without a history, erasing does nothing', async () => {
  using a = await aMachine('a', '')
  const id = await a.note('The port is 8080.')
  await eraseFromHistory(a.book, [id], Date.now())
  expect(await pushedNotes(a.book, [id])).toEqual([])
  await a.sync()
  expect(await pushedNotes(a.book, [id])).toEqual([])
  const head = a.git('rev-parse', 'main')
  await eraseFromHistory(a.book, [], Date.now())
  expect(a.git('rev-parse', 'main')).toBe(head)
})
