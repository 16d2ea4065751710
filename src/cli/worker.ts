import { NewerDatabase, runWorker } from '../worker/worker.ts'
import { parse } from './parse.ts'
import { CliError, EXIT } from './print.ts'

export async function run(args: string[]): Promise<number> {
  parse('worker', args)
  try {
    // It has left everything open, and open things would keep it here.
    if ((await runWorker()) === 'its home is gone') process.exit(EXIT.done)
    return EXIT.done
  } catch (cause) {
    if (cause instanceof NewerDatabase) throw new CliError(cause.message, EXIT.database)
    throw cause
  }
}
