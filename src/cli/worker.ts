import { NewerDatabase, runWorker } from '../worker/worker.ts'
import { CliError, EXIT } from './print.ts'

export async function run(): Promise<number> {
  try {
    await runWorker()
    return EXIT.done
  } catch (cause) {
    if (cause instanceof NewerDatabase) throw new CliError(cause.message, EXIT.database)
    throw cause
  }
}
