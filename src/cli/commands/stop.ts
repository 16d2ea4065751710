import { exists } from '../../platform/files.ts'
import { homePaths } from '../../platform/paths.ts'
import { isRunning } from '../../platform/processes.ts'
import { markStopped } from '../../wire/absent-worker.ts'
import { unresponsiveWorkerAdvice } from '../../wire/unresponsive-worker.ts'
import { readWorkerFile } from '../../wire/worker-file.ts'
import { callRunningWorker } from '../call.ts'
import { json } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { CliError, dim, EXIT, print, printJson } from '../print.ts'

export const command = defineCommand({
  name: 'stop',
  summary: 'stop the worker',
  usage: 'recollect stop [--json]',
  words: null,
  options: { json },
  async run({ values }) {
    const home = homePaths()
    if (exists(home.folder)) markStopped(home)
    const stopped = await stopWorker()
    if (values.json) return printJson({ stopped })
    print(stopped ? 'The worker has stopped.' : 'No worker was running.')
    print(dim("Hooks keep events in the spool until the next session starts, or until you run 'recollect start'."))
  },
})

/** Stops the worker and waits until it has exited. It finishes its current job or leaves it for the next worker. */
export async function stopWorker(): Promise<boolean> {
  const home = homePaths()
  const { pid } = readWorkerFile(home)
  const callWorker = callRunningWorker(home)
  const reply = await callWorker('POST /api/shutdown', {}, { timeoutMs: 2000 })
  if (reply.kind === 'unreachable') return false
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 20) {
    if (pid ? !isRunning(pid) : (await callWorker('GET /health', {}, { timeoutMs: 500 })).kind === 'unreachable') return true
    await Bun.sleep(20)
  }
  throw new CliError(unresponsiveWorkerAdvice(home), EXIT.timeout)
}
