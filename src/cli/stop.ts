import { readJsonIfThere } from '../platform/files.ts'
import { homePaths } from '../platform/paths.ts'
import { isRunning } from '../platform/processes.ts'
import { askWorker } from '../wire/socket.ts'
import { unresponsiveWorkerAdvice } from '../wire/unresponsive-worker.ts'
import { parse } from './parse.ts'
import { CliError, EXIT, say, sayJson } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('stop', args)
  const stopped = await stopWorker()
  if (values.json) return sayJson({ stopped })
  say(stopped ? 'The worker has stopped.' : 'No worker was running.')
}

/** Stops the worker and waits until it is gone; what it was doing is finished or kept for the next one. */
export async function stopWorker(): Promise<boolean> {
  const home = homePaths()
  const { pid } = (readJsonIfThere(home.workerFile) ?? {}) as { pid?: number }
  const asked = await askWorker(home, '/api/shutdown', { method: 'POST', timeoutMs: 2000 })
  if (asked.kind === 'unreachable') return false
  for (let waited = 0; waited < 10_000; waited += 20) {
    if (pid ? !isRunning(pid) : (await askWorker(home, '/health', { timeoutMs: 500 })).kind === 'unreachable') return true
    await Bun.sleep(20)
  }
  throw new CliError(unresponsiveWorkerAdvice(home), EXIT.timeout)
}
