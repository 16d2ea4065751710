/**
 * Everything that is read from the process environment; no other file reads it. Hooks import this file, so it imports nothing: even a built-in
 * module costs a hook milliseconds.
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
  const places = homeEnvironment()
  const { userHome } = places
  return {
    ...places,
    claudeConfig: absolutePath(env.CLAUDE_CONFIG_DIR || `${userHome}/.claude`),
    claudeBin: env.CLAUDE_BIN || null,
    path: env.PATH ?? '',
    overrides: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (name.startsWith('RECOLLECT_') && value !== undefined ? [[name, value]] : [])),
    ),
    keys: Object.fromEntries(MODEL_KEY_VARIABLES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
  }
}

/** The part that says where our home is. A hook reads no more than this. */
export function homeEnvironment(): Pick<Environment, 'home' | 'userHome' | 'temporaryFolder' | 'runtimeFolder' | 'uid'> {
  const env = process.env
  const userHome = env.HOME || process.getBuiltinModule('node:os').homedir()
  return {
    home: absolutePath(env.RECOLLECT_HOME || `${userHome}/.recollect`),
    userHome,
    temporaryFolder: env.TMPDIR || '/tmp',
    runtimeFolder: env.XDG_RUNTIME_DIR || null,
    uid: process.getuid?.() ?? 0,
  }
}

/** Loads `node:path` only for a path that is not absolute and normal already. */
function absolutePath(path: string): string {
  const isNormal = path.startsWith('/') && !['//', '/./', '/../'].some((part) => `${path}/`.includes(part))
  return isNormal ? path : process.getBuiltinModule('node:path').resolve(path)
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

/** Sets the home for this process and its children: the `--home` flag. */
export function setHome(folder: string): void {
  process.env.RECOLLECT_HOME = absolutePath(folder)
}

/** The address of a hub's PostgreSQL database, with its password. Never print it. */
export const hubDatabaseUrl = (): string | null => process.env.RECOLLECT_HUB_DATABASE || null

/** Whether the person keeps this session out of memory: `RECOLLECT=off claude`. */
export const isSessionOff = (): boolean => process.env.RECOLLECT === 'off'

/** A longer wait for hooks on a slow machine, in milliseconds; 0 when none is set. */
export const minHookWaitMs = (): number => Number(process.env.RECOLLECT_HOOK_WAIT_MS) || 0

/** The variables that a hook reads from the client's environment. */
export type HookEnvironment = {
  projectFolder: string | null
  clientPid: number | null
  entrypoint: string | null
  workingFolder: string | null
  /** Set on every model process that we start: its events must not become memories. */
  ours: boolean
}

export function hookEnvironment(): HookEnvironment {
  const env = process.env
  const pid = Number(env.CLAUDE_PID)
  return {
    projectFolder: env.CLAUDE_PROJECT_DIR || null,
    clientPid: Number.isInteger(pid) && pid > 1 ? pid : null,
    entrypoint: env.CLAUDE_CODE_ENTRYPOINT || null,
    workingFolder: workingFolder(),
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
