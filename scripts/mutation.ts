/**
 * `npm run mutation -- --room core --count 300 --seed 1`: makes small mistakes in a room's files, one at a time in a throw-away copy, and counts how many
 * the tests notice. Each mutant runs the test beside its file and the nearest tests that import it; with `--room-tests`, those that survived also run all other
 * tests of the room. Results go to docs/mutation/<room>.json, and a run that was interrupted goes on where it stopped. `--again` tries those that survived
 * again, after tests were added (`--only` those of some files); the sample stays the same when the source changes.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { seededRandom } from '../bench/sample-store.ts'
import { findPrograms, type Postgres, startPostgres } from '../test/support/postgres.ts'
import { exitWithUsageError, parseArguments } from './arguments.ts'
import { applyMutant, type Mutant, mutantsOf } from './mutants.ts'

type MutantOfFile = Mutant & { file: string }
/** The cost of one run of tests. */
type Cost = { ms: number; cpuSeconds: number }
/** `survived`: every test passed. `untested`: no test imports the file. */
type Outcome = 'killed' | 'timed out' | 'survived' | 'untested'
/** `roomTests`: the other tests of the room ran as well. `why`: the reason for which a survivor needs no test. */
type MutantResult = Pick<Mutant, 'line' | 'what' | 'before' | 'after'> & {
  file: string
  outcome: Outcome
  tests: string[]
  roomTests?: boolean
  why?: string
}

const USAGE = 'scripts/mutation.ts --room core [--count 300] [--seed 1] [--minutes 60] [--again] [--room-tests] [--only headline,links]'
const option = (value: string) => ({ type: 'string', default: value }) as const
const flag = { type: 'boolean', default: false } as const
const { values } = parseArguments(USAGE, {
  room: option(''),
  count: option('300'),
  seed: option('1'),
  minutes: option('60'),
  only: option(''),
  again: flag,
  'room-tests': flag,
})
const wholeNumber = (name: 'count' | 'seed' | 'minutes') =>
  /^[1-9]\d*$/.test(values[name]) ? Number(values[name]) : exitWithUsageError(`--${name} must be a whole number above 0`)
const [count, seed, minutes] = [wholeNumber('count'), wholeNumber('seed'), wholeNumber('minutes')]
const { room } = values

const MAX_TEST_FILES = 3
/** Tests of other rooms that are further away test something else. */
const MAX_IMPORT_STEPS = 3
/** The tests of the hub reach its files through their support files. */
const MAX_STEPS_IN_ROOM = 6

const root = join(import.meta.dir, '..')
if (!existsSync(join(root, 'src', room)) || room === '') exitWithUsageError(`"${room}" is not a room of src`)
const resultFile = join(root, 'docs', 'mutation', `${room}.json`)
const roomTests = [...new Bun.Glob(`src/${room}/**/*.test.ts`).scanSync(root)].sort()
const testsOf = testFinder()
const chosen = chooseMutants()
const done = readResults()
const copy = makeCopy()
const until = Date.now() + minutes * 60_000
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (isInterrupted = true))
const isTimeLeft = () => Date.now() < until && !isInterrupted
const usualCosts = new Map<string, Cost>()
let postgres: Postgres | null = null

try {
  if (room === 'hub' && findPrograms()) postgres = await shareDatabase()
  for (let at = 0; at < chosen.length && isTimeLeft(); at++) {
    const earlier = done[at]
    if (earlier && !(values.again && isUnnoticed(earlier.outcome) && isWanted(earlier))) continue
    const mutant = earlier ? sameMutant(earlier) : chosen[at]
    if (mutant) note(at, mutant, await tryNearTests(mutant))
  }
  if (values['room-tests'])
    for (const [at, earlier] of done.entries()) {
      if (!isTimeLeft()) break
      const mutant = isUnnoticed(earlier.outcome) && !earlier.roomTests && sameMutant(earlier)
      if (mutant) note(at, mutant, await tryRoomTests(mutant, earlier))
    }
} finally {
  await postgres?.remove()
  rmSync(copy, { recursive: true, force: true })
}
const noticed = done.filter(({ outcome }) => !isUnnoticed(outcome)).length
console.log(`${room}: ${noticed} of ${done.length} mutants noticed (${Math.round((100 * noticed) / done.length)} %), seed ${seed}`)

/** `--only` names parts of paths. */
function isWanted({ file }: MutantResult): boolean {
  return values.only.split(',').some((part) => file.includes(part))
}

