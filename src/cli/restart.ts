import { parseArgs } from 'node:util'
import { run as start } from './start.ts'
import { stopWorker } from './stop.ts'

export async function run(args: string[]): Promise<undefined> {
  parseArgs({ args, options: { json: { type: 'boolean' } } }) // before anything is stopped
  await stopWorker()
  return start(args)
}
