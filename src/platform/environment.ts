import { homedir, tmpdir, userInfo } from 'node:os'
import { resolve } from 'node:path'

/**
 * Everything we read from the process environment, in one place. Nothing deeper asks the environment who it is; the hook
 * imports this file, so it stays free of packages.
 */
export type Environment = {
  /** Where Recollect keeps everything. */
  home: string
  /** Claude Code's own folder. */
  claudeConfig: string
  /** The client executable a person or a test named. */
  claudeBin: string | null
  userHome: string
  temporary: string
  runtime: string | null
  uid: number
  path: string
  colour: boolean
  /** `RECOLLECT_SECTION_KEY` variables, for the settings. */
  overrides: Record<string, string>
}

export function readEnvironment(): Environment {
  const env = process.env
  const userHome = env.HOME || homedir()
  return {
    home: resolve(env.RECOLLECT_HOME || `${userHome}/.recollect`),
    claudeConfig: resolve(env.CLAUDE_CONFIG_DIR || `${userHome}/.claude`),
    claudeBin: env.CLAUDE_BIN || null,
    userHome,
    temporary: tmpdir(),
    runtime: env.XDG_RUNTIME_DIR || null,
    uid: userInfo().uid,
    path: env.PATH ?? '',
    colour: !env.NO_COLOR && process.stdout.isTTY === true,
    overrides: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (name.startsWith('RECOLLECT_') && value !== undefined ? [[name, value]] : [])),
    ),
  }
}

/** Moves the home for this process and what it starts: the `--home` flag, which a hook without a shell needs. */
export function setHome(folder: string): void {
  process.env.RECOLLECT_HOME = resolve(folder)
}

/** What the client tells a command hook through its environment, and an http hook not at all. */
export function hookEnvironment(): { projectFolder: string | null; clientPid: number | null; entrypoint: string | null; ours: boolean } {
  const env = process.env
  const pid = Number(env.CLAUDE_PID)
  return {
    projectFolder: env.CLAUDE_PROJECT_DIR || null,
    clientPid: Number.isInteger(pid) && pid > 1 ? pid : null,
    entrypoint: env.CLAUDE_CODE_ENTRYPOINT || null,
    // Set on every process that we start to think for us: what it does must not become a memory.
    ours: env.RECOLLECT_INTERNAL === '1',
  }
}
