import { expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { runGit } from '../../test/support/machines.ts'
import { EMPTY_TREE, openRepository, type Repository } from './git.ts'

/** A new home with its repository. */
async function aRepository(machine = 'here') {
  const home = temporaryFolder()
  const open = async () => (await openRepository(home.path, machine, 5000)) as Repository
  const repository = await open()
  return { home: home.path, own: join(repository.folder, '.git'), repository, open, [Symbol.dispose]: () => home[Symbol.dispose]() }
}

test('a home without notes gets a folder and a repository that only its owner can read', async () => {
  using at = await aRepository()
  expect(at.repository.folder).toBe(join(at.home, 'memory'))
  expect(statSync(at.repository.folder).mode & 0o777).toBe(0o700)
  expect(runGit(at.repository.folder, 'symbolic-ref', 'HEAD').trim()).toBe('refs/heads/main')
})

test.each(['HEAD', 'objects/info', 'objects/pack'])(
  'a repository whose creation was killed before it had %s is completed',
  async (part) => {
    using at = await aRepository()
    rmSync(join(at.own, part), { recursive: true })
    await at.open()
    expect(existsSync(join(at.own, part))).toBe(true)
  },
)

test('locks and temporary indexes of a killed sync are removed, and nothing else is', async () => {
  using at = await aRepository()
  const before = readdirSync(at.own)
  const old = ['index.lock', 'HEAD.lock', 'packed-refs.lock', 'config.lock']
  for (const name of [...old, 'recollect-index-1', 'recollect-index-1.lock', 'my-recollect-index-']) writeFileSync(join(at.own, name), '')
  for (const name of old) utimesSync(join(at.own, name), 1, 1)
  await at.open()
  expect(readdirSync(at.own).sort()).toEqual([...before, 'my-recollect-index-'].sort())
})

test('objects are read in the order in which they were asked for, byte by byte', async () => {
  using at = await aRepository()
  const texts = [Buffer.from('one\n'), Buffer.from(''), Buffer.from([0, 10, 0xff, 10])]
  const ids: string[] = []
  for (const stdin of texts) ids.push((await at.repository.git(['hash-object', '-w', '--stdin'], { stdin })).trim())
  const read = async (objects: string[]) => (await at.repository.read(objects)).map((bytes) => Buffer.from(bytes))
  expect(await read(ids)).toEqual(texts)
  expect(await read([...ids, ...ids].reverse())).toEqual([...texts, ...texts].reverse())
  expect(await read([])).toEqual([])
  await expect(read(['1'.repeat(40)])).rejects.toThrow('missing')
})

test.each([
  ['workshop-3f9a', 'workshop-3f9a <workshop-3f9a@recollect>'],
  ['Ada’s <Mac>', 'Ada-s-Mac- <Ada-s-Mac-@recollect>'],
  ['', 'machine <machine@recollect>'],
])('a commit from the machine %p has the author %p', async (machine, author) => {
  using at = await aRepository(machine)
  const commit = await at.repository.git(['commit-tree', EMPTY_TREE], { stdin: 'x\n' })
  expect(runGit(at.repository.folder, 'log', '-1', '--format=%an <%ae> %at', commit.trim()).trim()).toBe(`${author} 5`)
})
