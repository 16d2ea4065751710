import { inDollars } from '../core/cost.ts'
import { asProjectKey } from '../core/ids.ts'
import { projectName } from '../core/project.ts'
import { formatAge, formatAgo } from '../core/time-format.ts'
import { readEnvironment } from '../platform/environment.ts'
import { homePaths } from '../platform/paths.ts'
import type { CostReport, WorkerStatus } from '../wire/api.ts'
import { askWorker } from '../wire/socket.ts'
import { unresponsiveWorkerAdvice } from '../wire/unresponsive-worker.ts'
import { ask } from './ask.ts'
import { describeConnection, findConnection } from './claude-code-connection.ts'
import { embedderLine } from './embedder.ts'
import { parse } from './parse.ts'
import { bold, CliError, dim, EXIT, formatBytes, plural, say, sayJson, table, yellow } from './print.ts'
import { syncStateRows } from './sync.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('status', args)
  if (values.days !== undefined && !values.cost) throw new CliError('--days goes with --cost', EXIT.invalid)
  if (values.cost) {
    const cost = await ask<CostReport>(`/api/cost?days=${encodeURIComponent(values.days ?? '30')}`)
    if (values.json) return sayJson(cost)
    sayCost(cost)
    return
  }
  const status = await readStatusQuickly()
  if (values.json) return sayJson({ ...status, connected: findConnection(readEnvironment()) })
  sayStatus(status)
}

/** Within two seconds, whatever the worker does: a person who asks how it is must not wait for one that hangs. */
async function readStatusQuickly(): Promise<WorkerStatus> {
  const home = homePaths()
  const asked = await askWorker(home, '/api/status', { timeoutMs: STATUS_TIMEOUT_MS })
  if (asked.kind === 'answered') return JSON.parse(asked.body) as WorkerStatus
  if (asked.kind === 'late') throw new CliError(unresponsiveWorkerAdvice(home), EXIT.timeout)
  return ask<WorkerStatus>('/api/status')
}

const STATUS_TIMEOUT_MS = 1500

export function sayStatus(s: WorkerStatus): void {
  const now = Date.now()
  const { says, fix } = describeConnection(findConnection(readEnvironment()))
  const port =
    s.port === s.wantedPort || s.wantedPort === 0 ? `${s.port}` : `${s.port} ${yellow(`(another program holds ${s.wantedPort})`)}`
  say(
    table([
      [
        'Worker',
        s.port === 0
          ? yellow('does not run')
          : `pid ${s.pid}, 127.0.0.1:${port}, version ${s.version}, ${formatBytes(s.memoryBytes)} of memory`,
      ],
      ['Home', s.home],
      ['Claude Code', fix ? yellow(`${says}: ${fix}`) : says],
      ['Database', `${formatBytes(s.databaseBytes)}${dim(describeDatabaseParts(s))}`],
      ['Sessions', `${s.sessions.all.toLocaleString('en')} remembered, ${s.sessions.live} live`],
      ['Notes', `${(s.notes.all - s.notes.hidden).toLocaleString('en')} ${dim(`(${s.notes.hidden} hidden)`)}`],
      ...syncStateRows(s.sync),
      ['Text model', describeTextModel(s.textModel)],
      ['Last event', s.lastEventAt === null ? 'none yet' : formatAgo(s.lastEventAt, now)],
      [
        'Queue',
        `${plural(s.jobs.waiting + s.jobs.running, 'job')} waiting${s.jobs.dead > 0 ? yellow(`, ${s.jobs.dead} failed`) : ''}, ${s.spooled} in the spool`,
      ],
      ['Embedder', embedderLine(s.embedder)],
    ]),
  )
  for (const file of s.setAside ?? []) say(yellow(`  the database was damaged and is now ${file}. ${DAMAGED_DATABASE_ADVICE}`))
  for (const job of s.deadJobs) say(yellow(`  failed: ${job.kind} ${job.key} after ${job.attempts} tries: ${job.error}`))
  for (const file of s.notes.problems) say(yellow(`  not a note: ${file.path}: ${file.problem}`))
  for (const problem of s.problems) say(yellow(`  setting: ${problem}`))
  if (s.projects.length === 0) return
  say(`\n${bold('Projects')}`)
  const rows = s.projects
    .slice(0, 10)
    .map((p) => [projectName(asProjectKey(p.project)), plural(p.sessions, 'session'), formatAge(p.lastAt, now), dim(p.project)])
  say(table(rows))
}

/** What a person does about a database that was set aside. */
export const DAMAGED_DATABASE_ADVICE = `History is read again from the transcripts ('recollect import' does it now), notes are in memory/; delete the file when nothing is missing.`

function describeTextModel(model: WorkerStatus['textModel']): string {
  if ('absent' in model) return dim(model.absent)
  return model.problem ? `${model.name} ${yellow(`(${model.problem})`)}` : model.name
}

function sayCost({ rows, today, month }: CostReport): void {
  if (rows.length === 0) say('No text model was asked.')
  else {
    say(
      table([
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
      ]),
    )
  }
  const spent = ({ limit, ...cost }: CostReport['today']) => `${inDollars(cost, 4)}${limit > 0 ? ` of $${limit}` : ''}`
  say(`Today ${spent(today)}, this month ${spent(month)}.`)
  say(dim('Estimated by list prices; prices.toml in the home changes them.'))
}

/** The largest parts of the database; nothing while nobody has looked. */
function describeDatabaseParts({ databaseParts }: WorkerStatus): string {
  const largest = databaseParts?.slice(0, 4).map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`) ?? []
  return largest.length > 0 ? ` (${largest.join(', ')}${(databaseParts?.length ?? 0) > 4 ? ', …' : ''})` : ''
}
