/** The connection to the worker: where its home and its program are, asking it, and starting it. */
import { spawn } from 'node:child_process'
import { homedir } from 'node:os'
import { env, window, workspace } from 'vscode'
import { type Client, connect } from '../../src/client/client.ts'
import { type FoundProgram, findProgram } from './program.ts'

/** A report must not pile up behind a busy worker. */
const REPORT_TIMEOUT_MS = 2000
const ASK_TIMEOUT_MS = 10_000
/** After a start that failed, another one is tried only after this time. */
const START_AGAIN_MS = 60_000

/** Without an open folder, all projects are searched. */
export const searchScope = (folder: string | undefined): { project?: null } => (folder === undefined ? { project: null } : {})

/** Without an open folder, a note is for all projects. */
export const noteScope = (folder: string | undefined): { scope?: 'global' } => (folder === undefined ? { scope: 'global' } : {})

export type Memory = ReturnType<typeof openMemory>

export function openMemory(log: (line: string) => void) {
  let lastStart = 0
  const setting = <T>(name: string, fallback: T): T => workspace.getConfiguration('recollect').get<T>(name, fallback)
  const home = () => setting('home', '').replace(/^~(?=\/)/, homedir())
  const connection = (project: string | undefined, timeoutMs: number): Client =>
    connect({ timeoutMs, host: env.appName, project: project ?? homedir(), ...(home() === '' ? {} : { home: home() }) })
  const program = (): FoundProgram =>
    findProgram(
      setting('path', '').replace(/^~(?=\/)/, homedir()),
      process.env.PATH ?? '',
      (workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    )
  const answers = (): Promise<boolean> => connection(undefined, REPORT_TIMEOUT_MS).isRunning()
  /** Runs the program in the person's home folder, because a folder of a workspace could contain anything. */
  const run = (args: string[]) =>
    new Promise<{ code: number | null; output: string }>((resolve) => {
      const found = program()
      if ('problem' in found) return resolve({ code: null, output: found.problem })
      const child = spawn(found.path, args, { cwd: homedir(), env: environment(), stdio: ['ignore', 'pipe', 'pipe'] })
      const parts: Buffer[] = []
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => parts.push(part))
      child.on('error', (cause) => resolve({ code: null, output: cause.message }))
      child.on('close', (code) => resolve({ code, output: Buffer.concat(parts).toString('utf8') }))
    })
  const environment = () => ({ ...process.env, ...(home() === '' ? {} : { RECOLLECT_HOME: home() }) })

  return {
    /** For questions of a person or a model. `project` is a folder. */
    ask: (project: string | undefined): Client => connection(project, ASK_TIMEOUT_MS),
    /** For reports. */
    tell: (project: string): Client => connection(project, REPORT_TIMEOUT_MS),
    program,
    run,
    /** The home, if the settings name one. */
    environment: (): Record<string, string> => (home() === '' ? {} : { RECOLLECT_HOME: home() }),
    /**
     * Makes sure that a worker answers. Starts it unless the settings forbid it, the person has stopped it, or it was tried a moment ago; `isWanted`
     * is a person's wish.
     */
    wake: async (isWanted = false): Promise<boolean> => {
      if (await answers()) return true
      const mayStart = () =>
        setting('startWorker', true) && Date.now() - lastStart >= START_AGAIN_MS && !connection(undefined, REPORT_TIMEOUT_MS).isStopped()
      if (!isWanted && !mayStart()) return false
      lastStart = Date.now()
      const { code, output } = await run(['start'])
      log(code === 0 ? 'started the worker' : `could not start the worker: ${output.trim().split('\n')[0]}`)
      if (code !== 0 && isWanted) void window.showErrorMessage(`Recollect could not be started. ${output.trim().split('\n')[0]}`)
      return code === 0
    },
  }
}
