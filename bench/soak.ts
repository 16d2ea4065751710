/**
 * `npm run soak`: ten clients at once, each ten times as fast as a usual session, against a real worker in a throw-away home, for an hour. Prints a line
 * every quarter of a minute, and checks at the end that memory, handles, times and files stayed flat and that every event is stored exactly once.
 * bench/soak.ts [--minutes 60] [--clients 10] [--speed 10] [--out file.json]
 */
import { Database } from 'bun:sqlite'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitWithUsageError, parseArguments } from '../scripts/arguments.ts'
import { judgeFlatness, type Sample } from './flatness.ts'
import { median, spawnWith } from './measure.ts'
import { type SimulatedSession, simulatedSession, USUAL_TOOL_USES_PER_MINUTE } from './simulated-client.ts'

const USAGE = 'bench/soak.ts [--minutes 60] [--clients 10] [--speed 10] [--out file.json]'
const option = (value: string) => ({ type: 'string', default: value }) as const
const { values } = parseArguments(USAGE, { minutes: option('60'), clients: option('10'), speed: option('10'), out: { type: 'string' } })
const positive = (name: 'minutes' | 'clients' | 'speed') =>
  Number(values[name]) > 0 ? Number(values[name]) : exitWithUsageError(`--${name} must be a number above 0`)
const [minutes, clients, speed] = [positive('minutes'), positive('clients'), positive('speed')]

const SAMPLES = Math.max(24, Math.min(240, Math.round(minutes * 4)))
/** One event of so many goes through the real hook, a process of its own; the others go straight to the socket. */
const REAL_HOOK_RATIO = 10
const SEARCH_EVERY_MS = 2000
const PROJECTS = 4
/** Every event that is not a tool use counts too: a prompt, its answer, and the session around them. */
const EVENT_PAUSE_MS = 60_000 / (USUAL_TOOL_USES_PER_MINUTE * speed)

const root = join(import.meta.dir, '..')
const folder = mkdtempSync(join(tmpdir(), 'rc-soak-'))
const program = copyBuiltProgram()
const env = { HOME: folder, RECOLLECT_WORKER_PORT: '0' }
const home = join(folder, '.recollect')
const unix = join(home, 'run', 'worker.sock')
const recollect = (...args: string[]) => spawnWith([join(program, 'bin', 'recollect'), ...args], '', env)
const transcripts = join(folder, '.claude', 'projects', 'soak')
mkdirSync(transcripts, { recursive: true })

const sent = { events: 0, prompts: new Set<string>(), toolUses: new Set<string>(), sessions: 0 }
let times: { toolUse: number[]; prompt: number[]; idle: number[] } = { toolUse: [], prompt: [], idle: [] }
const samples: Sample[] = []
let isOver = false
let nextSession = 1
let lastProcessorMs = 0

try {
  await recollect('init', '--yes', '--no-mcp')
  const { pid } = JSON.parse(await recollect('start', '--json')) as { pid: number }
  const hookLine = hookCommand()
  console.log(`${clients} clients, ${speed} times the usual rate, ${minutes} minutes; worker ${pid} in ${folder}`)
  const started = Date.now()
  const work = [...Array.from({ length: clients }, (_, n) => runClient(n, hookLine)), searchNowAndThen(), followStream()]
  const failed = Promise.all(work)
  failed.catch(() => {})
  for (let n = 1; n <= SAMPLES; n++) {
    await Promise.race([Bun.sleep(Math.max(0, started + (n * minutes * 60_000) / SAMPLES - Date.now())), failed])
    takeSample(pid, started)
  }
  isOver = true
  await failed
  await settled()
  const end = { memoryMb: memoryOf(pid) }
  await recollect('stop')
  if (isRunning(pid)) throw new Error(`the worker ${pid} still runs after 'recollect stop'`)
  const problems = [...report(end.memoryMb), ...missingRows()]
  for (const problem of problems) console.log(`FAILED: ${problem}`)
  process.exitCode = problems.length > 0 ? 1 : 0
} catch (cause) {
  console.log(`the end of the worker's log:\n${endOfLog()}`)
  throw cause
} finally {
  isOver = true
  await recollect('stop').catch(() => {})
  rmSync(folder, { recursive: true, force: true })
}

function endOfLog(): string {
  const path = join(home, 'logs', 'worker.log')
  return existsSync(path) ? readFileSync(path, 'utf8').slice(-3000) : ''
}

