/**
 * Three machines and one remote, hundreds of random steps from a seed: notes are written, edited by the API and by hand, tagged,
 * deleted, restored and removed; machines go offline, sync at the same time as somebody edits, and are killed in the middle of it.
 * `RECOLLECT_SYNC_SEEDS=20` runs more of them, `RECOLLECT_SYNC_SEED=7` one.
 */
import { expect, test } from 'bun:test'
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asNoteId } from '../../src/core/note.ts'
import { forgetNote, parseNote, restoreNote, writeNote } from '../../src/notes/notes.ts'
import { aMachine, aRemote, type Machine } from '../support/machines.ts'

const one = Number(process.env.RECOLLECT_SYNC_SEED ?? Number.NaN)
const seeds = Number.isNaN(one) ? Array.from({ length: Number(process.env.RECOLLECT_SYNC_SEEDS ?? 3) }, (_, i) => i + 1) : [one]
const STEPS = 70

for (const seed of seeds) {
  test(`nothing is lost and all end the same, seed ${seed}`, async () => {
    using remote = aRemote()
    const world = await aWorld(seed, remote.path)
    for (let step = 0; step < STEPS; step++) await world.step()
    await world.settle()
    world.check()
    await world.checkRows()
    world.end()
  }, 300_000)
}

async function aWorld(seed: number, remote: string) {
  const random = chance(seed)
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
  const machines: Machine[] = []
  for (const name of ['a', 'b', 'c']) {
    // Each machine reaches the remote by a way of its own, which can be cut.
    const link = `${remote}-${name}`
    symlinkSync(remote, link)
    machines.push(await aMachine(name, link))
  }
  const wayOf = (machine: Machine) => `${remote}-${machine.name}`
  /** Every body that was ever written, and those that somebody overwrote or removed who had them in front of them. */
  const written = new Set<string>()
  const overwritten = new Set<string>()
  /** Tags by the file they were put on; a file that anybody removed is not looked at. */
  const tags: { file: string; tag: string }[] = []
  const removed = new Set<string>()
  let count = 0
  let kills = 0
  let at = 10_000_000

  const noteAt = (machine: Machine, path: string) => {
    const parsed = parseNote(readFileSync(join(machine.memory, path), 'utf8'))
    if (parsed.kind !== 'note') throw new Error(`${path} is no note any more: ${parsed.reason}`)
    return parsed.note
  }
  /** Mostly one of a few, so that machines meet. */
  const someFile = (machine: Machine) => {
    const files = Object.keys(machine.files())
    return pick(random() < 0.7 ? files.slice(0, 4) : files)
  }
  const newBody = () => {
    const body = `Version ${++count} says ${random().toString(36)}`
    written.add(body)
    return body
  }
  /** The same machine clock never stands; those of two machines differ. */
  const now = () => (at += Math.floor(random() * 1000) - (random() < 0.2 ? 5000 : 0))
  const byHand = (machine: Machine) => {
    const path = someFile(machine)
    if (!path) return
    const before = noteAt(machine, path)
    overwritten.add(before.body)
    const stamp = random() < 0.5 ? { updatedAt: now() } : {}
    writeFileSync(join(machine.memory, path), writeNote({ ...before, body: newBody(), ...stamp }))
  }

  const acts: [number, (machine: Machine) => unknown][] = [
    [6, (machine) => machine.note(newBody(), { project: pick(['app', 'web']) as never })],
    [
      6,
      async (machine) => {
        const path = someFile(machine)
        if (!path) return
        const before = noteAt(machine, path)
        const body = newBody()
        const changed = await machine.edit(before.id, { body }, now())
        // After a kill the database may not know the file yet: then nothing was changed.
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
        if (existsSync(wayOf(machine))) rmSync(wayOf(machine))
        else symlinkSync(remote, wayOf(machine))
      },
    ],
    [5, (machine) => machine.sync()],
    [
      4,
      async (machine) => {
        // Edits by hand while the sync is under way, at whatever moment it is.
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
        kills += Number(await killedSync(machine, wayOf(machine), random))
      },
    ],
    [
      1,
      async (machine) => {
        // Whatever stands in conflict, a new note arrives.
        const other = pick(machines.filter((one) => one !== machine))
        for (const one of [machine, other]) if (!existsSync(wayOf(one))) symlinkSync(remote, wayOf(one))
        const id = await machine.note(newBody())
        const sent = await machine.sync()
        const got = await other.sync()
        for (const { outcome, reason } of [sent, got]) expect({ outcome, reason }).toEqual({ outcome: 'synced', reason: null })
        expect(Object.keys(other.files())).toContain(`app/${id}.md`)
      },
    ],
  ]
  const weighted = acts.flatMap(([weight, act]) => Array.from({ length: weight }, () => act))

  return {
    step: async () => {
      await pick(weighted)(pick(machines))
    },
    /** Everybody comes back and syncs until nobody has anything to say. */
    settle: async () => {
      for (const machine of machines) if (!existsSync(wayOf(machine))) symlinkSync(remote, wayOf(machine))
      for (let round = 0; round < 10; round++) {
        let moved = 0
        for (const machine of machines) {
          const report = await machine.sync()
          expect(report).toMatchObject({ outcome: 'synced', reason: null })
          moved += report.committed.length + report.received.length + Number(report.pushed)
        }
        if (moved === 0) return
      }
      throw new Error('they never come to rest')
    },
    check: () => {
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
    },
    /** What the database of each machine says is what its files say. */
    checkRows: async () => {
      for (const machine of machines) {
        for (const path of Object.keys(machine.files())) {
          const onDisk = noteAt(machine, path)
          const row = await machine.store.notes.get(onDisk.id)
          if (row?.path === `memory/${path}`)
            expect(row).toMatchObject({ body: onDisk.body, tags: onDisk.tags, deletedAt: onDisk.deletedAt })
          else expect(row?.updatedAt).toBeGreaterThanOrEqual(onDisk.updatedAt)
        }
      }
    },
    end: () => {
      for (const machine of machines) machine[Symbol.dispose]()
    },
  }
}

/** Syncs in a process that is killed at some moment, sometimes together with the git it runs. True when it was killed before its end. */
async function killedSync(machine: Machine, remote: string, random: () => number): Promise<boolean> {
  const script = join(import.meta.dir, '..', 'support', 'sync-child.ts')
  const child = Bun.spawn([process.execPath, script, machine.folder, machine.name, remote], { stdout: 'pipe', stderr: 'pipe' })
  const reader = child.stdout.getReader()
  await reader.read() // it has begun
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
    return [] // elsewhere than on Linux only the sync itself is killed
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it ended by itself
  }
}

/** Chance that can be had again. */
function chance(seed: number): () => number {
  let state = seed * 0x9e3779b9
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
