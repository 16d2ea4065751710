import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAM } from '../../../src/platform/program.ts'
import type { FaultyHome } from '../home.ts'

/** The system calls that change a disk. */
const CHANGES = 'pwrite64,fsync,fdatasync,ftruncate,rename,unlink,mkdir,rmdir'

/** Tests without strace are skipped on a person's machine, and fail where CI is set. */
export const lacksStrace =
  !process.env.CI && (Bun.which('strace') === null || Bun.spawnSync(['strace', '-o', '/dev/null', 'true']).exitCode !== 0)

/** The fault at the n-th change of the disk by the worker, or by a program that it started. */
type Injection = { kind: 'none' } | { kind: 'kill'; at: number } | { kind: 'error'; error: DiskError; at: number; until: number }
export type DiskError = 'ENOSPC' | 'EROFS' | 'EIO'

/** Starts a worker under strace, which counts its changes of the disk and injects a fault at one of them. Returns when the worker answers or is dead. */
export async function startTracedWorker(at: FaultyHome, injection: Injection) {
  const trace = join(at.folder, 'trace')
  const inject =
    injection.kind === 'none'
      ? []
      : injection.kind === 'kill'
        ? ['-e', `inject=${CHANGES}:signal=KILL:when=${injection.at}`]
        : ['-e', `inject=${CHANGES}:error=${injection.error}:when=${injection.at}..${injection.until}`]
  const child = Bun.spawn(
    ['strace', '-f', '-qq', '-o', trace, '-e', `trace=${CHANGES}`, ...inject, PROGRAM.command, ...PROGRAM.args, 'worker'],
    { cwd: '/', env: at.env, stdio: ['ignore', 'ignore', 'ignore'] },
  )
  for (const until = Date.now() + 60_000; Date.now() < until && child.exitCode === null && !child.signalCode; await Bun.sleep(20)) {
    if (existsSync(at.home.workerFile)) break
  }
  return {
    /** strace ends as the worker did. */
    wasKilled: () => child.signalCode === 'SIGKILL',
    exited: child.exited,
    /** How often the worker itself changed the disk, or the busiest program that it started. Read it after the worker has ended. */
    steps: () => {
      const byThread = new Map<string, number>()
      for (const line of readFileSync(trace, 'utf8').split('\n')) {
        const [thread = '', call = ''] = line.split(/\s+/, 2)
        if (/^[a-z]/.test(call)) byThread.set(thread, (byThread.get(thread) ?? 0) + 1)
      }
      return Math.max(0, ...byThread.values())
    },
  }
}