/** A copy, so that the source may change while the soak runs. */
function copyBuiltProgram(): string {
  const built = Bun.spawnSync([process.execPath, join(root, 'scripts/build.ts')], { cwd: root })
  if (!built.success) throw new Error(`could not build the program: ${built.stderr}`)
  const copy = join(folder, 'program')
  for (const part of ['dist', 'bin', 'assets', 'plugin', 'package.json']) cpSync(join(root, part), join(copy, part), { recursive: true })
  mkdirSync(join(copy, 'node_modules'))
  for (const name of ['bun', '@oven']) symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name))
  return copy
}

function hookCommand(): string {
  const settings = JSON.parse(readFileSync(join(folder, '.claude/settings.json'), 'utf8'))
  return settings.hooks.PostToolUse[0].hooks[0].command
}

/** Runs one session after the other until the time is up. */
async function runClient(client: number, hookLine: string): Promise<void> {
  const project = join(folder, 'projects', `p${client % PROJECTS}`)
  mkdirSync(project, { recursive: true })
  // The clients do not start in step.
  await Bun.sleep((EVENT_PAUSE_MS * client) / clients)
  let due = Date.now()
  while (!isOver) {
    const session = simulatedSession(nextSession++, project, transcripts)
    sent.sessions++
    for (const step of session.steps) {
      if (isOver) return
      due = Math.max(due + EVENT_PAUSE_MS, Date.now() - 10 * EVENT_PAUSE_MS)
      await Bun.sleep(Math.max(0, due - Date.now()))
      if (step.lines.length > 0) appendFileSync(session.transcript, step.lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      await deliver(session, step.event, step.payload, hookLine)
    }
  }
}

async function deliver(session: SimulatedSession, event: string, payload: Record<string, unknown>, hookLine: string): Promise<void> {
  const body = JSON.stringify(payload)
  sent.events++
  if (event === 'UserPromptSubmit') sent.prompts.add(`${session.id} ${payload.prompt_id}`)
  if (typeof payload.tool_use_id === 'string') sent.toolUses.add(`${session.id} ${payload.tool_use_id}`)
  if (sent.events % REAL_HOOK_RATIO === 0) return void (await spawnWith(['/bin/sh', '-c', hookLine], body, env))
  const headers = { 'x-recollect-strict': '1' }
  const started = performance.now()
  // A new connection each time, as from a hook process.
  const answer = await fetch('http://worker/hook/claude-code', { unix, keepalive: false, method: 'POST', body, headers })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the worker answered ${event} with ${answer.status}: ${text}`)
  const ms = performance.now() - started
  if (event === 'PostToolUse') times.toolUse.push(ms)
  if (event === 'UserPromptSubmit') times.prompt.push(ms)
}

async function searchNowAndThen(): Promise<void> {
  for (let n = 0; !isOver; n++) {
    await Bun.sleep(SEARCH_EVERY_MS)
    const query = ['npm test', 'ban ben bon', 'type:change dan', 'what failed last hour'][n % 4] ?? ''
    await (await fetch(`http://worker/api/search?query=${encodeURIComponent(query)}`, { unix, keepalive: false })).text()
    const started = performance.now()
    await (await fetch('http://worker/health', { unix, keepalive: false })).text()
    times.idle.push(performance.now() - started)
  }
}

/** Listens to the live events as the viewer does. */
async function followStream(): Promise<void> {
  const answer = await fetch('http://worker/stream', { unix })
  const reader = answer.body?.getReader()
  while (reader && !isOver) {
    const part = await Promise.race([reader.read(), Bun.sleep(1000)])
    if (part?.done) return
  }
  await reader?.cancel()
}

function takeSample(pid: number, started: number): void {
  const last = samples.at(-1)
  const minute = (Date.now() - started) / 60_000
  const processor = processorMs(pid)
  const files = fileSizes()
  const events = sent.events
  samples.push({
    minute,
    events,
    memoryMb: memoryOf(pid),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    threads: readdirSync(`/proc/${pid}/task`).length,
    processorMs: (processor - lastProcessorMs) / Math.max(1, events - (last?.events ?? 0)),
    toolUseMs: median(times.toolUse),
    promptMs: median(times.prompt),
    idleRequestMs: median(times.idle),
    ...files,
  })
  lastProcessorMs = processor
  times = { toolUse: [], prompt: [], idle: [] }
  const now = samples.at(-1) as Sample
  console.log(
    `${minute.toFixed(1).padStart(5)} min ${String(events).padStart(6)} events  ${now.memoryMb.toFixed(0).padStart(4)} MB  ${now.handles} handles  ${now.threads} threads  tool use ${now.toolUseMs.toFixed(1)} ms  prompt ${now.promptMs.toFixed(1)} ms  worker ${now.processorMs.toFixed(2)} ms/event  database ${now.database.toFixed(0)} MB  log ${now.writeAheadLog.toFixed(1)} MB  spooled ${now.spooled}`,
  )
}

