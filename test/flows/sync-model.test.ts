/**
 * Three machines and one remote, with hundreds of random steps from a seed: notes are written, edited by API and by hand, tagged, deleted, restored and
 * removed; machines go offline, sync while files are edited, and are killed during a sync. `RECOLLECT_SYNC_SEEDS=20` runs more seeds,
 * `RECOLLECT_SYNC_SEED=7` a single one.
 */
import { expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asNoteId, type NoteText } from '../../src/core/note.ts'
import { forgetNote, parseNote, restoreNote, writeNote } from '../../src/notes/notes.ts'
import { aMachine, aRemote, type Machine } from '../support/machines.ts'

const onlySeed = Number(process.env.RECOLLECT_SYNC_SEED ?? Number.NaN)
const seeds = Number.isNaN(onlySeed) ? Array.from({ length: Number(process.env.RECOLLECT_SYNC_SEEDS ?? 3) }, (_, i) => i + 1) : [onlySeed]
const STEPS = 70

for (const seed of seeds) {
  test(`nothing is lost and all machines end with the same notes, seed ${seed}`, async () => {
    using remote = aRemote()
    const world = await aWorld(seed, remote.path)
    const step = randomSteps(world)
    for (let count = 0; count < STEPS; count++) await step()
    await syncUntilSettled(world)
    checkFiles(world)
    await checkRows(world)
    for (const machine of world.machines) machine[Symbol.dispose]()
  }, 300_000)
}

type World = Awaited<ReturnType<typeof aWorld>>

async function aWorld(seed: number, remote: string) {
  /** Each machine reaches the remote through its own link, which can be cut. */
  const linkOf = (machine: { name: string }) => `${remote}-${machine.name}`
  const machines: Machine[] = []
  for (const name of ['a', 'b', 'c']) {
    symlinkSync(remote, linkOf({ name }))
    machines.push(await aMachine(name, linkOf({ name })))
  }
  return {
    random: seededRandom(seed),
    machines,
    linkOf,
    connect: (machine: Machine) => {
      if (!existsSync(linkOf(machine))) symlinkSync(remote, linkOf(machine))
    },
    /** Every body that was ever written, and those that a machine overwrote or removed knowingly. */
    written: new Set<string>(),
    overwritten: new Set<string>(),
    /** Tags and the files they were added to. */
    tags: [] as { file: string; tag: string }[],
    /** Files that some machine removed; their tags are not checked. */
    removed: new Set<string>(),
    kills: 0,
  }
}

function noteAt(machine: Machine, path: string): NoteText {
  const parsed = parseNote(readFileSync(join(machine.memory, path), 'utf8'))
  if (parsed.kind !== 'note') throw new Error(`${path} is no longer a note: ${parsed.reason}`)
  return parsed.note
}

/** Returns a function that does one random step on a random machine. */
function randomSteps(world: World): () => Promise<void> {
  const { random, machines, linkOf, connect, written, overwritten, tags, removed } = world
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  let count = 0
  let at = 10_000_000

  /** Mostly one of the first few files, so that machines change the same notes. */
  const someFile = (machine: Machine) => {
    const files = Object.keys(machine.files())
    return pick(random() < 0.7 ? files.slice(0, 4) : files)
  }
  const newBody = () => {
    const body = `Version ${++count} says ${random().toString(36)}`
    written.add(body)
    return body
  }
  /** The clock of a machine always advances, but the clocks of two machines differ. */
  const now = () => (at += Math.floor(random() * 1000) - (random() < 0.2 ? 5000 : 0))
  const byHand = (machine: Machine) => {
    const path = someFile(machine)
    if (!path) return
    const before = noteAt(machine, path)
    overwritten.add(before.body)
    const stamp = random() < 0.5 ? { updatedAt: now() } : {}
    writeFileSync(join(machine.memory, path), writeNote({ ...before, body: newBody(), ...stamp }))
  }

  const actions: [number, (machine: Machine) => unknown][] = [
    [6, (machine) => machine.note(newBody(), { project: pick(['app', 'web']) as never })],
    [
      6,
      async (machine) => {
        const path = someFile(machine)
        if (!path) return
        const before = noteAt(machine, path)
        const body = newBody()
        const changed = await machine.edit(before.id, { body }, now())
        // After a kill the database may not know the file yet; then nothing was changed.
        if (changed?.receipt.kind === 'updated') overwritten.add(before.body)
        else written.delete(body)
      },
    ],
    [6, byHand],
    [
      4,
      async (machine) => {
        const path = someFile(machine)
        if (!path) return
        const before = noteAt(machine, path)
        const tag = `t${++count}`
        const changed = await machine.edit(before.id, { tags: [...before.tags, tag] }, now())
        if (changed?.receipt.kind === 'updated') tags.push({ file: path, tag })
      },
    ],
    [
      2,
      async (machine) => {
        const path = someFile(machine)
        if (path) await pick([forgetNote, restoreNote])(machine.book, asNoteId(noteAt(machine, path).id), now())
      },
    ],
    [
      2,
      (machine) => {
        const path = someFile(machine)
        if (!path) return
        overwritten.add(noteAt(machine, path).body)
        removed.add(path)
        rmSync(join(machine.memory, path))
      },
    ],
    [
      1,
      (machine) => {
        if (existsSync(linkOf(machine))) rmSync(linkOf(machine))
        else connect(machine)
      },
    ],
    [5, (machine) => machine.sync()],
    [
      4,
      async (machine) => {
        // Edit files by hand at random moments of the sync.
        const syncing = machine.sync()
        for (let edits = 0; edits < 6; edits++) {
          await Bun.sleep(random() * 60)
          byHand(machine)
        }
        await syncing
      },
    ],
    [1, () => Promise.all(machines.map((machine) => machine.sync()))],
    [
      4,
      async (machine) => {
        world.kills += Number(await killedSync(machine, linkOf(machine), random))
      },
    ],
    [
      1,
      async (machine) => {
        // Conflicts do not keep a new note from arriving.
        const other = pick(machines.filter((candidate) => candidate !== machine))
        for (const either of [machine, other]) connect(either)
        const id = await machine.note(newBody())
        const reports = [await machine.sync(), await other.sync()]
        for (const { outcome, reason } of reports) expect({ outcome, reason }).toEqual({ outcome: 'synced', reason: null })
        expect(Object.keys(other.files())).toContain(`app/${id}.md`)
      },
    ],
  ]
  const weighted = actions.flatMap(([weight, action]) => Array.from({ length: weight }, () => action))

  return async () => {
    await pick(weighted)(pick(machines))
  }
}

