import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { aMachine, aRemote, runGit } from '../../test/support/machines.ts'
import { bundleHistory, restoreHistory } from './bundle.ts'
import { openRepository } from './git.ts'
import { syncState } from './state.ts'

test('the history of the notes comes back from its file: every version, and what remotes have', async () => {
  using remote = aRemote()
  using a = await aMachine('a', remote.path)
  const id = await a.note('The port is 8080.')
  await a.sync()
  await a.edit(id, { body: 'The port is 9090.' })
  await a.sync({ push: false })
  const bundle = join(a.folder, 'history.bundle')
  expect(await bundleHistory(a.folder, bundle)).toBe('saved')

  using b = await aMachine('b', remote.path)
  b.write(`memory/app/${id}.md`, a.read(`memory/app/${id}.md`) ?? '')
  expect(await restoreHistory(b.folder, bundle, 'b', Date.now())).toBeNull()
  expect(b.git('log', '--format=%H %an %s')).toBe(a.git('log', '--format=%H %an %s'))
  expect(b.git('show', `main~1:app/${id}.md`)).toContain('8080')
  // The files are those of the last commit, and one commit still has to be pushed.
  expect(await syncState(b.book, remote.path)).toMatchObject({ ahead: 1, behind: 0, waiting: 0 })
})

test('a home without a history has nothing to save', async () => {
  using home = temporaryFolder()
  const to = join(home.path, 'history.bundle')
  expect(await bundleHistory(home.path, to)).toBe('none')
  await openRepository(home.path, 'a', 0)
  expect(await bundleHistory(home.path, to)).toBe('none')
})

test('a history that git cannot read is a problem, not an empty history', async () => {
  using home = temporaryFolder()
  const folder = join(home.path, 'memory')
  mkdirSync(folder)
  runGit(folder, 'init', '--quiet')
  writeFileSync(join(folder, '.git', 'HEAD'), 'broken')
  expect(await bundleHistory(home.path, join(home.path, 'history.bundle'))).toEqual({ problem: expect.stringContaining('repository') })
})

test('a file that is no history of notes cannot be restored', async () => {
  using home = temporaryFolder()
  const bundle = join(home.path, 'history.bundle')
  writeFileSync(bundle, 'not a bundle')
  await expect(restoreHistory(home.path, bundle, 'a', 0)).rejects.toThrow('cannot read the history of the notes')
})

test('a history is not restored into a folder that cannot have one', async () => {
  using home = temporaryFolder()
  mkdirSync(join(home.path, 'memory'))
  writeFileSync(join(home.path, 'memory', '.git'), 'gitdir: elsewhere\n')
  expect(await restoreHistory(home.path, join(home.path, 'history.bundle'), 'a', 0)).toContain('is not a folder')
})
