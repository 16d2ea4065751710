import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from 'node:util'

type Given<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O; allowPositionals: true }>>

/**
 * What was given to a script of this checkout on the command line. `--help` prints its usage and ends it; what it does not take is said
 * in a sentence and ends it too, before anything was done.
 */
export function given<const O extends ParseArgsOptionsConfig>(
  usage: string,
  options: O,
  { words = false, args = process.argv.slice(2) }: { words?: boolean; args?: string[] } = {},
): Given<O> {
  if (args.includes('--help') || args.includes('-h')) {
    console.log(`Usage: ${usage}`)
    process.exit(0)
  }
  try {
    return parseArgs({ args, options, allowPositionals: words } satisfies ParseArgsConfig) as Given<O>
  } catch (cause) {
    const { code, message } = cause as Error & { code?: string }
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw cause
    return refuse(message.split('. ')[0] ?? message)
  }
}

/** Ends a script that was given what it cannot use. */
export function refuse(reason: string): never {
  console.error(`${reason.replace(/\.$/, '')}; --help shows what it takes`)
  process.exit(4)
}