/** Connects all machines and syncs until nothing changes any more. */
async function syncUntilSettled({ machines, connect }: World): Promise<void> {
  for (const machine of machines) connect(machine)
  for (let round = 0; round < 10; round++) {
    let changes = 0
    for (const machine of machines) {
      const report = await machine.sync()
      expect(report).toMatchObject({ outcome: 'synced', reason: null })
      changes += report.committed.length + report.received.length + Number(report.pushed)
    }
    if (changes === 0) return
  }
  throw new Error('the machines still exchange changes after ten rounds')
}

/** All machines have the same files, with every body that was not overwritten and every tag. */
function checkFiles({ machines, written, overwritten, tags, removed, kills }: World): void {
  const [first, ...others] = machines.map((machine) => machine.files())
  for (const files of others) expect(files).toEqual(first as Record<string, string>)
  for (const machine of machines) expect(machine.git('status', '--porcelain', '--', '*.md')).toBe('')
  const notes = Object.keys(first ?? {}).map((path) => ({ path, note: noteAt(machines[0] as Machine, path) }))
  const bodies = new Set(notes.map(({ note }) => note.body))
  expect([...written].filter((body) => !overwritten.has(body) && !bodies.has(body))).toEqual([])
  for (const { file, tag } of tags.filter(({ file }) => !removed.has(file)))
    expect(notes.find(({ path }) => path === file)?.note.tags).toContain(tag)
  // A run without kills, conflicts or deletions would prove little.
  expect(kills).toBeGreaterThan(0)
  expect(notes.length).toBeGreaterThan(5)
}

/** The database of each machine agrees with its files. */
async function checkRows({ machines }: World): Promise<void> {
  for (const machine of machines) {
    for (const path of Object.keys(machine.files())) {
      const onDisk = noteAt(machine, path)
      const row = await machine.store.notes.get(onDisk.id)
      if (row?.path === `memory/${path}`) expect(row).toMatchObject({ body: onDisk.body, tags: onDisk.tags, deletedAt: onDisk.deletedAt })
      else expect(row?.updatedAt).toBeGreaterThanOrEqual(onDisk.updatedAt)
    }
  }
}

/** Syncs in a process that is killed at a random moment, sometimes together with its git. True if it was killed before it ended. */
async function killedSync(machine: Machine, remote: string, random: () => number): Promise<boolean> {
  const script = join(import.meta.dir, '..', 'support', 'sync-child.ts')
  const child = Bun.spawn([process.execPath, script, machine.folder, machine.name, remote], { stdout: 'pipe', stderr: 'pipe' })
  const reader = child.stdout.getReader()
  await reader.read() // the sync has started
  await Bun.sleep(random() * 250)
  if (random() < 0.5) for (const pid of childrenOf(child.pid)) kill(pid)
  kill(child.pid)
  await child.exited
  return child.signalCode === 'SIGKILL'
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return [] // on other systems than Linux only the sync itself is killed
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // already ended
  }
}

/** Pseudo-random numbers that can be repeated. */
function seededRandom(seed: number): () => number {
  let state = seed * 0x9e3779b9
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
