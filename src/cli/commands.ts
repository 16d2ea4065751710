import { closestName } from '../core/closest-name.ts'
import type { Command } from './command.ts'
import { CliError, EXIT, invalidInput, print, printError, printJson } from './print.ts'

/** Every command, in the order of the list. A command is loaded when it is called. */
export const COMMANDS: Record<string, () => Promise<{ command: Command }>> = {
  init: () => import('./commands/init.ts'),
  welcome: () => import('./commands/welcome.ts'),
  demo: () => import('./commands/demo.ts'),
  status: () => import('./commands/status.ts'),
  doctor: () => import('./commands/doctor.ts'),
  uninstall: () => import('./commands/uninstall.ts'),
  search: () => import('./commands/search.ts'),
  get: () => import('./commands/get.ts'),
  timeline: () => import('./commands/timeline.ts'),
  graph: () => import('./commands/graph.ts'),
  inject: () => import('./commands/inject.ts'),
  view: () => import('./commands/view.ts'),
  eval: () => import('./commands/eval.ts'),
  capture: () => import('./commands/capture.ts'),
  notes: () => import('./commands/notes.ts'),
  rules: () => import('./commands/rules.ts'),
  stale: () => import('./commands/stale.ts'),
  verify: () => import('./commands/verify.ts'),
  edit: () => import('./commands/edit.ts'),
  forget: () => import('./commands/forget.ts'),
  restore: () => import('./commands/restore.ts'),
  sync: () => import('./commands/sync.ts'),
  team: () => import('./commands/team.ts'),
  consolidate: () => import('./commands/consolidate.ts'),
  reflect: () => import('./commands/reflect.ts'),
  import: () => import('./commands/import.ts'),
  export: () => import('./commands/export.ts'),
  backup: () => import('./commands/backup.ts'),
  redistill: () => import('./commands/redistill.ts'),
  embedder: () => import('./commands/embedder.ts'),
  config: () => import('./commands/config.ts'),
  gc: () => import('./commands/gc.ts'),
  projects: () => import('./commands/projects.ts'),
  audit: () => import('./commands/audit.ts'),
  start: () => import('./commands/start.ts'),
  stop: () => import('./commands/stop.ts'),
  restart: () => import('./commands/restart.ts'),
  hub: () => import('./commands/hub.ts'),
  mcp: () => import('./commands/mcp.ts'),
  completion: () => import('./commands/completion.ts'),
  memory: () => import('./commands/memory.ts'),
  hook: () => import('./commands/hook.ts'),
  worker: () => import('./commands/worker.ts'),
}

/** Names that the hook scripts and client settings of other memory tools use. */
const OTHER_NAMES: Record<string, string> = { hooks: 'hook', serve: 'mcp' }

/** Runs one command and returns its exit code. A `CliError` is printed as it is; any other error is printed with its cause. */
export async function runCommand(args: string[]): Promise<number> {
  // `recollect --json status` means the same as `recollect status --json`.
  const [called = 'help', ...rest] = args[0] === '--json' ? [...args.slice(1, 2), '--json', ...args.slice(2)] : args
  const json = rest.includes('--json')
  let command: Command | null = null
  try {
    if (called === '--version' || called === '-v' || called === 'version') return await printVersion(json)
    if (called === 'help' || called === '--help' || called === '-h') return await printHelp(rest, json)
    if (/^--home=?$/.test(called)) throw invalidInput('--home needs a folder: recollect --home <folder> <command>')
    command = await loadCommand(OTHER_NAMES[called] ?? called)
    if (!command) throw unknownName('command', called, Object.keys(COMMANDS), 'help --all')
    if (rest.includes('--help') || rest.includes('-h')) return await printHelp([command.name], json)
    return (await command.run(rest, loadAllCommands)) ?? EXIT.done
  } catch (cause) {
    const code = cause instanceof CliError ? cause.code : EXIT.error
    printError(messageOf(cause), json, code)
    return command?.isForHooks && !rest.includes('--strict-exit') ? EXIT.done : code
  }
}

/** The column in which the list's summaries begin. */
const LIST_INDENT = ' '.repeat(15)

async function loadCommand(name: string): Promise<Command | null> {
  return Object.hasOwn(COMMANDS, name) ? ((await COMMANDS[name]?.())?.command ?? null) : null
}

export const loadAllCommands = () => Promise.all(Object.values(COMMANDS).map(async (load) => (await load()).command))

async function printVersion(json: boolean): Promise<number> {
  const { VERSION } = await import('../platform/version.ts')
  if (json) printJson({ version: VERSION })
  else print(VERSION)
  return EXIT.done
}

/** Prints the help of a command, a topic, or the list of either. */
async function printHelp(rest: string[], json: boolean): Promise<number> {
  const { helpData, helpText } = await import('./help.ts')
  const name = rest.find((word) => !word.startsWith('-'))
  if (name === undefined) {
    const { LIST, SHORT_LIST } = await import('./list.ts')
    if (json) printJson((await loadAllCommands()).map(helpData))
    else for (const line of (rest.includes('--all') ? LIST : SHORT_LIST).split('\n')) print(line, line.startsWith('  ') ? LIST_INDENT : '')
    return EXIT.done
  }
  const command = await loadCommand(name === 'serve' ? 'mcp' : name)
  if (command) {
    if (json) printJson(helpData(command))
    else print(helpText(command))
    return EXIT.done
  }
  const { TOPICS, topicList, topicText } = await import('./topics.ts')
  if (name === 'topics') {
    if (json) printJson(Object.entries(TOPICS).map(([topic, { about }]) => ({ topic, about })))
    else print(topicList())
    return EXIT.done
  }
  const text = topicText(name)
  if (text === null) throw unknownName('command or topic', name, [...Object.keys(COMMANDS), ...Object.keys(TOPICS)], 'help topics')
  if (json) printJson({ topic: name, text })
  else print(text)
  return EXIT.done
}

function unknownName(what: string, name: string, names: string[], list: string): CliError {
  const close = closestName(name, names)
  return invalidInput(`unknown ${what} "${name}"; ${close ? `did you mean "${close}"? ` : ''}'recollect ${list}' lists them`)
}

function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause instanceof CliError || !(cause.cause instanceof Error) ? cause.message : `${cause.message}: ${cause.cause.message}`
}
