import { readJsonIfThere } from '../platform/files.ts'
import type { Home } from '../platform/paths.ts'
import { isPaused } from '../platform/processes.ts'
import { askWorker } from './socket.ts'

/** For who has waited for a worker in vain: what to do about one that is there and does not answer; null when none is there. */
export async function diagnoseUnresponsiveWorker(home: Home): Promise<string | null> {
  const { kind } = await askWorker(home, '/health', { timeoutMs: 200 })
  return kind === 'late' ? unresponsiveWorkerAdvice(home) : null
}

/** What to do about a worker that is there and does not answer. */
export function unresponsiveWorkerAdvice(home: Home): string {
  const { pid } = (readJsonIfThere(home.workerFile) ?? {}) as { pid?: number }
  if (!pid) return 'the worker does not answer; try again in a moment'
  if (isPaused(pid))
    return `the worker (pid ${pid}) is paused; 'kill -CONT ${pid}' wakes it, 'kill -9 ${pid}' ends it. Nothing is lost meanwhile.`
  return `the worker (pid ${pid}) is busy or hangs; try again in a moment. If it stays so, 'kill -9 ${pid}' ends it and nothing is lost.`
}
