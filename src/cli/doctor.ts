import { formatAgo } from '../core/time-format.ts'
import { readMcpRegistration } from '../integrations/claude-code/mcp-registration.ts'
import { findClient, homeFlagOf, installMcp } from '../integrations/install.ts'
import { readEnvironment } from '../platform/environment.ts'
import { ensurePrivateFolder, exists, findWriteProblem, isPrivate, makePrivate, readIfThere } from '../platform/files.ts'
import { freeBytes } from '../platform/folder.ts'
import { homePaths } from '../platform/paths.ts'
import { runProgram } from '../platform/processes.ts'
import { PROGRAM } from '../platform/program.ts'
import { compareVersions, VERSION } from '../platform/version.ts'
import type { WorkerStatus } from '../wire/api.ts'
import { askWorker } from '../wire/socket.ts'
import { ensureWorker } from '../wire/start.ts'
import { unresponsiveWorkerAdvice } from '../wire/unresponsive-worker.ts'
import { ask, post } from './ask.ts'
import { duplicateConnectionFix, findConnection, otherMcpRegistrations } from './claude-code-connection.ts'
import { embedderLine } from './embedder.ts'
import { type DoctorFinding, hookFindings } from './hook-findings.ts'
import { parse } from './parse.ts'
import { dim, EXIT, formatBytes, green, plural, red, say, sayJson, yellow } from './print.ts'
import { DAMAGED_DATABASE_ADVICE } from './status.ts'

/** Walks the chain from the client to the disk and back. Exit code 1 when something is broken. */
export async function run(args: string[]): Promise<number> {
  const { values } = parse('doctor', args)
  let findings = await examine()
  if (values.fix) {
    for (const finding of findings) {
      if (finding.state === 'ok' || !finding.repair) continue
      try {
        await finding.repair()
        if (!values.json) say(`${green('fixed')}  ${finding.what}`)
      } catch (cause) {
        if (!values.json) say(`${red('not fixed')}  ${finding.what}: ${(cause as Error).message}`)
      }
    }
    findings = await examine()
  }
  const healthy = findings.every((finding) => finding.state !== 'broken')
  if (values.json) sayJson({ healthy, findings: findings.map(({ repair, ...finding }) => ({ ...finding, fixable: repair !== undefined })) })
  else sayFindings(findings)
  return healthy ? EXIT.done : EXIT.error
}

function sayFindings(findings: DoctorFinding[]): void {
  const marks = { ok: green('ok     '), warning: yellow('warning'), broken: red('broken ') }
  for (const finding of findings) {
    say(`${marks[finding.state]}  ${finding.what}: ${finding.says}`)
    if (finding.state !== 'ok' && finding.fix) say(dim(`         ${finding.fix}`))
  }
  const fixable = findings.filter((finding) => finding.state !== 'ok' && finding.repair).length
  if (fixable > 0) say(dim(`\n'recollect doctor --fix' can put ${plural(fixable, 'of these', 'of these')} right.`))
}

async function examine(): Promise<DoctorFinding[]> {
  const environment = readEnvironment()
  const home = homePaths(environment)
  const findings: DoctorFinding[] = [await clientFinding(environment), ...homeFindings(home)]
  const status = await workerStatus(home)
  findings.push(...(status.kind === 'runs' ? workerFindings(status.status) : [await stoppedWorkerFinding(home, status.why)]))
  if (status.kind === 'runs') {
    findings.push(await tokenFinding(home, status.status.port))
    findings.push(await databaseFinding())
  }
  findings.push(...hookFindings(environment, home, status.kind === 'runs' ? status.status.port : null))
  findings.push(mcpFinding(environment))
  return findings
}

/** Without it the hooks still tell the model what matters; it only cannot search by itself. */
function mcpFinding(environment: ReturnType<typeof readEnvironment>): DoctorFinding {
  const connected = findConnection(environment)
  const { plugin } = connected
  const others = otherMcpRegistrations(connected)
  if (plugin && others)
    return {
      what: 'MCP server',
      state: 'warning',
      says: `registered by ${others} and by the plugin ${plugin}, which offers nothing for now`,
      fix: duplicateConnectionFix(connected),
    }
  if (plugin) return { what: 'MCP server', state: 'ok', says: `that of the plugin ${plugin}` }
  const known = readMcpRegistration(environment, null)
  const here = known.kind === 'none' ? readMcpRegistration(environment, process.cwd()) : known
  const fix = { fix: 'recollect init', repair: () => installMcp({ environment, project: null, program: PROGRAM }) }
  switch (here.kind) {
    case 'none':
      return { what: 'MCP server', state: 'warning', says: 'Claude Code does not know it, so the model cannot search by itself', ...fix }
    case 'address':
      return { what: 'MCP server', state: 'ok', says: 'registered with Claude Code by the address of the worker' }
    case 'other':
      return {
        what: 'MCP server',
        state: 'warning',
        says: 'another server is called recollect',
        fix: 'claude mcp remove recollect, then recollect init',
      }
    case 'ours': {
      if (here.home !== homeFlagOf(environment))
        return {
          what: 'MCP server',
          state: 'warning',
          says: `it belongs to another home (${here.home ?? 'the usual one'})`,
          fix: 'recollect init would take it over for this one.',
        }
      const missing = here.program.find((part) => part.startsWith('/') && !exists(part))
      if (missing) return { what: 'MCP server', state: 'broken', says: `it calls ${missing}, which is not there any more`, ...fix }
      return { what: 'MCP server', state: 'ok', says: 'registered with Claude Code' }
    }
  }
}

