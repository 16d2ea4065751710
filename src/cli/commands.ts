import { COMMANDS, helpText } from './help.ts'
import { nearest } from './nearest.ts'
import { CliError, complain, EXIT, say, sayJson } from './print.ts'

/** Runs one command and returns its exit code. An expected failure is told in a sentence; a broken promise with its cause. */
export async function runCommand(args: string[]): Promise<number> {
  const [name = 'help', ...rest] = args
  const json = rest.includes('--json')
  if (name === '--version' || name === '-v' || name === 'version') {
    const { VERSION } = await import('../platform/version.ts')
    if (json) sayJson({ version: VERSION })
    else say(VERSION)
    return EXIT.done
  }
  if (name === 'help' || name === '--help' || name === '-h') {
    const topic = rest.find((word) => !word.startsWith('-'))
    if (topic && !Object.hasOwn(COMMANDS, topic)) return unknown(topic, json)
    if (json) sayJson(Object.entries(COMMANDS).map(([command, { summary, usage }]) => ({ command, summary, usage })))
    else say(helpText(topic))
    return EXIT.done
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) return unknown(name, json)
  if (rest.includes('--help') || rest.includes('-h')) {
    say(helpText(name))
    return EXIT.done
  }
  try {
    const { run } = await command.load()
    return (await run(rest)) ?? EXIT.done
  } catch (cause) {
    if (cause instanceof CliError) {
      complain(cause.message, json)
      return cause.code
    }
    if ((cause as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) {
      complain(`${(cause as Error).message.split('. ')[0]}. 'recollect help ${name}' shows what it takes.`, json)
      return EXIT.invalid
    }
    const deeper = (cause as Error).cause
    complain(`${(cause as Error).message}${deeper instanceof Error ? `: ${deeper.message}` : ''}`, json)
    return EXIT.error
  }
}

function unknown(name: string, json: boolean): number {
  const close = nearest(name, Object.keys(COMMANDS))
  complain(`there is no command "${name}"; ${close ? `did you mean "${close}"? ` : ''}'recollect help' lists them`, json)
  return EXIT.invalid
}
