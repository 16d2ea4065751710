/** The entry of the worker process. It is bundled on its own, with bytecode, because the first hook of a day waits for it. */
import { runWorker } from '../worker/worker.ts'

// Open handles would keep this process alive: a job that hangs, or everything when the home is gone.
runWorker().then(() => process.exit(0))