async function clientFinding(environment: ReturnType<typeof readEnvironment>): Promise<DoctorFinding> {
  const client = await findClient(environment)
  if (client) return { what: 'Claude Code', state: 'ok', says: `${client.version} at ${client.path}` }
  return {
    what: 'Claude Code',
    state: 'warning',
    says: 'not found on PATH',
    fix: 'Install it (npm install -g @anthropic-ai/claude-code), or name it with CLAUDE_BIN.',
  }
}

const LOW_DISK_SPACE_BYTES = 100 * 1024 * 1024

function homeFindings(home: ReturnType<typeof homePaths>): DoctorFinding[] {
  const findings: DoctorFinding[] = []
  try {
    ensurePrivateFolder(home.folder)
    for (const folder of [home.run, home.spool, home.logs]) ensurePrivateFolder(folder)
  } catch (cause) {
    return [{ what: 'Home', state: 'broken', says: `${home.folder} cannot be used (${reasonOf(cause)})`, fix: homeFix(cause, home.folder) }]
  }
  const refused = findWriteProblem(home.run)
  if (refused) {
    findings.push({
      what: 'Home',
      state: 'broken',
      says: `${home.folder} cannot be written (${refused.message})`,
      fix: homeFix(refused, home.folder),
    })
  } else findings.push({ what: 'Home', state: 'ok', says: `${home.folder} is yours and can be written` })
  const free = freeBytes(home.folder)
  findings.push(
    free > LOW_DISK_SPACE_BYTES
      ? { what: 'Disk', state: 'ok', says: `${formatBytes(free)} free` }
      : {
          what: 'Disk',
          state: free < 1024 * 1024 ? 'broken' : 'warning',
          says: free < 1024 * 1024 ? `full (${formatBytes(free)} free): nothing can be kept` : `only ${formatBytes(free)} free`,
          fix: 'Make room. What was missed meanwhile is read from the transcripts afterwards.',
        },
  )
  const open = [home.token, home.hookToken, home.database].filter((path) => exists(path) && !isPrivate(path))
  findings.push(
    open.length === 0
      ? { what: 'Permissions', state: 'ok', says: 'only you can read it' }
      : {
          what: 'Permissions',
          state: 'broken',
          says: `others can read ${open.join(', ')}`,
          fix: `chmod 600 ${open.join(' ')}`,
          repair: async () => open.forEach(makePrivate),
        },
  )
  return findings
}

function homeFix(cause: unknown, folder: string): string {
  const code = (cause as NodeJS.ErrnoException).code ?? ((cause as Error).cause as NodeJS.ErrnoException | undefined)?.code
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'The disk is full: make room.'
  if (code === 'EROFS') return 'The file system is read-only: mount it for writing, or set RECOLLECT_HOME to a folder that can be written.'
  return `Make ${folder} yours (chown, chmod 700), or set RECOLLECT_HOME to another folder.`
}

const SILENT = 'it does not answer'

type WorkerReach = { kind: 'runs'; status: WorkerStatus } | { kind: 'away'; why: string }

async function workerStatus(home: ReturnType<typeof homePaths>): Promise<WorkerReach> {
  const asked = await askWorker(home, '/api/status', { timeoutMs: 5000 })
  if (asked.kind === 'answered') return { kind: 'runs', status: JSON.parse(asked.body) as WorkerStatus }
  return { kind: 'away', why: asked.kind === 'late' ? SILENT : 'it is not running' }
}

/** Starts it in the foreground for a moment: whatever keeps it from starting, it says. */
async function stoppedWorkerFinding(home: ReturnType<typeof homePaths>, why: string): Promise<DoctorFinding> {
  // One that holds the lock and says nothing keeps every other from starting.
  if (why === SILENT) return { what: 'Worker', state: 'broken', says: why, fix: unresponsiveWorkerAdvice(home) }
  if (await ensureWorker(home, 3000)) {
    return {
      what: 'Worker',
      state: 'warning',
      says: 'it was not running; it has been started',
      fix: 'Nothing to do: a session starts it too.',
    }
  }
  const tried = await runProgram(PROGRAM.command, [...PROGRAM.args, 'worker'], { timeoutMs: 3000 })
  const said = tried.stderr.trim().split('\n').at(-1) ?? ''
  return {
    what: 'Worker',
    state: 'broken',
    says: `${why} and does not start${said ? `: ${said.replace(/^recollect: /, '')}` : ''}`,
    fix: `Put right what it says; its log is ${home.logs}/worker.log.`,
    repair: async () => {
      if (!(await ensureWorker(home, 5000))) throw new Error('it still does not start')
    },
  }
}

