import type { Home } from '../platform/paths.ts'
import { isPaused } from '../platform/processes.ts'
import { openCaller } from './call.ts'
import { socketTransport } from './socket.ts'
import { readWorkerFile } from './worker-file.ts'

/** Says what to do about a worker that runs and does not answer; null when none runs. */
export async function diagnoseUnresponsiveWorker(home: Home): Promise<string | null> {
  const { kind } = await openCaller(socketTransport(home)).call('GET /health', {}, { timeoutMs: 200 })
  return kind === 'late' ? unresponsiveWorkerAdvice(home) : null
}

/** What to do about a worker that runs and does not answer. */
export function unresponsiveWorkerAdvice(home: Home): string {
  const { pid } = readWorkerFile(home)
  if (pid === null) return 'the worker does not answer; try again in a moment'
  if (isPaused(pid))
    return `the worker (pid ${pid}) is paused; resume it with 'kill -CONT ${pid}' or stop it with 'kill -9 ${pid}'. Nothing is lost.`
  return `the worker (pid ${pid}) is busy or hangs; try again in a moment. If this continues, stop it with 'kill -9 ${pid}'. Nothing is lost.`
}
