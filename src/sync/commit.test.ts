import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { aMachine } from '../../test/support/machines.ts'
import { leadsThroughLink, splitAtNul } from './commit.ts'

test('a commit names only the notes that changed since the last one', async () => {
  using a = await aMachine('a', '')
  const [first, second] = [await a.note('The port is 8080.'), await a.note('The cache lives for an hour.')]
  expect((await a.sync()).committed.toSorted()).toEqual([`memory/app/${first}.md`, `memory/app/${second}.md`].sort())
  const third = await a.note('Deploys happen on Fridays after lunch.')
  await a.edit(second, { body: 'The cache lives for two hours.' })
  a.remove(`memory/app/${first}.md`)
  expect((await a.sync()).committed.toSorted()).toEqual([first, second, third].map((id) => `memory/app/${id}.md`).sort())
  const fourth = await a.note('Retries are off by default.')
  expect((await a.sync()).committed).toEqual([`memory/app/${fourth}.md`])
  expect(a.git('log', '--format=%s').trim().split('\n')).toEqual([
    '1 note (new) from a',
    '3 notes (1 new, 1 changed, 1 removed) from a',
    '2 notes (new) from a',
  ])
})

test('a file below a linked folder is recognised, however deep it is', () => {
  using folder = temporaryFolder()
  using elsewhere = temporaryFolder()
  mkdirSync(join(folder.path, 'app', 'deep'), { recursive: true })
  symlinkSync(elsewhere.path, join(folder.path, 'app', 'linked'))
  const paths = ['x.md', 'app/deep/x.md', 'app/linked/x.md', 'app/linked/deep/x.md']
  expect(paths.map((path) => leadsThroughLink(folder.path, path))).toEqual([false, false, true, true])
})

test('a list of git has as many entries as it names', () => {
  expect(splitAtNul('a b\0c\0')).toEqual(['a b', 'c'])
  expect(splitAtNul('')).toEqual([])
})
