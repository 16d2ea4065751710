import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from 'node:util'

type ParsedArguments<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>

/**
 * Parses the command line of a script. `--help` prints the usage and exits; an unknown option prints an error and exits, before the script does
 * anything.
 */
export function parseArguments<const O extends ParseArgsOptionsConfig>(
  usage: string,
  options: O,
  { words = false, args = process.argv.slice(2) }: { words?: boolean; args?: string[] } = {},
): ParsedArguments<O> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(`Usage: ${usage}`)
    process.exit(0)
  }
  try {
    return parseArgs({ args, options, allowPositionals: words } satisfies ParseArgsConfig) as ParsedArguments<O>
  } catch (cause) {
    const { code, message } = cause as Error & { code?: string }
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw cause
    return exitWithUsageError(message.split('. ')[0] ?? message)
  }
}

/** Ends a script after a wrong argument. */
export function exitWithUsageError(reason: string): never {
  console.error(`${reason.replace(/\.$/, '')}; --help shows the usage`)
  process.exit(4)
}
