import { closestName } from '../core/closest-name.ts'
import { COMMANDS } from './help.ts'
import { CliError, EXIT, printError, say, sayJson } from './print.ts'
import { helpData, helpText } from './usage.ts'

/** Runs one command and returns its exit code. An expected failure is told in a sentence; a broken promise with its cause. */
export async function runCommand(args: string[]): Promise<number> {
  const [called = 'help', ...rest] = args
  const name = called === 'hooks' ? 'hook' : called
  const json = rest.includes('--json')
  try {
    return await run(name, rest, json)
  } catch (cause) {
    const deeper = (cause as Error).cause
    if (cause instanceof CliError) printError(cause.message, json, cause.code)
    else printError(`${(cause as Error).message}${deeper instanceof Error ? `: ${deeper.message}` : ''}`, json, EXIT.error)
    return cause instanceof CliError ? cause.code : EXIT.error
  }
}

async function run(name: string, rest: string[], json: boolean): Promise<number> {
  if (name === '--version' || name === '-v' || name === 'version') {
    const { VERSION } = await import('../platform/version.ts')
    if (json) sayJson({ version: VERSION })
    else say(VERSION)
    return EXIT.done
  }
  if (name === 'help' || name === '--help' || name === '-h') return help(rest, json)
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) throw unknownNameError(name, 'command', Object.keys(COMMANDS))
  if (rest.includes('--help') || rest.includes('-h')) return help([name], json)
  const { run } = await command.load()
  return (await run(rest)) ?? EXIT.done
}

/** A command, a topic, or the list of either. */
async function help(rest: string[], json: boolean): Promise<number> {
  const topic = rest.find((word) => !word.startsWith('-'))
  const isCommand = topic !== undefined && Object.hasOwn(COMMANDS, topic)
  if (topic === undefined || isCommand) {
    const known = helpData()
    if (json) sayJson(isCommand ? known.find(({ command }) => command === topic) : known)
    else say(helpText(topic))
    return EXIT.done
  }
  // Loaded here only: the plain help is what people wait for.
  const { TOPICS, topicList, topicText } = await import('./topics.ts')
  if (topic === 'topics') {
    if (json) sayJson(Object.entries(TOPICS).map(([name, { about }]) => ({ topic: name, about })))
    else say(topicList())
    return EXIT.done
  }
  const text = topicText(topic)
  if (text === null) throw unknownNameError(topic, 'command or topic', [...Object.keys(COMMANDS), ...Object.keys(TOPICS)])
  if (json) sayJson({ topic, text })
  else say(text)
  return EXIT.done
}

function unknownNameError(name: string, what: string, names: string[]): CliError {
  const close = closestName(name, names)
  return new CliError(`there is no ${what} "${name}"; ${close ? `did you mean "${close}"? ` : ''}'recollect help' lists them`, EXIT.invalid)
}
