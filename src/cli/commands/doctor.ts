import { formatAgo } from '../../core/time-format.ts'
import { readMcpRegistration } from '../../integrations/claude-code/mcp-registration.ts'
import {
  duplicateConnectionFix,
  findClient,
  findConnection,
  homeFlagOf,
  installMcp,
  otherMcpRegistrations,
} from '../../integrations/install.ts'
import { readEnvironment } from '../../platform/environment.ts'
import { ensurePrivateFolder, exists, findWriteProblem, isPrivate, makePrivate, readIfThere } from '../../platform/files.ts'
import { freeBytes } from '../../platform/folder.ts'
import { homePaths } from '../../platform/paths.ts'
import { runProgram } from '../../platform/processes.ts'
import { PROGRAM } from '../../platform/program.ts'
import { compareVersions, VERSION } from '../../platform/version.ts'
import type { WorkerStatus } from '../../wire/contract/status.ts'
import { ensureWorker } from '../../wire/start.ts'
import { unresponsiveWorkerAdvice } from '../../wire/unresponsive-worker.ts'
import { call, callRunningWorker } from '../call.ts'
import { json } from '../command.ts'
import { type DoctorFinding, hookFindings } from '../hook-findings.ts'
import { defineCommand } from '../parse.ts'
import { dim, EXIT, formatBytes, green, plural, print, printJson, red, yellow } from '../print.ts'
import { embedderLine } from './embedder.ts'
import { DAMAGED_DATABASE_ADVICE } from './status.ts'

export const command = defineCommand({
  name: 'doctor',
  summary: 'check the installation and say how to fix problems',
  usage: `recollect doctor [--fix] [--json]

  Checks the client, the home, the worker, the hooks and the MCP server. Exits with 1 if something is broken.`,
  words: null,
  options: { fix: { type: 'boolean', about: 'fix what can be fixed automatically' }, json },
  async run({ values }) {
    let findings = await examine()
    if (values.fix) {
      await repairAll(findings, values.json ?? false)
      findings = await examine()
    }
    const healthy = findings.every((finding) => finding.state !== 'broken')
    if (values.json)
      printJson({ healthy, findings: findings.map(({ repair, ...finding }) => ({ ...finding, fixable: repair !== undefined })) })
    else printFindings(findings)
    return healthy ? EXIT.done : EXIT.error
  },
})

async function repairAll(findings: DoctorFinding[], quietly: boolean): Promise<void> {
  for (const { state, repair, what } of findings) {
    if (state === 'ok' || !repair) continue
    try {
      await repair()
      if (!quietly) print(`${green('fixed')}  ${what}`)
    } catch (cause) {
      if (!quietly) print(`${red('not fixed')}  ${what}: ${reasonOf(cause)}`)
    }
  }
}

