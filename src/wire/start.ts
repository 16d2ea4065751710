import type { Home } from '../platform/paths.ts'
import { FRUGAL_RUNTIME, startDetached } from '../platform/processes.ts'
import { COMMAND_FILE, WORKER_PROGRAM } from '../platform/program.ts'
import { compareVersions, VERSION } from '../platform/version.ts'
import { type Caller, openCaller } from './call.ts'
import { socketTransport } from './socket.ts'

/** How to call us on this machine: by name if `recollect` is on the PATH, otherwise by its full path. */
export function commandName(): string {
  return Bun.which('recollect') ? 'recollect' : COMMAND_FILE
}

/** Starts the worker without waiting for it. If two start at once, the second finds the lock taken and exits. */
export function startWorker(): { hasFailed(): boolean } {
  return startDetached(WORKER_PROGRAM.command, WORKER_PROGRAM.args, '/', FRUGAL_RUNTIME)
}

/**
 * Starts the worker unless it runs, and waits until it answers, fails to start, or the time is up. Replaces a worker of an older version. Returns
 * whether a worker answers.
 */
export async function ensureWorker(home: Home, timeoutMs: number): Promise<boolean> {
  const worker = openCaller(socketTransport(home))
  const deadline = performance.now() + timeoutMs
  const remainingMs = () => Math.max(1, Math.ceil(deadline - performance.now()))
  const version = await workerVersion(worker, remainingMs())
  // Only a newer program replaces the worker, so two programs of different versions cannot keep replacing each other's.
  if (version !== null && compareVersions(VERSION, version) > 0) await stopOlderWorker(worker, remainingMs())
  else if (version !== null) return true
  // A worker that runs and stays silent holds the lock, so another one could not start.
  else if (performance.now() >= deadline) return false
  const started = startWorker()
  for (let waitMs = 4; performance.now() < deadline && !started.hasFailed(); waitMs = Math.min(waitMs * 1.5, 50)) {
    await Bun.sleep(waitMs)
    if ((await workerVersion(worker, remainingMs())) !== null) return true
  }
  return false
}

/** Null when no worker answers. */
async function workerVersion({ call }: Caller, timeoutMs: number): Promise<string | null> {
  const reply = await call('GET /health', {}, { timeoutMs })
  return reply.kind === 'answered' ? (reply.value.version ?? '0.0.0') : null
}

/** Waits until the worker has finished its work and stopped answering. */
async function stopOlderWorker(worker: Caller, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  await worker.call('POST /api/shutdown', {}, { timeoutMs })
  while (performance.now() < deadline && (await workerVersion(worker, timeoutMs)) !== null) await Bun.sleep(10)
}
