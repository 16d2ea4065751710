import { unconfirmedMarker } from '../../core/project.ts'
import { formatAgo } from '../../core/time-format.ts'
import { readMcpRegistration } from '../../integrations/claude-code/mcp-registration.ts'
import { duplicateConnectionFix, findClient, findConnection, installMcp, otherMcpRegistrations } from '../../integrations/install.ts'
import { type Environment, readEnvironment } from '../../platform/environment.ts'
import { ensurePrivateFolder, exists, findWriteProblem, isPrivate, makePrivate, writeFileAtomically } from '../../platform/files.ts'
import { freeBytes } from '../../platform/folder.ts'
import { homeFlagOf, launcherProblem } from '../../platform/launcher.ts'
import { type Home, homePaths } from '../../platform/paths.ts'
import { runProgram } from '../../platform/processes.ts'
import { PROGRAM } from '../../platform/program.ts'
import { findProject } from '../../platform/project.ts'
import { loadSettings } from '../../platform/settings.ts'
import { compareVersions, VERSION } from '../../platform/version.ts'
import type { WorkerStatus } from '../../wire/contract/status.ts'
import { ensureWorker } from '../../wire/start.ts'
import { unresponsiveWorkerAdvice } from '../../wire/unresponsive-worker.ts'
import { agentReports } from '../agents.ts'
import { call, callRunningWorker } from '../call.ts'
import { json } from '../command.ts'
import { currentCommandName, withCommandName } from '../current-project.ts'
import { type DoctorFinding, hookFindings } from '../hook-findings.ts'
import { defineCommand } from '../parse.ts'
import { dim, EXIT, formatBytes, green, plural, print, printJson, red, yellow } from '../print.ts'
import { embedderLine } from './embedder.ts'
import { DAMAGED_DATABASE_ADVICE } from './status.ts'
import { stopWorker } from './stop.ts'

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
    print(`${marks[finding.state]}  ${finding.what}: ${finding.says}`, ' '.repeat(9))
    if (finding.state !== 'ok' && finding.fix) print(dim(`         ${withCommandName(finding.fix)}`))
  }
  const fixable = findings.filter((finding) => finding.state !== 'ok' && finding.repair).length
  if (fixable > 0) print(dim(`\nTo fix ${fixable} of these: ${currentCommandName()} doctor --fix`))
}

async function examine(): Promise<DoctorFinding[]> {
  const environment = readEnvironment()
  const home = homePaths(environment)
  const findings: DoctorFinding[] = homeFindings(home)
  let status = await workerStatus(home)
  const damage = await findDamage(home, status)
  if (status.kind === 'away' && damage === null) {
    findings.push(await stoppedWorkerFinding(home, status.why))
    status = await workerStatus(home)
    if (status.kind === 'runs') findings.push(...workerFindings(status.status).filter(({ what }) => what !== 'Worker'))
  } else findings.push(...(status.kind === 'runs' ? workerFindings(status.status) : [{ ...AWAY_WORKER, says: status.why }]))
  if (status.kind === 'away') findings.push(...settingFindings(loadSettings(environment).problems, home.folder))
  if (status.kind === 'runs' || damage !== null) findings.push(databaseFinding(home, damage))
  const agents = await agentFindings(environment)
  findings.push(
    ...(await claudeFindings(environment, home, agents)),
    ...agents,
    ...markerFindings(),
    ...(status.kind === 'runs' ? [...(await joinFindings()), ...(await claudeMemFindings())] : []),
  )
  return findings
}

/** Left out for a person who uses only other agents. */
async function claudeFindings(environment: Environment, home: Home, others: DoctorFinding[]): Promise<DoctorFinding[]> {
  const client = await clientFinding(environment)
  const isUsed = client.state === 'ok' || exists(environment.claudeConfig) || others.length === 0
  return isUsed ? [client, ...hookFindings(environment, home), mcpFinding(environment)] : []
}

/** Every other agent on this machine. One that is not connected is not a problem. */
async function agentFindings(environment: Environment): Promise<DoctorFinding[]> {
  const reports = await agentReports(environment)
  const launcher = launcherProblem(environment)
  return reports.map(({ agent, title, state, says, fix }): DoctorFinding => {
    if (state === 'not connected') return { what: title, state: 'ok', says: `${says} (${fix})` }
    if (state !== 'connected') return { what: title, state: state === 'blocked' ? 'broken' : 'warning', says, ...(fix ? { fix } : {}) }
    if (launcher) return { what: title, state: 'broken', says: `its hooks do nothing: ${launcher}`, fix: `recollect init --agent ${agent}` }
    return { what: title, state: 'ok', says }
  })
}

