import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { claudeClient, PINNED } from './client.ts'

/** A temporary home, a project, and a clean environment. */
export type Sandbox = {
  root: string
  home: string
  project: string
  /** The version of the client. */
  version: string
  /** The client's executable. Its folder is first on the PATH, so `claude` means this one. */
  claude: string
  env: Record<string, string>
  /** Also ends a worker that hooks started in this home. */
  remove(): Promise<void>
}

export type SandboxOptions = {
  /** The version of the client. */
  client?: string
  /** The person's Claude Code settings. */
  settings?: Settings
  /** Files of the project, by relative path. An object is written as JSON. */
  files?: Record<string, string | object>
  homeFiles?: Record<string, string | object>
  /** Makes the project a git repository with one commit. */
  git?: boolean
  env?: Record<string, string>
}

export type Settings = { hooks?: Hooks; [key: string]: unknown }
/** Hooks in the format of Claude Code's settings. */
export type Hooks = Record<string, { matcher?: string; hooks: Record<string, unknown>[] }[]>

/** Looks like a key but is not one. */
const FAKE_API_KEY = 'sk-ant-made-up-for-offline-tests-0000000000'

export async function makeSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const version = options.client ?? PINNED
  const claude = await claudeClient(version)
  // Not in TMPDIR, which has a long path on macOS: the path of the worker's socket must stay under a hundred bytes.
  const root = mkdtempSync(join(realpathSync('/tmp'), 'recollect-'))
  const home = join(root, 'home')
  const project = join(root, 'project')
  const temporary = join(root, 'tmp')
  for (const folder of [home, project, temporary]) mkdirSync(folder)
  // Skips the welcome screen and the trust prompt.
  writeInto(home, '.claude.json', {
    hasCompletedOnboarding: true,
    numStartups: 5,
    theme: 'dark',
    customApiKeyResponses: { approved: [FAKE_API_KEY.slice(-20)], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, allowedTools: [] } },
  })
  if (options.settings) writeInto(home, '.claude/settings.json', options.settings)
  for (const [path, content] of Object.entries(options.files ?? {})) writeInto(project, path, content)
  for (const [path, content] of Object.entries(options.homeFiles ?? {})) writeInto(home, path, content)
  const sandbox: Sandbox = {
    root,
    home,
    project,
    version,
    claude,
    env: { ...environmentOf(home, temporary, claude), ...options.env },
    remove: async () => {
      endWorker(home)
      // A client that is exiting may still be writing.
      await rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    },
  }
  if (options.git) await commitAll(sandbox)
  return sandbox
}

export type Ran = { code: number; stdout: string; stderr: string; ms: number; timedOut: boolean }
export type RunOptions = { cwd?: string; env?: Record<string, string>; input?: string; timeoutMs?: number }

/** Runs a program in the sandbox. Does not throw if the program fails; check its exit code. */
export async function runIn(sandbox: Sandbox, command: string[], options: RunOptions = {}): Promise<Ran> {
  const started = performance.now()
  const child = Bun.spawn(command, {
    cwd: options.cwd ?? sandbox.project,
    env: { ...sandbox.env, ...options.env },
    stdin: new Blob([options.input ?? '']),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    child.kill('SIGKILL')
  }, options.timeoutMs ?? 200_000)
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  clearTimeout(timer)
  return { code, stdout, stderr, ms: performance.now() - started, timedOut }
}

/** Writes a file below a folder and creates the folders in between. */
export function writeInto(folder: string, path: string, content: string | object): void {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
}

/** A line of a transcript, with the fields that tests use. */
export type TranscriptLine = { type: string; sessionId?: string; [key: string]: unknown }

/** The client's transcripts, including those of subagents. */
export function transcripts(sandbox: Sandbox): { file: string; lines: TranscriptLine[] }[] {
  const folder = join(sandbox.home, '.claude', 'projects')
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.jsonl'))
    .map((path) => ({ file: join(folder, path), lines: readJsonLines<TranscriptLine>(join(folder, path)) }))
}

/** The values of a JSON-lines file; none if it does not exist (yet). */
export function readJsonLines<T>(file: string): T[] {
  return existsSync(file) ? (Bun.JSONL.parse(readFileSync(file, 'utf8')) as T[]) : []
}

/** The whole environment of programs in the sandbox. Nothing is inherited, so that tests do not depend on who runs them. */
function environmentOf(home: string, temporary: string, claude: string): Record<string, string> {
  // Old clients run on Node, which may be installed anywhere.
  const node = dirname(Bun.which('node') ?? '/usr/bin/node')
  return {
    PATH: [dirname(claude), node, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: home,
    TMPDIR: temporary,
    CLAUDE_CODE_TMPDIR: temporary,
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    SHELL: '/bin/bash',
    ANTHROPIC_API_KEY: FAKE_API_KEY,
    // A closed port: a run with a script sets its own model, and https to anywhere else goes to a proxy that does not exist.
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_BUG_COMMAND: '1',
    DISABLE_COST_WARNINGS: '1',
    // As root, the client refuses to skip permissions unless it knows that it runs in a sandbox.
    IS_SANDBOX: '1',
  }
}

async function commitAll(sandbox: Sandbox): Promise<void> {
  const identity = ['-c', 'user.name=dev', '-c', 'user.email=dev@example.invalid']
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['commit', '-q', '--allow-empty', '-m', 'start'],
  ]) {
    const { code, stderr } = await runIn(sandbox, ['git', ...identity, ...args])
    if (code !== 0) throw new Error(`git ${args[0]} failed in the sandbox: ${stderr}`)
  }
}

function endWorker(home: string): void {
  const file = join(home, '.recollect', 'run', 'worker.json')
  if (!existsSync(file)) return
  try {
    process.kill((JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid, 'SIGKILL')
  } catch {
    // The worker has already exited, or is just exiting.
  }
}