function note(at: number, mutant: MutantOfFile, result: Pick<MutantResult, 'outcome' | 'tests' | 'roomTests'>): void {
  const { file, line, what, before, after } = mutant
  const why = isUnnoticed(result.outcome) ? done[at]?.why : undefined
  done[at] = { file, line, what, before, after, ...result, ...(why && { why }) }
  if (isUnnoticed(result.outcome)) console.log(`${result.outcome}: ${file}:${line} ${what}: ${oneLine(before)} → ${oneLine(after)}`)
  writeResults()
}

/** The same mutants for the same seed and source. */
function chooseMutants(): MutantOfFile[] {
  const files = [...new Bun.Glob(`src/${room}/**/*.{ts,tsx}`).scanSync(root)].filter((file) => !/\.test\.tsx?$/.test(file)).sort()
  const all = files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')).map((mutant) => ({ ...mutant, file })))
  const random = seededRandom(seed)
  for (let at = all.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1))
    const [a, b] = [all[at], all[other]]
    if (a && b) [all[at], all[other]] = [b, a]
  }
  console.log(`${all.length} mutants in ${files.length} files of ${room}; ${Math.min(count, all.length)} chosen`)
  return all.slice(0, count)
}

/** Finds the tests of a file: the one beside it and those of its room that import it, or else those that reach it by the fewest imports. */
function testFinder(): (file: string) => string[] {
  // The tests in `test/` need much time, or programs that may be missing.
  const files = [...new Bun.Glob('{src,test}/**/*.{ts,tsx}').scanSync(root)].filter((file) => !/^test\/.*\.test\.ts$/.test(file))
  const importers = new Map<string, string[]>()
  for (const file of files)
    for (const [, path = ''] of readFileSync(join(root, file), 'utf8').matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
      const imported = relative(root, resolve(root, dirname(file), path))
      importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  const isInRoom = (file: string) => file.startsWith(`src/${room}/`)
  // Small test files first: they are about one thing, and quick.
  const order = (a: string, b: string) => Number(isInRoom(b)) - Number(isInRoom(a)) || sizeOf(a) - sizeOf(b) || a.localeCompare(b)
  return (file) => {
    const own = file.replace(/\.tsx?$/, '.test.ts')
    const tests = files.includes(own) ? [own] : []
    const seen = new Set([file, own])
    for (let step = 0, edge = [file]; step < MAX_STEPS_IN_ROOM && edge.length > 0 && tests.length < MAX_TEST_FILES; step++) {
      edge = [...new Set(edge.flatMap((path) => importers.get(path) ?? []))].filter((path) => !seen.has(path))
      for (const path of edge) seen.add(path)
      const near = edge
        .filter((path) => path.endsWith('.test.ts') && (isInRoom(path) || (tests.length === 0 && step < MAX_IMPORT_STEPS)))
        .sort(order)
      tests.push(...near.slice(0, MAX_TEST_FILES - tests.length))
      if (files.includes(own)) break
      edge = edge.filter((path) => !path.endsWith('.test.ts'))
    }
    return tests
  }
}

function sizeOf(file: string): number {
  return statSync(join(root, file)).size
}

async function tryNearTests(mutant: MutantOfFile): Promise<Pick<MutantResult, 'outcome' | 'tests'>> {
  const tests = testsOf(mutant.file)
  return { outcome: tests.length === 0 ? 'untested' : await runMutant(mutant, tests), tests }
}

async function tryRoomTests(
  mutant: MutantOfFile,
  { outcome, tests }: MutantResult,
): Promise<Pick<MutantResult, 'outcome' | 'tests' | 'roomTests'>> {
  const others = roomTests.filter((test) => !tests.includes(test))
  return { outcome: others.length === 0 ? outcome : await runMutant(mutant, others), tests, roomTests: true }
}

function isUnnoticed(outcome: Outcome): boolean {
  return outcome === 'survived' || outcome === 'untested'
}

async function runMutant(mutant: MutantOfFile, tests: string[]): Promise<Outcome> {
  const usual = await usualCost(tests)
  const original = readFileSync(join(root, mutant.file), 'utf8')
  writeFileSync(join(copy, mutant.file), applyMutant(original, mutant))
  try {
    // A loop without an end uses up the processor time, whatever else the machine does; waiting without an end uses up the other limit.
    return (await runTests(tests, { cpuSeconds: Math.ceil(2 * usual.cpuSeconds) + 2, ms: 5 * usual.ms + 5000 })).outcome
  } finally {
    writeFileSync(join(copy, mutant.file), original)
  }
}

async function usualCost(tests: string[]): Promise<Cost> {
  const key = tests.join(' ')
  const known = usualCosts.get(key)
  if (known) return known
  const { outcome, cost } = await runTests(tests, { cpuSeconds: 300, ms: 600_000 })
  if (outcome !== 'survived') throw new Error(`without a mutant, these tests fail: ${key}`)
  usualCosts.set(key, cost)
  return cost
}

async function runTests(tests: string[], limit: Cost): Promise<{ outcome: Outcome; cost: Cost }> {
  const command = [process.execPath, 'test', '--bail', `--timeout=${Math.round(limit.ms)}`, ...tests.map((file) => `./${file}`)]
  const started = performance.now()
  const limited = ['sh', '-c', `ulimit -t ${limit.cpuSeconds}; exec "$@"`, 'sh', ...command]
  const child = Bun.spawn(limited, { cwd: copy, stdio: ['ignore', 'ignore', 'ignore'], detached: true })
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limit.ms)
  const code = await child.exited
  clearTimeout(timer)
  const cost = { ms: performance.now() - started, cpuSeconds: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6 }
  if (child.signalCode === 'SIGKILL' || child.signalCode === 'SIGXCPU') return { outcome: 'timed out', cost }
  return { outcome: code === 0 ? 'survived' : 'killed', cost }
}

