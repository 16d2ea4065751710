/**
 * Measures the check of memories against the code: what it adds to a brief at 100,000 memories, in one run with briefs without it, how fast
 * definitions are read, and how much room anchors take. bench/anchors.ts [size]
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArguments } from '../scripts/arguments.ts'
import { anchorsAt } from '../src/anchors/anchors.ts'
import { readDefinitions } from '../src/anchors/outline.ts'
import type { Anchor } from '../src/core/anchor.ts'
import { briefFor, type CheckCode } from '../src/inject/brief.ts'
import { loadSettings } from '../src/platform/settings.ts'
import { openStore } from '../src/store/store.ts'
import { marksOf } from '../src/worker/code-check.ts'
import { environment } from '../test/support/builders.ts'
import { processorTime } from '../test/support/growth.ts'
import { BIG_PROJECT, openSampleStore, percentiles } from './sample-store.ts'

const NOW = 1_800_000_000_000
const ROUNDS = 200
const GOAL = { p50: 5, p95: 15 }
/** As in a hook. */
const WAIT = { readMs: 60, searchMs: 10 }

const { positionals } = parseArguments('bench/anchors.ts [size]', {}, { words: true })
const size = Number(positionals[0] ?? 100_000)
const folder = mkdtempSync(join(tmpdir(), 'recollect-bench-anchors-'))
try {
  await measure()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function measure(): Promise<void> {
  const { top, files } = makeWorkTree()
  const anchors = printReading(top, files)
  const sample = await openSampleStore(size)
  sample.store.close()
  copyFileSync(sample.path, join(folder, 'bench.db'))
  const store = await openStore(join(folder, 'bench.db'))
  const ids = (await store.observations.recent(BIG_PROJECT, size)).map(({ id }) => id)
  const before = store.bytes()
  const started = performance.now()
  const statements = await store.anchors()
  for (let at = 0; at < ids.length; at += 1000)
    await store.transaction(async () => {
      for (const id of ids.slice(at, at + 1000))
        await statements.set({ kind: 'observation', ref: String(id) }, [pick(anchors, id), pick(anchors, id * 7)])
    })
  const seconds = (performance.now() - started) / 1000
  const perMemory = (store.bytes() - before) / ids.length
  console.log(
    `storage: ${ids.length.toLocaleString('en')} memories with two anchors each take ${perMemory.toFixed(0)} bytes per memory; ${Math.round(ids.length / seconds).toLocaleString('en')} memories anchored per second`,
  )
  changeCode(top, files)
  await printBriefs(store, top, files)
  store.close()
}

function pick(anchors: Anchor[], index: number): Anchor {
  return anchors[index % anchors.length] as Anchor
}

/** This project's own source as a repository. */
function makeWorkTree(): { top: string; files: string[] } {
  const top = join(folder, 'tree')
  cpSync(join(import.meta.dir, '..', 'src'), join(top, 'src'), { recursive: true })
  const git = (...args: string[]) => execFileSync('git', ['-C', top, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args])
  git('init', '--quiet')
  git('add', '.')
  git('commit', '--quiet', '-m', 'bench')
  const files = [...new Bun.Glob('src/**/*.ts').scanSync(top)].sort()
  return { top, files }
}

function printReading(top: string, files: string[]): Anchor[] {
  const commit = execFileSync('git', ['-C', top, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
  const texts = files.map((path) => [path, readFileSync(join(top, path), 'utf8')] as const)
  for (const [path, text] of texts.slice(0, 100)) readDefinitions(path, text)
  const started = performance.now()
  let definitions = 0
  let characters = 0
  const anchors = texts.flatMap(([path, text]) => {
    const found = readDefinitions(path, text)
    definitions += found.length
    characters += text.length
    const places = found.slice(0, 4).map(({ start }) => ({ start, end: start }))
    return anchorsAt(path, text, places, { commit, branch: 'main' }).filter(({ name }) => name !== null)
  })
  const ms = performance.now() - started
  console.log(
    `reading: ${files.length} files, ${definitions.toLocaleString('en')} definitions, ${(characters / 1e6).toFixed(1)} MB in ${ms.toFixed(0)} ms: ${(characters / 1e3 / ms).toFixed(1)} MB/s, ${(ms / files.length).toFixed(2)} ms per file`,
  )
  return anchors
}

/** A month of work: a third of the definitions changed, one in twelve is gone. */
function changeCode(top: string, files: string[]): void {
  for (const [index, path] of files.entries()) {
    const text = readFileSync(join(top, path), 'utf8')
    const definitions = readDefinitions(path, text).filter(({ kind }) => kind === 'function')
    let changed = text
    for (const [place, { start, end }] of definitions.toReversed().entries()) {
      if ((index + place) % 12 === 0) changed = changed.slice(0, start) + changed.slice(end)
      else if ((index + place) % 3 === 0) changed = `${changed.slice(0, end - 1)}  changedSince()\n${changed.slice(end - 1)}`
    }
    if (changed !== text) writeFileSync(join(top, path), changed)
  }
}

async function printBriefs(store: Awaited<ReturnType<typeof openStore>>, top: string, files: string[]): Promise<void> {
  const seen = environment(folder)
  const services = { store, settings: loadSettings(seen).settings, environment: seen, notebook: { clean: (text: string) => text } }
  const checkCode: CheckCode = (memories) => marksOf(services, top, memories, WAIT)
  // Between two sessions one file in twenty changes: what is remembered about it is of no use.
  const touchSome = (round: number) => {
    for (let index = round % 20; index < files.length; index += 20) utimesSync(join(top, files[index] ?? ''), new Date(), new Date())
  }
  const times: Record<'without' | 'with', number[]> = { without: [], with: [] }
  const processor: Record<'without' | 'with', number[]> = { without: [], with: [] }
  let marked = 0
  for (let round = -10; round < ROUNDS; round++) {
    touchSome(Math.abs(round))
    for (const kind of ['without', 'with'] as const) {
      const began = performance.now()
      const used = processorTime()
      const brief = await briefFor(store, { project: BIG_PROJECT, now: NOW, ...(kind === 'with' ? { checkCode } : {}) })
      if (round >= 0) times[kind].push(performance.now() - began)
      if (round >= 0) processor[kind].push(used())
      if (round === 0 && kind === 'with')
        marked = brief.text.split('\n').filter((line) => /changed since|no longer in the code|is now/.test(line)).length
    }
  }
  const added = times.with.map((ms, index) => ms - (times.without[index] ?? 0))
  const [without, withCheck, difference] = [percentiles(times.without), percentiles(times.with), percentiles(added)]
  const row = (name: string, { p50, p95 }: { p50: number; p95: number }) => `${name}: p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`
  console.log(row(`brief at ${size.toLocaleString('en')} memories without the check`, without))
  console.log(row(`brief with the check (${marked} lines marked)`, withCheck))
  const work = percentiles(processor.with.map((ms, index) => ms - (processor.without[index] ?? 0)))
  const isMet = difference.p50 <= GOAL.p50 && difference.p95 <= GOAL.p95
  console.log(`${row('the check adds', difference)} (goal ${GOAL.p50} and ${GOAL.p95} ms: ${isMet ? 'met' : 'MISSED'})`)
  console.log(row('in processor time, which a busy machine does not change, it adds', work))
}