/** A marker that does not count leaves a session without the memories that the person may expect. */
function markerFindings(): DoctorFinding[] {
  const claim = unconfirmedMarker(findProject(process.cwd()))
  if (!claim) return []
  return [
    {
      what: 'Project',
      state: 'warning',
      says: `the marker file in ${claim.folder} names the project ${claim.project}, and does not count until you confirm it`,
      fix: 'If you trust this folder: recollect projects confirm',
    },
  ]
}

/** Memories under another key are not shown in this project. */
async function joinFindings(): Promise<DoctorFinding[]> {
  const { describeJoinOffer, joinAdvice, joinOffers } = await import('../join-offers.ts')
  return (await joinOffers()).map((offer) => ({
    what: 'Project',
    state: 'warning',
    says: describeJoinOffer(offer),
    fix: joinAdvice(offer),
  }))
}

async function claudeMemFindings(): Promise<DoctorFinding[]> {
  const { unimportedClaudeMem } = await import('../other-memory.ts')
  const database = await unimportedClaudeMem()
  if (database === null) return []
  return [
    {
      what: 'claude-mem',
      state: 'warning',
      says: `its memories in ${database} are not imported`,
      fix: 'recollect import --from claude-mem',
    },
  ]
}

/** Without the MCP server the hooks still work, but the model cannot search. */
function mcpFinding(environment: Environment): DoctorFinding {
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

async function clientFinding(environment: Environment): Promise<DoctorFinding> {
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

function homeFindings(home: Home): DoctorFinding[] {
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
  const open = [home.token, home.database].filter((path) => exists(path) && !isPrivate(path))
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

async function workerStatus(home: Home): Promise<WorkerReach> {
  const reply = await callRunningWorker(home)('GET /api/status', {}, { timeoutMs: 5000 })
  if (reply.kind === 'answered') return { kind: 'runs', status: reply.value }
  return { kind: 'away', why: reply.kind === 'late' ? SILENT : reply.kind === 'refused' ? reply.reason : 'not running' }
}

/** The worker beside a damaged database: it would set the file aside when it starts, and the person would not learn of it. */
const AWAY_WORKER: DoctorFinding = {
  what: 'Worker',
  state: 'warning',
  says: '',
  fix: 'It is not started before the database is repaired: recollect doctor --fix',
}

/** The first problem of the database; null when it is intact, does not exist, or cannot be read because the worker hangs. */
async function findDamage(home: Home, reach: WorkerReach): Promise<string | null> {
  if (reach.kind === 'away' && reach.why === SILENT) return null
  const checked = await callRunningWorker(home)('GET /api/check')
  if (checked.kind === 'answered') return checked.value.damage[0] ?? null
  const { findDatabaseDamage } = await import('../../worker/offline-requests.ts')
  return findDatabaseDamage(home.database)
}

/** Tries to start the worker. If that fails, runs it in the foreground for a moment to read its error. */
async function stoppedWorkerFinding(home: Home, why: string): Promise<DoctorFinding> {
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
          says: `another program uses ${s.wantedPort}, so the worker listens on ${s.port}`,
          fix: `End the other program and run 'recollect restart', or set worker.port in ${s.home}/config.toml.`,
        },
  )
  findings.push({
    what: 'Last event',
    state: s.unstoredEvents > 0 ? 'broken' : 'ok',
    says: `${s.lastEventAt === null ? 'none yet' : formatAgo(s.lastEventAt, Date.now())}${s.unstoredEvents > 0 ? `; ${plural(s.unstoredEvents, 'event')} could not be stored` : ''}`,
    fix: `The reason is in ${s.home}/logs/worker.log. What was missed is read from the transcript when the session ends.`,
  })
  findings.push(notUnderstoodFinding(s))
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
      fix: `${DAMAGED_DATABASE_ADVICE} The log is ${s.home}/logs/worker.log.`,
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
  return [...findings, ...textModelFindings(s), ...syncFindings(s), ...teamFindings(s), ...settingFindings(s.problems, s.home)]
}

/** Silent without a text model, which is the default. */
function textModelFindings({ textModel }: WorkerStatus): DoctorFinding[] {
  if (!('name' in textModel)) return []
  const what = 'Text model'
  if (textModel.problem === null) return [{ what, state: 'ok', says: textModel.name }]
  const says = `${textModel.name}: ${textModel.problem}; turns are distilled by rules`
  return [{ what, state: 'warning', says, fix: 'The worker asks it again by itself. To see the settings: recollect config' }]
}

/** Silent without a remote. */
function syncFindings({ sync: { remote, ahead, waiting, conflicted, last } }: WorkerStatus): DoctorFinding[] {
  if (remote === '') return []
  const what = 'Sync'
  const state = `${remote}, last sync ${last ? formatAgo(last.at, Date.now()) : 'never'}, ${plural(ahead, 'commit')} and ${plural(waiting, 'file')} to send`
  const isFailed = last?.outcome === 'offline' || last?.outcome === 'refused'
  const findings: DoctorFinding[] = [
    isFailed
      ? { what, state: 'warning', says: `${state}; the last sync failed: ${last.reason}`, fix: 'To try again: recollect sync' }
      : { what, state: 'ok', says: state },
  ]
  if (conflicted.length > 0)
    findings.push({
      what,
      state: 'warning',
      says: `${plural(conflicted.length, 'note has', 'notes have')} two versions`,
      fix: 'To see them: recollect sync status',
    })
  return findings
}

/** Silent for a home that has not joined a team. */
function teamFindings({ team }: WorkerStatus): DoctorFinding[] {
  if (team.kind === 'none') return []
  const what = 'Team'
  const contact = team.lastContact === null ? 'never' : formatAgo(team.lastContact, Date.now())
  const state = `${team.member} at ${team.url}, last contact ${contact}, ${plural(team.waiting, 'change')} to send`
  const findings: DoctorFinding[] = [
    team.problem === null
      ? { what, state: 'ok', says: state }
      : { what, state: 'warning', says: `${state}; the last exchange failed: ${team.problem}`, fix: 'To try again: recollect team sync' },
  ]
  for (const { title, problem } of team.problems)
    findings.push({ what, state: 'warning', says: `“${title}” is not shared: ${problem}`, fix: 'To see all: recollect team status' })
  if (team.own.kind === 'needs phrase')
    findings.push({
      what: 'Own machines',
      state: 'warning',
      says: 'another machine of yours has made a new recovery phrase, so this one sends and receives nothing',
      fix: 'To enter it: recollect team own on --phrase',
    })
  if (team.conflicts > 0)
    findings.push({
      what,
      state: 'warning',
      says: `${plural(team.conflicts, 'memory has', 'memories have')} two versions`,
      fix: 'To choose: recollect team conflicts',
    })
  return findings
}

const NOT_UNDERSTOOD_WARNING_MS = 7 * 24 * 3_600_000

/** An event that another program or a newer client sends in a form that we cannot read. After a week it is only a number. */
function notUnderstoodFinding({ home, notUnderstood: { count, lastAt, setAside } }: WorkerStatus): DoctorFinding {
  const what = 'Unknown events'
  if (count === 0 && setAside === 0) return { what, state: 'ok', says: 'none: every event was understood' }
  const says = [
    `${plural(count, 'event')} could not be understood${lastAt === null ? '' : `, the last ${formatAgo(lastAt, Date.now())}`}`,
    ...(setAside > 0 ? [`${plural(setAside, 'file')} in ${home}/spool/set-aside`] : []),
  ].join('; ')
  const isRecent = setAside > 0 || (lastAt !== null && Date.now() - lastAt < NOT_UNDERSTOOD_WARNING_MS)
  if (!isRecent) return { what, state: 'ok', says }
  const cleanUp = setAside > 0 ? ' Delete the files when you do not need them.' : ''
  const fix = `The reasons are in ${home}/logs/worker.log; the forms that hooks may send: recollect help hooks.${cleanUp}`
  return { what, state: 'warning', says, fix }
}

const settingFindings = (problems: string[], home: string): DoctorFinding[] =>
  problems.map((problem) => ({ what: 'Settings', state: 'warning', says: problem, fix: settingFix(problem, home) }))

/** The message of a problem names the file or variable that caused it; otherwise the cause is config.toml. */
function settingFix(problem: string, home: string): string {
  const [, variable] = /^\S+ in (RECOLLECT_\w+):/.exec(problem) ?? []
  if (variable) return `Change ${variable} in the environment of the worker, then run: recollect restart`
  const [file] = new RegExp(`${RegExp.escape(home)}/(?:modes/)?[\\w.-]+\\.toml`).exec(problem) ?? []
  return `Edit ${file ?? `${home}/config.toml`}.`
}

function databaseFinding(home: Home, damage: string | null): DoctorFinding {
  if (damage === null) return { what: 'Database', state: 'ok', says: 'intact' }
  return {
    what: 'Database',
    state: 'broken',
    says: `${home.database} is damaged: ${damage}`,
    fix: `To move it aside and rebuild it from your notes and transcripts: recollect doctor --fix. The log is ${home.logs}/worker.log.`,
    repair: () => replaceDatabase(home),
  }
}

/** The next worker finds the mark, sets the database aside and fills a new one in the background. */
async function replaceDatabase(home: Home): Promise<void> {
  writeFileAtomically(home.damage, '')
  await stopWorker()
  if (!(await ensureWorker(home, REPLACE_TIMEOUT_MS))) throw new Error(`the worker does not start; its log is ${home.logs}/worker.log`)
}

const REPLACE_TIMEOUT_MS = 10_000

function reasonOf(cause: unknown): string {
  const deeper = (cause as Error).cause
  return deeper instanceof Error ? deeper.message : (cause as Error).message
}
