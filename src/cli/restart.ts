import { parse } from './parse.ts'
import { run as start } from './start.ts'
import { stopWorker } from './stop.ts'

export async function run(args: string[]): Promise<undefined> {
  parse('restart', args) // before anything is stopped
  await stopWorker()
  return start(args)
}
