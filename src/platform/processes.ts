import { spawn } from 'node:child_process'

/** True while a process with this id runs, ours or not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Starts a process that outlives this one and holds none of its pipes: a client waits for a hook's pipes to close. */
export function startDetached(command: string, args: string[], cwd: string): void {
  const child = spawn(command, args, { cwd, detached: true, stdio: 'ignore' })
  child.on('error', () => {
    // The caller waits for the socket to answer and reports that it did not.
  })
  child.unref()
}

/** From here on, files that this process makes are readable by their owner only. */
export function keepFilesPrivate(): void {
  process.umask(0o077)
}

export type Ran = { code: number | null; stdout: string; stderr: string }

/** Runs a program to its end. A missing program is an ordinary outcome: code null. */
export function runProgram(command: string, args: string[], options: { cwd?: string; timeoutMs?: number } = {}): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      ...(options.cwd ? { cwd: options.cwd } : {}),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: options.timeoutMs ?? 10_000,
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.on('error', (error) => resolve({ code: null, stdout, stderr: stderr || error.message }))
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
