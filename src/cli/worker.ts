import { NewerDatabase, runWorker } from '../worker/worker.ts'
import { parse } from './parse.ts'
import { CliError, EXIT } from './print.ts'

export async function run(args: string[]): Promise<number> {
  parse('worker', args)
  try {
    await runWorker()
    return EXIT.done
  } catch (cause) {
    if (cause instanceof NewerDatabase) throw new CliError(cause.message, EXIT.database)
    throw cause
  }
}
