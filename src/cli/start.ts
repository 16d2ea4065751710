import { homePaths } from '../platform/paths.ts'
import type { WorkerStatus } from '../wire/api.ts'
import { ask, startWorkerOrExplain } from './ask.ts'
import { parse } from './parse.ts'
import { CliError, say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('start', args)
  const missing = await startWorkerOrExplain(homePaths())
  if (missing) throw new CliError(missing.why, missing.exit)
  const { pid, port, version, home, wantedPort } = await ask<WorkerStatus>('/api/status')
  if (values.json) return sayJson({ pid, port, version, home })
  say(`The worker runs (pid ${pid}, 127.0.0.1:${port}, version ${version}).`)
  if (port !== wantedPort && wantedPort !== 0) say(`Port ${wantedPort} is held by another program, so it listens on ${port}.`)
}
