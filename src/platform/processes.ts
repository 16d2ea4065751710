import { readFileSync } from 'node:fs'

/** True while a process with this id runs, ours or not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
  return !isDead(pid)
}

/** The same, and it was there at a time: ids are given again, after a restart of the machine above all. Where nobody can tell, it was. */
export function isRunningSince(pid: number, at: number): boolean {
  return isRunning(pid) && (startTimeOf(pid) ?? 0) <= at + CLOCK_TOLERANCE_MS
}

/** The kernel counts in hundredths of a second, from a second that it rounds. */
const CLOCK_TOLERANCE_MS = 2000

function startTimeOf(pid: number): number | null {
  try {
    const ticks = Number(/\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]?.split(' ')[19])
    const booted = Number(/^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1])
    return Number.isFinite(ticks + booted) ? booted * 1000 + ticks * 10 : null
  } catch {
    return null
  }
}

/** One that has ended keeps its id until its parent looks, and in a container nobody may. Elsewhere than on Linux we cannot tell. */
const isDead = (pid: number) => stateOf(pid) === 'Z'

/** True for a process that somebody stopped (Ctrl-Z, SIGSTOP): it runs and does nothing. */
export const isPaused = (pid: number) => stateOf(pid) === 'T'

function stateOf(pid: number): string | null {
  try {
    return /\) (\w) [^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? null
  } catch {
    return null
  }
}

/** Starts a process that outlives this one and holds none of its pipes: a client waits for a hook's pipes to close. */
export function startDetached(command: string, args: string[], cwd: string): { hasFailed(): boolean } {
  // Bun hands down the environment it was started with, unless told; `--home` changes ours afterwards.
  const child = Bun.spawn([command, ...args], { cwd, detached: true, env: process.env, stdio: ['ignore', 'ignore', 'ignore'] })
  child.unref()
  return { hasFailed: () => child.exitCode !== null && child.exitCode !== 0 }
}

/** From here on, files that this process makes are readable by their owner only. */
export function keepFilesPrivate(): void {
  process.umask(0o077)
}

export type ProgramResult = { code: number | null; stdout: string; stderr: string }

export type RunOptions = {
  cwd?: string
  timeoutMs?: number
  /** What the program reads; nothing when left out. */
  stdin?: string | Uint8Array
  /** Takes variables away from what the program inherits, then sets others. */
  environment?: { without: RegExp; with: Record<string, string> }
}

/** Runs a program to its end, or ends it when its time is up. A missing program is an ordinary outcome: code null. */
export async function runProgram(command: string, args: string[], options: RunOptions = {}): Promise<ProgramResult> {
  const ran = await runForBytes(command, args, options)
  return { ...ran, stdout: new TextDecoder().decode(ran.stdout) }
}

/** The same for a program whose output is not all text. */
export async function runForBytes(
  command: string,
  args: string[],
  options: RunOptions = {},
): Promise<Omit<ProgramResult, 'stdout'> & { stdout: Uint8Array }> {
  let late: ReturnType<typeof setTimeout> | undefined
  try {
    const child = Bun.spawn([command, ...args], {
      ...(options.cwd ? { cwd: options.cwd } : {}),
      env: options.environment ? childEnvironment(options.environment) : process.env,
      stdio: [options.stdin === undefined ? 'ignore' : Buffer.from(options.stdin), 'pipe', 'pipe'],
      // A group of its own, so that what it started ends with it: whoever holds its pipes would keep us waiting.
      detached: true,
    })
    late = setTimeout(() => endProcessGroup(child.pid), options.timeoutMs ?? 10_000)
    const [stdout, stderr, code] = await Promise.all([child.stdout.bytes(), child.stderr.text(), child.exited])
    return { code, stdout, stderr }
  } catch (cause) {
    return { code: null, stdout: new Uint8Array(), stderr: (cause as Error).message }
  } finally {
    clearTimeout(late)
  }
}

/** Has the system write down everything that programs gave it. A system without `sync` does it in its own time. */
export async function flushDisks(): Promise<void> {
  await runProgram('sync', [], { timeoutMs: 60_000 })
}

/** The environment of this process, some of it taken away and some of it set, for one that it starts. */
export function childEnvironment(change: NonNullable<RunOptions['environment']>): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !change.without.test(name))
  return { ...Object.fromEntries(kept), ...change.with }
}

function endProcessGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGTERM')
  } catch {
    // it has just ended by itself
  }
}
