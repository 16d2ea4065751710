import { type ParseArgsConfig, parseArgs } from 'node:util'
import { closestName } from '../core/closest-name.ts'
import { type CliArguments, COMMAND_ARGUMENTS, type CommandName, type Option } from './options.ts'
import { CliError, EXIT } from './print.ts'

type ParsedCliArguments<N extends CommandName> = ReturnType<
  typeof parseArgs<{ args: string[]; options: (typeof COMMAND_ARGUMENTS)[N]['options']; allowPositionals: true }>
>

/** What a person gave a command, by its own table. What cannot be meant is told with what probably was. */
export function parse<N extends CommandName>(name: N, args: string[]): ParsedCliArguments<N> {
  const taken: CliArguments = COMMAND_ARGUMENTS[name]
  const parsed = read(name, taken, args)
  if (taken.words === null && parsed.positionals.length > 0)
    throw new CliError(`"${parsed.positionals[0]}" is too much; ${helpHint(name)}`, EXIT.invalid)
  for (const [option, value] of Object.entries(parsed.values)) {
    const reason = invalidReason(option, taken.options[option], value)
    if (reason) throw new CliError(reason, EXIT.invalid)
  }
  return parsed as ParsedCliArguments<N>
}

function read(
  name: string,
  { words, isQuestion, options }: CliArguments,
  args: string[],
): { values: Record<string, unknown>; positionals: string[] } {
  try {
    return parseArgs({ args, options, allowPositionals: true } satisfies ParseArgsConfig)
  } catch (cause) {
    const { code, message } = cause as Error & { code?: string }
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw cause
    const option = /'(?:-\w, )?(--?[^\s'=]+)/.exec(message)?.[1] ?? ''
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const close = closestOption(option, options)
      if (isQuestion && !close) return read(name, { words, options }, withWordsLast(options, args))
      const hint = words === null ? '' : ' (put -- before words that begin with a dash)'
      throw new CliError(
        `'recollect ${name}' has no option ${option}; ${close ? `did you mean ${close}?` : helpHint(name)}${hint}`,
        EXIT.invalid,
      )
    }
    // A number below zero looks like an option to the parser.
    const given = args[args.indexOf(option) + 1] ?? ''
    const reason = /^-\d/.test(given) ? invalidReason(option.slice(2), options[option.slice(2)], given) : null
    if (reason) throw new CliError(reason, EXIT.invalid)
    if (/argument missing/.test(message)) throw new CliError(`${option} needs a value; ${helpHint(name)}`, EXIT.invalid)
    throw new CliError(`${message.split('. ')[0]?.replace(/\.$/, '')}; ${helpHint(name)}`, EXIT.invalid)
  }
}

function closestOption(option: string, options: CliArguments['options']): string | null {
  return closestName(
    option,
    Object.keys(options).map((known) => `--${known}`),
  )
}

/** The same, with options that nobody can have meant among the words, and all words behind the options. */
function withWordsLast(options: CliArguments['options'], args: string[]): string[] {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true })
  const isWord = new Set<number>()
  for (const token of tokens) {
    const isUnknown = token.kind === 'option' && !Object.hasOwn(options, token.name) && !closestOption(token.rawName, options)
    if (token.kind === 'positional' || isUnknown) isWord.add(token.index)
  }
  const end = args.indexOf('--')
  const given = args.filter((_, index) => !isWord.has(index) && index !== end)
  return [...given, '--', ...args.filter((_, index) => isWord.has(index))]
}

function invalidReason(name: string, option: Option | undefined, value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (option?.range) {
    const [least, most] = option.range
    if (!/^\d{1,9}$/.test(value) || Number(value) < least || Number(value) > most)
      return `--${name} is a whole number from ${least} to ${most}, not "${value}"`
  }
  if (!option?.of || option.of.includes(value)) return null
  const close = closestName(value, option.of)
  return `"${value}" is nothing for --${name}; ${close ? `did you mean "${close}"?` : `there are ${option.of.join(', ')}`}`
}

const helpHint = (name: string) => `'recollect help ${name}' shows what it takes`
