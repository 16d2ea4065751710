import type { WorkerStatus } from '../wire/api.ts'
import { ask } from './ask.ts'
import { parse } from './parse.ts'
import { say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('start', args)
  const { pid, port, version, home, wantedPort } = await ask<WorkerStatus>('/api/status')
  if (values.json) return sayJson({ pid, port, version, home })
  say(`The worker runs (pid ${pid}, 127.0.0.1:${port}, version ${version}).`)
  if (port !== wantedPort && wantedPort !== 0) say(`Port ${wantedPort} is held by another program, so it listens on ${port}.`)
}
