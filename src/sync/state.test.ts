import { expect, test } from 'bun:test'
import { aMachine, aRemote } from '../../test/support/machines.ts'
import { syncState } from './state.ts'

test('the state counts unsynced changes without using the network', async () => {
  using remote = aRemote()
  using a = await aMachine('a', remote.path)
  expect(await syncState(a.book, remote.path)).toMatchObject({ ahead: 0, behind: 0, waiting: 0, last: null })
  await a.note('First.')
  await a.sync({ push: false })
  await a.note('Second, of another kind.')
  expect(await syncState(a.book, remote.path)).toMatchObject({ ahead: 1, behind: 0, waiting: 1, last: { outcome: 'synced' } })
  expect((await syncState(a.book, 'https://me:secret@host/x.git')).remote).toBe('https://host/x.git')
})

test('the state counts the commits on either side since the last fetch', async () => {
  using remote = aRemote()
  using a = await aMachine('a', remote.path)
  using b = await aMachine('b', remote.path)
  await a.note('First.')
  await a.sync()
  await b.sync()
  await b.note('Second, of another kind.')
  await b.sync()
  for (const text of ['The port is 8080.', 'The cache lives for an hour.']) {
    await a.note(text)
    await a.sync({ remote: '' })
  }
  expect(await syncState(a.book, remote.path)).toMatchObject({ ahead: 2, behind: 0 })
  await a.sync({ dryRun: true })
  expect(await syncState(a.book, remote.path)).toMatchObject({ ahead: 2, behind: 1 })
})

test('files that are not synced do not wait', async () => {
  using a = await aMachine('a', '')
  await a.sync()
  a.write('memory/.hidden.md', 'hidden')
  a.write('memory/.obsidian/x.md', 'hidden')
  a.write('memory/app/picture.png', 'png')
  expect(await syncState(a.book, '')).toMatchObject({ waiting: 0 })
  a.write('memory/app/x.md', 'x')
  expect(await syncState(a.book, '')).toMatchObject({ waiting: 1 })
})
