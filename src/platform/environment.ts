import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { EventContext } from '../core/event.ts'

/**
 * Everything that is read from the process environment; no other file reads it. Hooks import this file, so it imports no packages.
 */
export type Environment = {
  /** Recollect's folder. */
  home: string
  /** Claude Code's own folder. */
  claudeConfig: string
  /** The client executable that `CLAUDE_BIN` names. */
  claudeBin: string | null
  userHome: string
  temporaryFolder: string
  runtimeFolder: string | null
  uid: number
  path: string
  /** `RECOLLECT_SECTION_KEY` variables, for the settings. */
  overrides: Record<string, string>
  /** Keys for text models, by variable. Never print them. */
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

/** Whether to print colours: stdout is a terminal. Touching stdout costs ten milliseconds, so hooks never call this. */
export function wantsColour(): boolean {
  return !process.env.NO_COLOR && process.stdout.isTTY === true
}

/** Whether to print icons: stdout is a terminal with UTF-8, and not the Linux console, which has no icons. */
export function showsIcons(): boolean {
  const { LC_ALL, LC_CTYPE, LANG, TERM } = process.env
  return process.stdout.isTTY === true && /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '') && !/^(?:dumb|linux)$/.test(TERM ?? 'dumb')
}

/** The columns of the terminal; null when stdout is not a terminal, and lines must not be cut. */
export function terminalWidth(): number | null {
  return process.stdout.isTTY ? process.stdout.columns || null : null
}

/** Whether a window can be opened. Over ssh usually not, and xdg-open would start a browser in the terminal. */
export function hasDisplay(): boolean {
  return process.platform === 'darwin' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY || process.env.WSL_DISTRO_NAME)
}

/** The person's editor, from VISUAL or EDITOR. */
export function editorCommand(): string | null {
  return process.env.VISUAL || process.env.EDITOR || null
}

/** The shell's proxy settings. A client uses them even for calls to this machine. */
export function proxySettings(): Record<string, string> {
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy', 'NO_PROXY', 'no_proxy']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name] as string]] : [])))
}

/** Sets the home for this process and its children: the `--home` flag, for hooks that run without a shell. */
export function setHome(folder: string): void {
  process.env.RECOLLECT_HOME = resolve(folder)
}

/** The client's variables for a command hook. An http hook does not get them. */
export function hookEnvironment(): EventContext & { ours: boolean } {
  const env = process.env
  const pid = Number(env.CLAUDE_PID)
  return {
    projectFolder: env.CLAUDE_PROJECT_DIR || null,
    clientPid: Number.isInteger(pid) && pid > 1 ? pid : null,
    entrypoint: env.CLAUDE_CODE_ENTRYPOINT || null,
    workingFolder: workingFolder(),
    // Set on every model process that we start: its events must not become memories.
    ours: env.RECOLLECT_INTERNAL === '1',
  }
}

/** Null when the folder was deleted. */
function workingFolder(): string | null {
  try {
    return process.cwd()
  } catch {
    return null
  }
}