/** User and system time of a process. The name of the program may contain spaces, so the fields are counted from its end. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
}

/** A process that has ended may stay in the table as a zombie until its parent asks for its exit code. */
function isRunning(pid: number): boolean {
  const stat = `/proc/${pid}/stat`
  return existsSync(stat) && !readFileSync(stat, 'utf8').includes(') Z ')
}

function fileSizes(): Pick<Sample, 'database' | 'writeAheadLog' | 'logs' | 'otherFiles' | 'spooled'> {
  const sizes = { database: 0, writeAheadLog: 0, logs: 0, otherFiles: 0, spooled: 0 }
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const megabytes = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1e6
    if (path.startsWith(join(home, 'spool'))) sizes.spooled++
    if (path === join(home, 'recollect.db')) sizes.database += megabytes
    else if (path === join(home, 'recollect.db-wal')) sizes.writeAheadLog += megabytes
    else if (path.startsWith(join(home, 'logs'))) sizes.logs += megabytes
    // Notes are memories like the rows of the database.
    else if (!path.startsWith(join(home, 'memory'))) sizes.otherFiles += megabytes
  }
  return sizes
}

async function settled(): Promise<void> {
  for (const until = Date.now() + 300_000; Date.now() < until; await Bun.sleep(200)) {
    const { jobs, spooled } = (await (await fetch('http://worker/api/status', { unix, keepalive: false })).json()) as {
      jobs: { waiting: number; running: number }
      spooled: number
    }
    if (jobs.waiting + jobs.running + spooled === 0) return
  }
  throw new Error('the worker did not finish its jobs within five minutes')
}

/** Prints the comparison and returns what did not stay flat. */
function report(memoryAtEnd: number): string[] {
  const verdicts = judgeFlatness(samples)
  const [first, last] = [samples[0] as Sample, samples.at(-1) as Sample]
  const date = new Date().toISOString().slice(0, 10)
  console.log(`\n${date}: ${last.events} events of ${sent.sessions} sessions in ${last.minute.toFixed(0)} minutes`)
  console.log(`memory ${first.memoryMb.toFixed(0)} MB after the first sample, ${memoryAtEnd.toFixed(0)} MB when all jobs were done`)
  console.log('\n| what | before the middle | at the end | limit |\n|---|---|---|---|')
  for (const { what, unit, early, late, limit } of verdicts)
    console.log(`| ${what}${unit && ` (${unit})`} | ${number(early)} | ${number(late)} | ${number(limit)} |`)
  if (values.out)
    writeFileSync(
      values.out,
      `${JSON.stringify({ date, minutes, clients, speed, sessions: sent.sessions, memoryAtEnd, verdicts, samples }, null, 1)}\n`,
    )
  return verdicts.filter(({ ok }) => !ok).map(({ what, late, limit }) => `${what}: ${number(late)}, limit ${number(limit)}`)
}

function number(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2).replace(/\.?0+$/, '')
}

/** Compares the journal with what was sent. */
function missingRows(): string[] {
  const db = new Database(join(home, 'recollect.db'), { readonly: true })
  try {
    const rows = (sql: string) =>
      db
        .query<{ id: string }, []>(sql)
        .all()
        .map(({ id }) => id)
    const session = 'JOIN sessions s ON s.id = t.session_id'
    const problems = [
      ...compare('tool uses', sent.toolUses, rows(`SELECT s.content_session_id || ' ' || t.tool_use_id AS id FROM tool_uses t ${session}`)),
      ...compare('prompts', sent.prompts, rows(`SELECT s.content_session_id || ' ' || t.prompt_id AS id FROM prompts t ${session}`)),
    ]
    const dead = rows("SELECT kind || ': ' || coalesce(error, '') AS id FROM jobs WHERE state = 'dead'")
    return [...problems, ...dead.map((job) => `a job is dead: ${job}`)]
  } finally {
    db.close()
  }
}

function compare(what: string, wanted: Set<string>, stored: string[]): string[] {
  const found = new Set(stored)
  const missing = [...wanted].filter((id) => !found.has(id)).length
  console.log(`${what}: ${wanted.size} sent, ${stored.length} stored`)
  return missing > 0 || stored.length !== wanted.size ? [`${what}: ${wanted.size} sent, ${stored.length} stored, ${missing} missing`] : []
}
