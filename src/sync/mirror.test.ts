import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { aMachine, type Machine, runGit } from '../../test/support/machines.ts'
import { asProjectKey } from '../core/ids.ts'
import type { ProjectMirrorReport } from '../core/sync.ts'
import { forgetNote, purgeNote } from '../notes/notes.ts'
import { mirrorNotes } from './mirror.ts'

const app = asProjectKey('app')
const BOTH = { fetch: true, push: true }

test('clones that write in turn end with the same lines, including every version', async () => {
  using work = await clones(3)
  const ids: string[] = []
  for (let round = 0; round < 2; round++) {
    for (const clone of work.clones) {
      const id = await clone.machine.note(`Round ${round} on ${clone.machine.name} decided something.`, { namespace: 'decisions' })
      ids.push(id)
      expect(await clone.mirror()).toMatchObject({ problem: null, pushed: true, written: 1 })
    }
  }
  const [first] = work.clones
  await first?.machine.edit(ids[0] as never, { body: 'Decided again.' })
  await first?.mirror()
  for (const clone of work.clones) await clone.mirror()
  const [lines, ...others] = work.clones.map((clone) => clone.lines('decisions'))
  expect(lines).toHaveLength(7)
  for (const other of others) expect(other).toEqual(lines as string[])
  expect(new Set(lines?.map((line) => JSON.parse(line).id))).toEqual(new Set(ids))
  expect(work.clones.map((clone) => runGit(clone.folder, 'status', '--porcelain'))).toEqual(['', '', ''])
})

test('clones that write at the same time are merged', async () => {
  using work = await clones(2)
  const [a, b] = work.clones as [Clone, Clone]
  await a.machine.note('From a.', { namespace: 'decisions' })
  await b.machine.note('From b.', { namespace: 'decisions' })
  await a.mirror({ fetch: false, push: false })
  await b.mirror()
  expect(await a.mirror()).toMatchObject({ pushed: true, problem: null })
  await b.mirror()
  expect(a.lines('decisions')).toEqual(b.lines('decisions'))
  expect(a.lines('decisions')).toHaveLength(2)
})

test('a deleted or missing note gets a tombstone, and nothing is written twice', async () => {
  using work = await clones(1)
  const { machine, mirror, lines } = work.clones[0] as Clone
  const [deleted, gone] = [await machine.note('Deleted.'), await machine.note('Gone for good, without a trace.')]
  await mirror()
  expect(await mirror()).toMatchObject({ written: 0 })
  await forgetNote(machine.book, deleted, 9_000_000)
  await purgeNote(machine.book, gone, Date.now())
  expect(await mirror()).toMatchObject({ written: 2 })
  expect(await mirror()).toMatchObject({ written: 0 })
  const tombstones = lines('context')
    .map((line) => JSON.parse(line))
    .filter((record) => record.deleted !== null)
  expect(tombstones.map((record) => record.id).sort()).toEqual([deleted, gone].sort())
})

test('global notes, local notes and notes with a secret are not mirrored', async () => {
  using work = await clones(1)
  const { machine, mirror, lines } = work.clones[0] as Clone
  await machine.note('For every project.', { scope: 'global' })
  await machine.note('For this machine.', { scope: 'local' })
  const id = await machine.note('For the team.')
  machine.write('memory/app/pasted.md', `---\nid: pasted\ntype: semantic\ntitle: T\n---\n\nghp_${'k3Yx9'.repeat(8).slice(0, 36)}\n`)
  await machine.sync()
  await mirror()
  expect(lines('context').map((line) => JSON.parse(line).id)).toEqual([id])
})

test('a folder without a repository or without commits is skipped', async () => {
  using machine = await aMachine('a', '')
  using folder = temporaryFolder()
  expect(await mirrorNotes(machine.book, app, folder.path, BOTH, 1)).toMatchObject({
    problem: expect.stringContaining('not a git repository'),
  })
  runGit(folder.path, 'init', '--quiet')
  expect(await mirrorNotes(machine.book, app, folder.path, BOTH, 1)).toMatchObject({ problem: expect.stringContaining('no commit') })
})

type Clone = Awaited<ReturnType<typeof clones>>['clones'][number]

/** Clones of one project, each on its own machine. */
async function clones(count: number) {
  const folder = temporaryFolder()
  const origin = join(folder.path, 'app.git')
  runGit(folder.path, 'init', '--quiet', '--bare', '-b', 'main', origin)
  const seed = join(folder.path, 'seed')
  runGit(folder.path, 'init', '--quiet', '-b', 'main', seed)
  writeFileSync(join(seed, 'a.txt'), 'a\n')
  runGit(seed, 'add', '.')
  runGit(seed, 'commit', '--quiet', '-m', 'first')
  runGit(seed, 'push', '--quiet', origin, 'main')
  const all: {
    machine: Machine
    folder: string
    mirror(options?: typeof BOTH): Promise<ProjectMirrorReport>
    lines(namespace: string): string[]
  }[] = []
  for (let at = 0; at < count; at++) {
    const machine = await aMachine(`m${at}`, '')
    const own = join(folder.path, machine.name)
    runGit(folder.path, 'clone', '--quiet', origin, own)
    const mirror = (options = BOTH) => mirrorNotes(machine.book, app, own, options, Date.now())
    const lines = (namespace: string) =>
      runGit(own, 'notes', `--ref=mem/${namespace}`, 'show', runGit(own, 'rev-list', '--max-parents=0', 'HEAD').trim())
        .trim()
        .split('\n')
    all.push({ machine, folder: own, mirror, lines })
  }
  const end = () => {
    for (const { machine } of all) machine[Symbol.dispose]()
    folder[Symbol.dispose]()
  }
  return { clones: all, [Symbol.dispose]: end }
}
