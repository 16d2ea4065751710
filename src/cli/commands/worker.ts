import { defineCommand } from '../parse.ts'
import { CliError, EXIT } from '../print.ts'

export const command = defineCommand({
  name: 'worker',
  summary: 'run the worker in the foreground',
  usage: 'recollect worker',
  words: null,
  options: {},
  async run() {
    const { NewerDatabase, runWorker } = await import('../../worker/worker.ts')
    try {
      // Without a home the worker closes nothing, and what is open would keep this process alive.
      if ((await runWorker()) === 'its home is gone') process.exit(EXIT.done)
      return EXIT.done
    } catch (cause) {
      if (cause instanceof NewerDatabase) throw new CliError(cause.message, EXIT.database)
      throw cause
    }
  },
})
