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
      await runWorker()
      // Open handles would keep this process alive: a job that hangs, or everything when the home is gone.
      process.exit(EXIT.done)
    } catch (cause) {
      if (cause instanceof NewerDatabase) throw new CliError(cause.message, EXIT.database)
      throw cause
    }
  },
})
