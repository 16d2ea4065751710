/** Large notebooks: rebuilding all rows from the files, and a sync with few changes, compared with plain git commands. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitWithUsageError, parseArguments } from '../scripts/arguments.ts'
import { asNoteId } from '../src/core/note.ts'
import { ulid } from '../src/core/ulid.ts'
import { type Notebook, reindex, writeNote } from '../src/notes/notes.ts'
import { openStore } from '../src/store/store.ts'
import { syncNotes } from '../src/sync/sync.ts'
import { noteText } from '../test/support/builders.ts'

const [count = '10000'] = parseArguments('bench/sync.ts [notes]', {}, { words: true }).positionals
const NOTES = /^[1-9]\d*$/.test(count) ? Number(count) : exitWithUsageError(`"${count}" is not a number of notes`)
const CHANGED = 10
const folder = mkdtempSync(join(tmpdir(), 'recollect-bench-'))
const remote = join(folder, 'notes.git')
Bun.spawnSync(['git', 'init', '--quiet', '--bare', '-b', 'main', remote])

const [first, second] = [await aBook('first'), await aBook('second')]
for (let at = 0; at < NOTES; at++) put(first, at, 0)
await timed(`reindex of ${NOTES} new notes`, async () => void (await reindex(first)))
await timed('reindex with nothing changed', async () => void (await reindex(first)))
await timed('first sync, all notes', () => sync(first))
await timed('first sync of another machine', () => sync(second))
for (let round = 1; round <= 3; round++) {
  for (let at = 0; at < CHANGED; at++) put(first, at * 7, round)
  await timed(`sync with ${CHANGED} changed`, () => sync(first))
  await timed('the other machine receives them', () => sync(second))
  await timed('sync with nothing to do', () => sync(first))
  const git = ['git', '-C', join(first.folder, 'memory')]
  await timed('git status and a fetch, for comparison', async () => {
    Bun.spawnSync([...git, 'status', '--porcelain'])
    Bun.spawnSync([...git, 'fetch', '--quiet', remote, 'main'])
  })
}
for (const book of [first, second]) book.store.close()
rmSync(folder, { recursive: true })

async function aBook(machine: string): Promise<Notebook> {
  const home = join(folder, machine)
  mkdirSync(home)
  return { store: await openStore(join(home, 'recollect.db')), folder: home, machine, clean: (text) => text }
}

function put(book: Notebook, at: number, version: number): void {
  const path = join(book.folder, 'memory', `project-${at % 20}`)
  mkdirSync(path, { recursive: true })
  const id = ulid(1_700_000_000_000 + at, new Uint8Array(10))
  const note = noteText({
    id: asNoteId(id),
    title: `Note ${at} about module${at % 97}`,
    namespace: 'learnings',
    tags: [`t${at % 13}`],
    createdAt: 1_700_000_000_000 + at,
    updatedAt: 1_700_000_000_000 + at + version,
    machine: book.machine,
    body: `Version ${version} of note ${at}. ${`The module in src/module${at % 97}.ts keeps value ${at * 31} for step ${at % 11}. `.repeat(5)}`,
  })
  writeFileSync(join(path, `${id}.md`), writeNote(note))
}

async function sync(book: Notebook): Promise<void> {
  const { report } = await syncNotes(book, { remote, fetch: true, push: true }, Date.now())
  if (report.outcome !== 'synced') throw new Error(`${report.outcome}: ${report.reason}`)
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const started = performance.now()
  const cpu = process.cpuUsage()
  await work()
  const used = process.cpuUsage(cpu)
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2).padStart(8)} s`
  console.log(`${what.padEnd(44)} ${seconds(performance.now() - started)}  own CPU ${seconds((used.user + used.system) / 1000)}`)
}