/** Everything that unit tests read. */
function makeCopy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-mutation-'))
  for (const part of [
    'src',
    'test',
    'scripts',
    'bench',
    'eval',
    'assets',
    'bin',
    'plugin',
    'docs',
    'package.json',
    'tsconfig.json',
    'house.json',
  ])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/**
 * Each run of the hub's tests makes a database inside its process, which takes longer than the tests. If PostgreSQL is installed, one server serves all
 * mutants, and each run gets an empty database of it.
 */
async function shareDatabase(): Promise<Postgres> {
  const server = await startPostgres()
  const text = `import { SQL } from 'bun'
import { postgresLogins } from './team.ts'

const url = (database: string, role = 'postgres') => \`postgres://\${role}@127.0.0.1:${server.port}/\${database}\`
async function newDatabase() {
  await using sql = new SQL(url('postgres'))
  const name = \`run_\${process.pid}_\${Date.now()}\`
  await sql.unsafe(\`CREATE DATABASE \${name}\`)
  return name
}
export const pgliteLogins = () => postgresLogins({ url, newDatabase } as never)
`
  writeFileSync(join(copy, 'test', 'support', 'pglite.ts'), text)
  return server
}

/** The results of an earlier run with the same seed. Only when the source is the same can the run go on with further mutants. */
function readResults(): MutantResult[] {
  if (!existsSync(resultFile)) return []
  const earlier = JSON.parse(readFileSync(resultFile, 'utf8')) as { seed: number; mutants: MutantResult[] }
  const isSame = (result: MutantResult, at: number) => {
    const now = chosen[at]
    return now?.file === result.file && now.line === result.line && now.after === result.after
  }
  const isUsable = earlier.mutants.length >= chosen.length || earlier.mutants.every(isSame)
  return earlier.seed === seed && isUsable ? earlier.mutants.slice(0, chosen.length) : []
}

/** The mutant of an earlier run in the present source, where its line may have moved. */
function sameMutant({ file, line, what, before, after }: MutantResult): MutantOfFile | undefined {
  const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
  const same = mutantsOf(file, text).filter((mutant) => mutant.what === what && mutant.before === before && mutant.after === after)
  const [nearest] = same.sort((a, b) => Math.abs(a.line - line) - Math.abs(b.line - line))
  if (!nearest) console.log(`no longer there: ${file}:${line} ${what}: ${oneLine(before)}`)
  return nearest && { ...nearest, file }
}

function writeResults(): void {
  mkdirSync(dirname(resultFile), { recursive: true })
  const date = new Date().toISOString().slice(0, 10)
  const lines = done.map((result) => `  ${JSON.stringify(result)}`).join(',\n')
  writeFileSync(resultFile, `{ "room": "${room}", "seed": ${seed}, "date": "${date}", "mutants": [\n${lines}\n] }\n`)
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 80)}…` : line
}
