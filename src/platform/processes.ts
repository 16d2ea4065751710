import { readFileSync } from 'node:fs'

/** True while a process with this pid runs, ours or another user's. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
  return !isDead(pid)
}

/** Like `isRunning`, but the process must already have existed at `at`: pids are reused, above all after a reboot. True when the start time is unknown. */
export function isRunningSince(pid: number, at: number): boolean {
  return isRunning(pid) && (startTimeOf(pid) ?? 0) <= at + CLOCK_TOLERANCE_MS
}

/** The kernel counts start times in hundredths of a second, from a boot time rounded to a second. */
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

/** A zombie keeps its pid until its parent reaps it, which in a container may never happen. Only known on Linux. */
const isDead = (pid: number) => stateOf(pid) === 'Z'

/** True for a stopped process (Ctrl-Z, SIGSTOP). */
export const isPaused = (pid: number) => stateOf(pid) === 'T'

function stateOf(pid: number): string | null {
  try {
    return /\) (\w) [^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1] ?? null
  } catch {
    return null
  }
}

/** Starts a process that outlives this one and inherits none of its pipes: a client waits until a hook's pipes are closed. */
export function startDetached(
  command: string,
  args: string[],
  cwd: string,
  variables: Record<string, string> = {},
): { hasFailed(): boolean } {
  // By default Bun passes on the environment it was started with; `--home` may have changed ours since.
  const env = { ...process.env, ...variables }
  const child = Bun.spawn([command, ...args], { cwd, detached: true, env, stdio: ['ignore', 'ignore', 'ignore'] })
  child.unref()
  return { hasFailed: () => child.exitCode !== null && child.exitCode !== 0 }
}

/**
 * For `startDetached`. The garbage collector assumes a small machine, so that the heap of a long-lived process grows less before it is collected: in a
 * burst the worker then needs 40 MB less, for the same processor time. The last of the three compilers is off: what it takes it never saves, 10 % of an
 * import or of a burst, and 5 MB.
 */
export const FRUGAL_RUNTIME = { BUN_JSC_forceRAMSize: String(128 * 1024 * 1024), BUN_JSC_useFTLJIT: '0' }

/** Removes `FRUGAL_RUNTIME` from the environment of the programs that this process starts: a model's client may need a larger heap. */
export function dropFrugalRuntime(): void {
  for (const name of Object.keys(FRUGAL_RUNTIME)) delete process.env[name]
}

/** From now on, files that this process creates are readable only by their owner. */
export function keepFilesPrivate(): void {
  process.umask(0o077)
}

export type ProgramResult = { code: number | null; stdout: string; stderr: string }

export type RunOptions = {
  cwd?: string
  timeoutMs?: number
  /** The program's input; without it, stdin is empty. */
  stdin?: string | Uint8Array
  /** Removes variables from the inherited environment, then sets others. */
  environment?: { without: RegExp; with: Record<string, string> }
}

/** Runs a program and ends it on timeout. Code null means that it could not be started. */
export async function runProgram(command: string, args: string[], options: RunOptions = {}): Promise<ProgramResult> {
  const ran = await runForBytes(command, args, options)
  return { ...ran, stdout: new TextDecoder().decode(ran.stdout) }
}

/** Like `runProgram`, for output that is not text. */
export async function runForBytes(
  command: string,
  args: string[],
  options: RunOptions = {},
): Promise<Omit<ProgramResult, 'stdout'> & { stdout: Uint8Array }> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let leader = 0
  try {
    const child = Bun.spawn([command, ...args], {
      ...spawnOptions(options),
      stdio: [options.stdin === undefined ? 'ignore' : Buffer.from(options.stdin), 'pipe', 'pipe'],
    })
    leader = child.pid
    running.add(leader)
    timer = setTimeout(() => endProcessGroup(child.pid), options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
    const [stdout, stderr, code] = await Promise.all([child.stdout.bytes(), child.stderr.text(), child.exited])
    return { code, stdout, stderr }
  } catch (cause) {
    return { code: null, stdout: new Uint8Array(), stderr: (cause as Error).message }
  } finally {
    clearTimeout(timer)
    running.delete(leader)
  }
}

/** Runs a program and passes its output on as it comes, for output that may be larger than memory. Ends it on timeout. */
export async function runInChunks(
  command: string,
  args: string[],
  options: RunOptions,
  onChunk: (chunk: Uint8Array) => void,
): Promise<Omit<ProgramResult, 'stdout'>> {
  let timer: ReturnType<typeof setTimeout> | undefined
  let leader = 0
  try {
    const child = Bun.spawn([command, ...args], { ...spawnOptions(options), stdio: ['ignore', 'pipe', 'pipe'] })
    leader = child.pid
    running.add(leader)
    timer = setTimeout(() => endProcessGroup(child.pid), options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
    const read = async () => {
      for await (const chunk of child.stdout) onChunk(chunk)
    }
    const [, stderr, code] = await Promise.all([read(), child.stderr.text(), child.exited])
    return { code, stderr }
  } catch (cause) {
    return { code: null, stderr: (cause as Error).message }
  } finally {
    clearTimeout(timer)
    running.delete(leader)
  }
}

/** The programs that run, by the leader of their process group. */
const running = new Set<number>()

/** Ends every program that still runs. For a process that ends: they would outlive it, and a git that waits for its remote never ends. */
export function endPrograms(): void {
  for (const leader of running) endProcessGroup(leader)
}

const spawnOptions = (options: RunOptions) => ({
  ...(options.cwd ? { cwd: options.cwd } : {}),
  env: options.environment ? childEnvironment(options.environment) : process.env,
  // Its own process group, so that its children end with it: we wait until all its pipes are closed.
  detached: true,
})

const DEFAULT_TIMEOUT_MS = 10_000

/** Flushes all file systems, where `sync` exists. */
export async function flushDisks(): Promise<void> {
  await runProgram('sync', [], { timeoutMs: 60_000 })
}

/** This process's environment with some variables removed and others set, for a child process. */
export function childEnvironment(change: NonNullable<RunOptions['environment']>): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !change.without.test(name))
  return { ...Object.fromEntries(kept), ...change.with }
}

function endProcessGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGTERM')
  } catch {
    // It has already ended.
  }
}
