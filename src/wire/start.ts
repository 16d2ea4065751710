import { join } from 'node:path'
import type { Home } from '../platform/paths.ts'
import { startDetached } from '../platform/processes.ts'
import { askWorker } from './socket.ts'

/** The entry of this program, run by the Bun that runs us: what a hook or a command starts the worker with. */
export const PROGRAM = { command: process.execPath, args: [join(import.meta.dir, '..', 'cli', 'main.ts')] }

/** Starts the worker and does not wait. Two started at once end as one: the second finds the lock taken and leaves. */
export function startWorker(): { hasFailed(): boolean } {
  return startDetached(PROGRAM.command, [...PROGRAM.args, 'worker'], '/')
}

/** Starts the worker unless it answers, and waits until it does, it fails, or the time is up. */
export async function ensureWorker(home: Home, timeoutMs: number): Promise<boolean> {
  const until = performance.now() + timeoutMs
  if (await answers(home, timeoutMs)) return true
  const started = startWorker()
  for (let wait = 4; performance.now() < until && !started.hasFailed(); wait = Math.min(wait * 1.5, 50)) {
    await Bun.sleep(wait)
    if (await answers(home, until - performance.now())) return true
  }
  return false
}

async function answers(home: Home, timeoutMs: number): Promise<boolean> {
  const asked = await askWorker(home, '/health', { timeoutMs: Math.max(1, Math.ceil(timeoutMs)) })
  return asked.kind === 'answered'
}
