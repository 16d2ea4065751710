import { inDollars } from '../../core/cost.ts'
import { asProjectKey } from '../../core/ids.ts'
import { projectName } from '../../core/project.ts'
import { formatAge, formatAgo } from '../../core/time-format.ts'
import { describeConnection, findConnection } from '../../integrations/install.ts'
import { readEnvironment } from '../../platform/environment.ts'
import { homePaths } from '../../platform/paths.ts'
import type { WorkerStatus } from '../../wire/contract/status.ts'
import type { CostReport } from '../../wire/contract/upkeep.ts'
import { unresponsiveWorkerAdvice } from '../../wire/unresponsive-worker.ts'
import { type AgentReport, agentReports } from '../agents.ts'
import { call, callRunningWorker } from '../call.ts'
import { json } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { bold, CliError, dim, EXIT, formatBytes, invalidInput, plural, print, printJson, printTable, yellow } from '../print.ts'
import { teamRows } from '../team-actions.ts'
import { embedderLine } from './embedder.ts'
import { syncStateRows } from './sync.ts'

export const command = defineCommand({
  name: 'status',
  summary: 'show what is running and what is stored',
  usage: `recollect status [--json]
       recollect status --cost [--days N] [--json]`,
  words: null,
  options: {
    cost: { type: 'boolean', about: 'show the calls of text models and their cost, by day, model and project' },
    days: { type: 'string', value: 'N', range: [1, 3660], about: 'with --cost: the last N days (default 30)' },
    json,
  },
  async run({ values }) {
    if (values.days !== undefined && !values.cost) throw invalidInput('--days works only with --cost: recollect status --cost --days 7')
    if (values.cost) {
      const cost = await call('GET /api/cost', { days: values.days ?? 30 })
      return values.json ? printJson(cost) : printCost(cost)
    }
    const status = await readStatusQuickly()
    const agents = await agentReports(readEnvironment())
    return values.json ? printJson({ ...status, connected: findConnection(readEnvironment()), agents }) : printStatus(status, agents)
  },
})

/** Takes seconds, even if the worker hangs. Less than that, and a worker on a busy machine would be called unresponsive. */
async function readStatusQuickly(): Promise<WorkerStatus> {
  const home = homePaths()
  const reply = await callRunningWorker(home)('GET /api/status', {}, { timeoutMs: STATUS_TIMEOUT_MS })
  if (reply.kind === 'answered') return reply.value
  if (reply.kind === 'late') throw new CliError(unresponsiveWorkerAdvice(home), EXIT.timeout)
  return call('GET /api/status')
}

const STATUS_TIMEOUT_MS = 5000

export function printStatus(s: WorkerStatus, agents: AgentReport[] = []): undefined {
  const now = Date.now()
  printTable([
    ['Worker', describeWorker(s)],
    ['Home', s.home],
    ['Claude Code', describeClient()],
    ...agents.map(({ title, says, fix }) => [title, fix ? yellow(`${says}: ${fix}`) : says]),
    ['Database', `${formatBytes(s.databaseBytes)}${dim(describeDatabaseParts(s))}`],
    ['Sessions', `${s.sessions.all.toLocaleString('en')} stored, ${s.sessions.live} live`],
    ['Notes', `${(s.notes.all - s.notes.hidden).toLocaleString('en')} ${dim(`(${s.notes.hidden} hidden)`)}`],
    ...syncStateRows(s.sync),
    ...(s.team.kind === 'joined' ? teamRows(s.team) : []),
    ['Text model', describeTextModel(s.textModel)],
    ['Last event', s.lastEventAt === null ? 'none yet' : formatAgo(s.lastEventAt, now)],
    [
      'Queue',
      `${plural(s.jobs.waiting + s.jobs.running, 'job')} waiting${s.jobs.dead > 0 ? yellow(`, ${s.jobs.dead} failed`) : ''}, ${s.spooled} in the spool`,
    ],
    ['Embedder', embedderLine(s.embedder)],
  ])
  for (const file of s.setAside ?? []) print(yellow(`  The database was damaged and was moved to ${file}. ${DAMAGED_DATABASE_ADVICE}`))
  for (const job of s.deadJobs) print(yellow(`  failed: ${job.kind} ${job.key} after ${job.attempts} attempts: ${job.error}`))
  for (const file of s.notes.problems) print(yellow(`  unreadable note ${file.path}: ${file.problem}`))
  for (const problem of s.problems) print(yellow(`  setting: ${problem}`))
  if (s.projects.length === 0) return
  print(`\n${bold('Projects')}`)
  const rows = s.projects.slice(0, 10).map((p) => [p.name, plural(p.sessions, 'session'), formatAge(p.lastAt, now), dim(p.folder)])
  printTable(rows)
}

/** What to do about a damaged database that was moved aside. */
export const DAMAGED_DATABASE_ADVICE = `Run 'recollect import' to read your history again from the transcripts; notes are safe in memory/. Delete the file when nothing is missing.`

function describeWorker({ pid, port, wantedPort, version, memoryBytes }: WorkerStatus): string {
  if (port === 0) return yellow('not running')
  const conflict = port === wantedPort || wantedPort === 0 ? '' : ` ${yellow(`(another program uses ${wantedPort})`)}`
  return `pid ${pid}, 127.0.0.1:${port}${conflict}, version ${version}, ${formatBytes(memoryBytes)} of memory`
}

function describeClient(): string {
  const { says, fix } = describeConnection(findConnection(readEnvironment()))
  return fix ? yellow(`${says}: ${fix}`) : says
}

function describeTextModel(model: WorkerStatus['textModel']): string {
  if ('absent' in model) return dim(model.absent)
  return model.problem ? `${model.name} ${yellow(`(${model.problem})`)}` : model.name
}

function printCost({ rows, today, month }: CostReport): undefined {
  if (rows.length === 0) print('No text model was called.')
  else {
    printTable([
      ['day', 'provider', 'model', 'project', 'for', 'calls', 'input', 'cached', 'output', 'cost'].map((head) => dim(head)),
      ...rows.map((row) => [
        row.day,
        row.provider,
        row.model,
        row.project ? projectName(asProjectKey(row.project)) : '-',
        row.purpose,
        `${row.calls}${row.failed > 0 ? ` (${row.failed} failed)` : ''}`,
        ...[row.input, row.cached, row.output].map((tokens) => tokens.toLocaleString('en')),
        row.unpriced > 0 ? yellow(inDollars(row, 4)) : inDollars(row, 4),
      ]),
    ])
  }
  const spent = ({ limit, ...cost }: CostReport['today']) => `${inDollars(cost, 4)}${limit > 0 ? ` of $${limit}` : ''}`
  print(`Today ${spent(today)}, this month ${spent(month)}.`)
  print(dim('Estimated from list prices. To change them, edit prices.toml in the home.'))
}

/** The largest parts of the database, if the worker has measured them. */
function describeDatabaseParts({ databaseParts }: WorkerStatus): string {
  const largest = databaseParts?.slice(0, 4).map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`) ?? []
  return largest.length > 0 ? ` (${largest.join(', ')}${(databaseParts?.length ?? 0) > 4 ? ', …' : ''})` : ''
}
