import { homedir } from 'node:os'
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
  temporaryFolder: string
  runtimeFolder: string | null
  uid: number
  path: string
  /** `RECOLLECT_SECTION_KEY` variables, for the settings. */
  overrides: Record<string, string>
  /** Keys for text models, by the variable they stand in. They are never printed. */
  keys: Record<string, string>
}

const MODEL_KEY_VARIABLES = [
  'RECOLLECT_MODEL_API_KEY',
  'ANTHROPIC_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'DEEPSEEK_API_KEY',
  'GEMINI_API_KEY',
]

export function readEnvironment(): Environment {
  const env = process.env
  const userHome = env.HOME || homedir()
  return {
    home: resolve(env.RECOLLECT_HOME || `${userHome}/.recollect`),
    claudeConfig: resolve(env.CLAUDE_CONFIG_DIR || `${userHome}/.claude`),
    claudeBin: env.CLAUDE_BIN || null,
    userHome,
    temporaryFolder: env.TMPDIR || '/tmp',
    runtimeFolder: env.XDG_RUNTIME_DIR || null,
    uid: process.getuid?.() ?? 0,
    path: env.PATH ?? '',
    overrides: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (name.startsWith('RECOLLECT_') && value !== undefined ? [[name, value]] : [])),
    ),
    keys: Object.fromEntries(MODEL_KEY_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
  }
}

/** Whether a person looks at a terminal that shows colours. Touching stdout costs ten milliseconds, so hooks never ask. */
export function wantsColour(): boolean {
  return !process.env.NO_COLOR && process.stdout.isTTY === true
}

/** Whether a person looks at a terminal that shows signs beyond letters: one of UTF-8, and not the bare console, which has none. */
export function showsIcons(): boolean {
  const { LC_ALL, LC_CTYPE, LANG, TERM } = process.env
  return process.stdout.isTTY === true && /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '') && !/^(?:dumb|linux)$/.test(TERM ?? 'dumb')
}

/** How many columns the person's terminal has; null when the answer goes elsewhere, where nothing may be cut. */
export function terminalWidth(): number | null {
  return process.stdout.isTTY ? process.stdout.columns || null : null
}

/** Whether a window could be opened. Over ssh there is usually none, and xdg-open would start a browser in the terminal. */
export function hasDisplay(): boolean {
  return process.platform === 'darwin' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY || process.env.WSL_DISTRO_NAME)
}

/** The editor a person has chosen, if any. */
export function editorCommand(): string | null {
  return process.env.VISUAL || process.env.EDITOR || null
}

/** The shell's proxy settings: a client sends even calls to this machine through them. */
export function proxySettings(): Record<string, string> {
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy', 'NO_PROXY', 'no_proxy']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name] as string]] : [])))
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
