import { parseArgs } from 'node:util'
import { asProjectKey } from '../core/ids.ts'
import { projectName } from '../core/project.ts'
import { age, ago } from '../core/when.ts'
import type { WorkerStatus } from '../wire/api.ts'
import { ask } from './ask.ts'
import { bold, dim, plural, say, sayJson, size, table, yellow } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean' } } })
  const status = await ask<WorkerStatus>('/api/status')
  if (values.json) return sayJson(status)
  sayStatus(status)
}

export function sayStatus(s: WorkerStatus): void {
  const now = Date.now()
  const port =
    s.port === s.wantedPort || s.wantedPort === 0 ? `${s.port}` : `${s.port} ${yellow(`(another program holds ${s.wantedPort})`)}`
  say(
    table([
      ['Worker', `pid ${s.pid}, 127.0.0.1:${port}, version ${s.version}, ${size(s.memoryBytes)} of memory`],
      ['Home', `${s.home} ${dim(`(database ${size(s.databaseBytes)})`)}`],
      ['Sessions', `${s.sessions.all.toLocaleString('en')} remembered, ${s.sessions.live} live`],
      ['Notes', `${(s.notes.all - s.notes.hidden).toLocaleString('en')} ${dim(`(${s.notes.hidden} hidden)`)}`],
      ['Last event', s.lastEventAt === null ? 'none yet' : ago(s.lastEventAt, now)],
      [
        'Queue',
        `${plural(s.jobs.waiting + s.jobs.running, 'job')} waiting${s.jobs.dead > 0 ? yellow(`, ${s.jobs.dead} failed`) : ''}, ${s.spooled} in the spool`,
      ],
    ]),
  )
  for (const job of s.deadJobs) say(yellow(`  failed: ${job.kind} ${job.key} after ${job.attempts} tries: ${job.error}`))
  for (const file of s.notes.problems) say(yellow(`  not a note: ${file.path}: ${file.problem}`))
  for (const problem of s.problems) say(yellow(`  setting: ${problem}`))
  if (s.projects.length === 0) return
  say(`\n${bold('Projects')}`)
  const rows = s.projects
    .slice(0, 10)
    .map((p) => [projectName(asProjectKey(p.project)), plural(p.sessions, 'session'), age(p.lastAt, now), dim(p.project)])
  say(table(rows))
}
