import { run as start } from './start.ts'
import { stopWorker } from './stop.ts'

export async function run(args: string[]): Promise<undefined> {
  await stopWorker()
  return start(args)
}