function workerFindings(s: WorkerStatus): DoctorFinding[] {
  const findings: DoctorFinding[] = []
  const older = compareVersions(s.version, VERSION) < 0
  findings.push({
    what: 'Worker',
    state: older ? 'warning' : 'ok',
    says: `pid ${s.pid}, version ${s.version}, ${formatBytes(s.memoryBytes)} of memory${older ? `; this program is ${VERSION}` : ''}`,
    ...(older ? { fix: 'recollect restart' } : {}),
  })
  findings.push(
    s.port === s.wantedPort || s.wantedPort === 0
      ? { what: 'Port', state: 'ok', says: `127.0.0.1:${s.port}` }
      : {
          what: 'Port',
          state: 'warning',
          says: `another program holds ${s.wantedPort}, so the worker listens on ${s.port}; the hooks follow it`,
          fix: `End the other program and run 'recollect restart', or set worker.port in ${s.home}/config.toml.`,
        },
  )
  findings.push({
    what: 'Last event',
    state: s.unstoredEvents > 0 ? 'broken' : 'ok',
    says: `${s.lastEventAt === null ? 'none yet' : formatAgo(s.lastEventAt, Date.now())}${s.unstoredEvents > 0 ? `; ${plural(s.unstoredEvents, 'event')} could not be stored` : ''}`,
    fix: `${s.home}/logs/worker.log says why. What was missed is read from the transcript when it is over.`,
  })
  findings.push(
    s.jobs.dead === 0
      ? { what: 'Queue', state: 'ok', says: `${plural(s.jobs.waiting + s.jobs.running, 'job')} waiting, ${s.spooled} in the spool` }
      : {
          what: 'Queue',
          state: 'warning',
          says: `${plural(s.jobs.dead, 'job')} failed for good; the last one: ${s.deadJobs[0]?.error ?? ''}`,
          fix: 'recollect doctor --fix tries them again.',
          repair: () => ask('/api/jobs/retry', post({})),
        },
  )
  for (const file of s.setAside ?? [])
    findings.push({
      what: 'Database',
      state: 'warning',
      says: `it was damaged and is now ${file}; a new one has begun`,
      fix: DAMAGED_DATABASE_ADVICE,
    })
  for (const { path, problem } of s.notes.problems) {
    findings.push({
      what: 'Notes',
      state: 'warning',
      says: `${path} is not read: ${problem}`,
      fix: `Mend or move ${s.home}/${path}; the other notes are not affected.`,
    })
  }
  findings.push(
    s.embedder.problem === null
      ? { what: 'Embedder', state: 'ok', says: embedderLine(s.embedder) }
      : {
          what: 'Embedder',
          state: 'warning',
          says: `${s.embedder.provider}: ${s.embedder.problem}; search goes on without it`,
          fix: `'recollect embedder' shows what there is; 'recollect embedder use static' goes back to the table that comes along.`,
        },
  )
  for (const problem of s.problems) findings.push({ what: 'Settings', state: 'warning', says: problem, fix: settingFix(problem, s.home) })
  return findings
}

/** A problem with a setting names the file or the variable that it is in; else it is about a value in the usual file. */
function settingFix(problem: string, home: string): string {
  const [, variable] = /^\S+ in (RECOLLECT_\w+):/.exec(problem) ?? []
  if (variable) return `Change ${variable} in the environment of whoever starts the worker, then 'recollect restart'.`
  const [file] = new RegExp(`${RegExp.escape(home)}/(?:modes/)?[\\w.-]+\\.toml`).exec(problem) ?? []
  return `Edit ${file ?? `${home}/config.toml`}.`
}

async function tokenFinding(home: ReturnType<typeof homePaths>, port: number): Promise<DoctorFinding> {
  const token = readIfThere(home.hookToken)?.trim() ?? ''
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/hook/none`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: '{}',
      signal: AbortSignal.timeout(2000),
    })
    if (answer.ok) return { what: 'Token', state: 'ok', says: 'the worker knows the hook token' }
    return {
      what: 'Token',
      state: 'broken',
      says: `the worker refuses the hook token (${answer.status})`,
      fix: `recollect restart, then recollect init`,
    }
  } catch (cause) {
    return { what: 'Token', state: 'broken', says: `127.0.0.1:${port} does not answer (${reasonOf(cause)})`, fix: 'recollect restart' }
  }
}

async function databaseFinding(): Promise<DoctorFinding> {
  const { damage } = await ask<{ damage: string[] }>('/api/check')
  if (damage.length === 0) return { what: 'Database', state: 'ok', says: 'sound' }
  return {
    what: 'Database',
    state: 'broken',
    says: `damaged: ${damage[0]}`,
    fix: 'recollect restart sets it aside and rebuilds it from the transcripts.',
  }
}

function reasonOf(cause: unknown): string {
  const deeper = (cause as Error).cause
  return deeper instanceof Error ? deeper.message : (cause as Error).message
}