function printFindings(findings: DoctorFinding[]): void {
  const marks = { ok: green('ok     '), warning: yellow('warning'), broken: red('broken ') }
  for (const finding of findings) {
    print(`${marks[finding.state]}  ${finding.what}: ${finding.says}`)
    if (finding.state !== 'ok' && finding.fix) print(dim(`         ${finding.fix}`))
  }
  const fixable = findings.filter((finding) => finding.state !== 'ok' && finding.repair).length
  if (fixable > 0) print(dim(`\nTo fix ${fixable} of these: recollect doctor --fix`))
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

/** Without the MCP server the hooks still work, but the model cannot search. */
function mcpFinding(environment: ReturnType<typeof readEnvironment>): DoctorFinding {
  const connection = findConnection(environment)
  const { plugin } = connection
  const others = otherMcpRegistrations(connection)
  if (plugin && others)
    return {
      what: 'MCP server',
      state: 'warning',
      says: `registered by ${others} and by the plugin ${plugin}; the plugin's server stays silent`,
      fix: duplicateConnectionFix(connection),
    }
  if (plugin) return { what: 'MCP server', state: 'ok', says: `registered by the plugin ${plugin}` }
  const known = readMcpRegistration(environment, null)
  const here = known.kind === 'none' ? readMcpRegistration(environment, process.cwd()) : known
  const fix = { fix: 'recollect init', repair: () => installMcp({ environment, project: null, program: PROGRAM }) }
  switch (here.kind) {
    case 'none':
      return { what: 'MCP server', state: 'warning', says: 'not registered with Claude Code, so the model cannot search', ...fix }
    case 'address':
      return { what: 'MCP server', state: 'ok', says: 'registered with Claude Code, by the address of the worker' }
    case 'other':
      return {
        what: 'MCP server',
        state: 'warning',
        says: 'another MCP server is registered as recollect',
        fix: 'claude mcp remove recollect, then recollect init',
      }
    case 'ours': {
      if (here.home !== homeFlagOf(environment))
        return {
          what: 'MCP server',
          state: 'warning',
          says: `registered for another home (${here.home ?? 'the default one'})`,
          fix: 'To register it for this home: recollect init',
        }
      const missing = here.program.find((part) => part.startsWith('/') && !exists(part))
      if (missing) return { what: 'MCP server', state: 'broken', says: `it calls ${missing}, which no longer exists`, ...fix }
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
    fix: 'Install it (npm install -g @anthropic-ai/claude-code), or set CLAUDE_BIN to its path.',
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
  const problem = findWriteProblem(home.run)
  if (problem) {
    findings.push({
      what: 'Home',
      state: 'broken',
      says: `${home.folder} is not writable (${problem.message})`,
      fix: homeFix(problem, home.folder),
    })
  } else findings.push({ what: 'Home', state: 'ok', says: `${home.folder} is yours and writable` })
  const free = freeBytes(home.folder)
  findings.push(
    free > LOW_DISK_SPACE_BYTES
      ? { what: 'Disk', state: 'ok', says: `${formatBytes(free)} free` }
      : {
          what: 'Disk',
          state: free < 1024 * 1024 ? 'broken' : 'warning',
          says: free < 1024 * 1024 ? `full (${formatBytes(free)} free): nothing can be stored` : `only ${formatBytes(free)} free`,
          fix: 'Free some space. What was missed is read from the transcripts afterwards.',
        },
  )
  const open = [home.token, home.hookToken, home.database].filter((path) => exists(path) && !isPrivate(path))
  findings.push(
    open.length === 0
      ? { what: 'Permissions', state: 'ok', says: 'only you can read the files' }
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
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'The disk is full: free some space.'
  if (code === 'EROFS') return 'The file system is read-only: mount it for writing, or set RECOLLECT_HOME to a writable folder.'
  return `Make yourself the owner of ${folder} (chown, chmod 700), or set RECOLLECT_HOME to another folder.`
}

const SILENT = 'not answering'

type WorkerReach = { kind: 'runs'; status: WorkerStatus } | { kind: 'away'; why: string }

async function workerStatus(home: ReturnType<typeof homePaths>): Promise<WorkerReach> {
  const reply = await callRunningWorker(home)('GET /api/status', {}, { timeoutMs: 5000 })
  if (reply.kind === 'answered') return { kind: 'runs', status: reply.value }
  return { kind: 'away', why: reply.kind === 'late' ? SILENT : 'not running' }
}

/** Tries to start the worker. If that fails, runs it in the foreground for a moment to read its error. */
async function stoppedWorkerFinding(home: ReturnType<typeof homePaths>, why: string): Promise<DoctorFinding> {
  // A hanging worker holds the lock, so no other can start.
  if (why === SILENT) return { what: 'Worker', state: 'broken', says: why, fix: unresponsiveWorkerAdvice(home) }
  if (await ensureWorker(home, 3000)) {
    return {
      what: 'Worker',
      state: 'warning',
      says: 'it was not running and has been started',
      fix: 'Nothing to do: every session starts it.',
    }
  }
  const attempt = await runProgram(PROGRAM.command, [...PROGRAM.args, 'worker'], { timeoutMs: 3000 })
  const message = attempt.stderr.trim().split('\n').at(-1) ?? ''
  return {
    what: 'Worker',
    state: 'broken',
    says: `${why} and does not start${message ? `: ${message.replace(/^recollect: /, '')}` : ''}`,
    fix: `Fix the cause, then run 'recollect start'; the log is ${home.logs}/worker.log.`,
    repair: async () => {
      if (!(await ensureWorker(home, 5000))) throw new Error('the worker still does not start')
    },
  }
}

function workerFindings(s: WorkerStatus): DoctorFinding[] {
  const findings: DoctorFinding[] = []
  const older = compareVersions(s.version, VERSION) < 0
  findings.push({
    what: 'Worker',
    state: older ? 'warning' : 'ok',
    says: `pid ${s.pid}, version ${s.version}, ${formatBytes(s.memoryBytes)} of memory${older ? `; this program has version ${VERSION}` : ''}`,
    ...(older ? { fix: 'recollect restart' } : {}),
  })
  findings.push(
    s.port === s.wantedPort || s.wantedPort === 0
      ? { what: 'Port', state: 'ok', says: `127.0.0.1:${s.port}` }
      : {
          what: 'Port',
          state: 'warning',
          says: `another program uses ${s.wantedPort}, so the worker listens on ${s.port}; the hooks use that port`,
          fix: `End the other program and run 'recollect restart', or set worker.port in ${s.home}/config.toml.`,
        },
  )
  findings.push({
    what: 'Last event',
    state: s.unstoredEvents > 0 ? 'broken' : 'ok',
    says: `${s.lastEventAt === null ? 'none yet' : formatAgo(s.lastEventAt, Date.now())}${s.unstoredEvents > 0 ? `; ${plural(s.unstoredEvents, 'event')} could not be stored` : ''}`,
    fix: `The reason is in ${s.home}/logs/worker.log. What was missed is read from the transcript when the session ends.`,
  })
  findings.push(
    s.jobs.dead === 0
      ? { what: 'Queue', state: 'ok', says: `${plural(s.jobs.waiting + s.jobs.running, 'job')} waiting, ${s.spooled} in the spool` }
      : {
          what: 'Queue',
          state: 'warning',
          says: `${plural(s.jobs.dead, 'job')} failed permanently; the last error: ${s.deadJobs[0]?.error ?? ''}`,
          fix: 'To try them again: recollect doctor --fix',
          repair: () => call('POST /api/jobs/retry'),
        },
  )
  for (const file of s.setAside ?? [])
    findings.push({
      what: 'Database',
      state: 'warning',
      says: `it was damaged and was moved to ${file}; a new one was created`,
      fix: DAMAGED_DATABASE_ADVICE,
    })
  for (const { path, problem } of s.notes.problems) {
    findings.push({
      what: 'Notes',
      state: 'warning',
      says: `${path} cannot be read: ${problem}`,
      fix: `Correct or move ${s.home}/${path}; the other notes are not affected.`,
    })
  }
  findings.push(
    s.embedder.problem === null
      ? { what: 'Embedder', state: 'ok', says: embedderLine(s.embedder) }
      : {
          what: 'Embedder',
          state: 'warning',
          says: `${s.embedder.provider}: ${s.embedder.problem}; search works without it`,
          fix: `To see the alternatives: recollect embedder. To return to the default: recollect embedder use static`,
        },
  )
  for (const problem of s.problems) findings.push({ what: 'Settings', state: 'warning', says: problem, fix: settingFix(problem, s.home) })
  return findings
}

/** The message of a problem names the file or variable that caused it; otherwise the cause is config.toml. */
function settingFix(problem: string, home: string): string {
  const [, variable] = /^\S+ in (RECOLLECT_\w+):/.exec(problem) ?? []
  if (variable) return `Change ${variable} in the environment of the worker, then run: recollect restart`
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
    if (answer.ok) return { what: 'Token', state: 'ok', says: 'the worker accepts the hook token' }
    return {
      what: 'Token',
      state: 'broken',
      says: `the worker rejects the hook token (${answer.status})`,
      fix: `recollect restart, then recollect init`,
    }
  } catch (cause) {
    return { what: 'Token', state: 'broken', says: `127.0.0.1:${port} does not answer (${reasonOf(cause)})`, fix: 'recollect restart' }
  }
}

async function databaseFinding(): Promise<DoctorFinding> {
  const { damage } = await call('GET /api/check')
  if (damage.length === 0) return { what: 'Database', state: 'ok', says: 'intact' }
  return {
    what: 'Database',
    state: 'broken',
    says: `damaged: ${damage[0]}`,
    fix: 'To move it aside and rebuild it from the transcripts: recollect restart',
  }
}

function reasonOf(cause: unknown): string {
  const deeper = (cause as Error).cause
  return deeper instanceof Error ? deeper.message : (cause as Error).message
}
