import type { Home } from '../platform/paths.ts'
import { startDetached } from '../platform/processes.ts'
import { COMMAND_FILE, PROGRAM } from '../platform/program.ts'
import { compareVersions, VERSION } from '../platform/version.ts'
import { askWorker } from './socket.ts'

/** How a person or a model calls us here: by name where it is on the PATH, else by the whole path. */
export function commandName(): string {
  return Bun.which('recollect') ? 'recollect' : COMMAND_FILE
}

/** Starts the worker and does not wait. Two started at once end as one: the second finds the lock taken and leaves. */
export function startWorker(): { hasFailed(): boolean } {
  return startDetached(PROGRAM.command, [...PROGRAM.args, 'worker'], '/')
}

/** Starts the worker unless it answers, and waits until it does, it fails, or the time is up. A newer program replaces an older worker. */
export async function ensureWorker(home: Home, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs
  const left = () => Math.max(1, Math.ceil(until - performance.now()))
  const version = await workerVersion(home, left())
  // Only ever the newer one replaces the older, so two programs of different versions cannot chase each other.
  if (version !== null && compareVersions(VERSION, version) > 0) await stopOlderWorker(home, left())
  else if (version !== null) return true
  // Time is up for one that is there and silent. It holds the lock: another could not start, or would come when somebody has just stopped it.
  else if (performance.now() >= until) return false
  const started = startWorker()
  for (let wait = 4; performance.now() < until && !started.hasFailed(); wait = Math.min(wait * 1.5, 50)) {
    await Bun.sleep(wait)
    if ((await workerVersion(home, left())) !== null) return true
  }
  return false
}

/** The version of the worker that answers, or null when none does. */
async function workerVersion(home: Home, timeoutMs: number): Promise<string | null> {
  const asked = await askWorker(home, '/health', { timeoutMs })
  return asked.kind === 'answered' ? ((JSON.parse(asked.body) as { version?: string }).version ?? '0.0.0') : null
}

/** Asks it to finish what it has in hand and leave, and waits until its place is free. */
async function stopOlderWorker(home: Home, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs
  await askWorker(home, '/api/shutdown', { method: 'POST', timeoutMs })
  while (performance.now() < until && (await workerVersion(home, timeoutMs)) !== null) await Bun.sleep(10)
}
