/** A hub as an operator runs it: the program in a process of its own, with a throw-away home. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PROGRAM = join(import.meta.dir, '..', '..', 'src', 'cli', 'main.ts')

export type CommandResult = { code: number; stdout: string; stderr: string }

/** Runs `recollect hub …` in a home and returns what it printed. */
export async function runHubCommand(home: string, args: string[], env: Record<string, string> = {}): Promise<CommandResult> {
  const child = Bun.spawn([process.execPath, PROGRAM, 'hub', ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HOME: join(home, 'recollect'), ...env },
    cwd: home,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  return { code, stdout, stderr }
}

export type HubProcess = { base: string; metrics: string; pid: number; log(): string; kill(): Promise<void>; stop(): Promise<number> }

/** Starts `recollect hub start` on a free port and waits until it listens. */
export async function startHubProcess(hubUrl: string, args: string[] = []): Promise<HubProcess> {
  const home = mkdtempSync(join(tmpdir(), 'recollect-hub-'))
  const child = Bun.spawn([process.execPath, PROGRAM, 'hub', 'start', '--port', '0', '--metrics', '127.0.0.1:0', '--json', ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HOME: join(home, 'recollect'), RECOLLECT_HUB_DATABASE: hubUrl },
    cwd: home,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let log = ''
  const logged = (async () => {
    for await (const chunk of child.stderr) log += new TextDecoder().decode(chunk)
  })()
  const first = await firstLine(child.stdout)
  if (!first.startsWith('{')) {
    await logged
    throw new Error(`the hub did not start: ${first}${log}`)
  }
  const started: { url: string; metricsPort: number } = JSON.parse(first)
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    const code = await child.exited
    rmSync(home, { recursive: true, force: true })
    return code
  }
  return {
    base: started.url,
    metrics: `http://127.0.0.1:${started.metricsPort}/metrics`,
    pid: child.pid,
    log: () => log,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk)
    if (text.includes('\n')) break
  }
  return text.split('\n')[0] ?? ''
}
