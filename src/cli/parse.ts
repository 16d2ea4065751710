import { type ParseArgsConfig, parseArgs } from 'node:util'
import { nearest } from '../core/nearest.ts'
import { type CommandName, type Option, TAKES, type Taken } from './options.ts'
import { CliError, EXIT } from './print.ts'

type Parsed<N extends CommandName> = ReturnType<
  typeof parseArgs<{ args: string[]; options: (typeof TAKES)[N]['options']; allowPositionals: true }>
>

/** What a person gave a command, by its own table. What cannot be meant is told with what probably was. */
export function parse<N extends CommandName>(name: N, args: string[]): Parsed<N> {
  const taken: Taken = TAKES[name]
  const parsed = read(name, taken, args)
  if (taken.words === null && parsed.positionals.length > 0)
    throw new CliError(`"${parsed.positionals[0]}" is too much; ${see(name)}`, EXIT.invalid)
  for (const [option, value] of Object.entries(parsed.values)) {
    const reason = unusable(option, taken.options[option], value)
    if (reason) throw new CliError(reason, EXIT.invalid)
  }
  return parsed as Parsed<N>
}

function read(
  name: string,
  { words, isQuestion, options }: Taken,
  args: string[],
): { values: Record<string, unknown>; positionals: string[] } {
  try {
    return parseArgs({ args, options, allowPositionals: true } satisfies ParseArgsConfig)
  } catch (cause) {
    const { code, message } = cause as Error & { code?: string }
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw cause
    const option = /'(?:-\w, )?(--?[^\s'=]+)/.exec(message)?.[1] ?? ''
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const close = probably(option, options)
      if (isQuestion && !close) return read(name, { words, options }, withWordsLast(options, args))
      const hint = words === null ? '' : ' (put -- before words that begin with a dash)'
      throw new CliError(
        `'recollect ${name}' has no option ${option}; ${close ? `did you mean ${close}?` : see(name)}${hint}`,
        EXIT.invalid,
      )
    }
    // A number below zero looks like an option to the parser.
    const given = args[args.indexOf(option) + 1] ?? ''
    const reason = /^-\d/.test(given) ? unusable(option.slice(2), options[option.slice(2)], given) : null
    if (reason) throw new CliError(reason, EXIT.invalid)
    if (/argument missing/.test(message)) throw new CliError(`${option} needs a value; ${see(name)}`, EXIT.invalid)
    throw new CliError(`${message.split('. ')[0]?.replace(/\.$/, '')}; ${see(name)}`, EXIT.invalid)
  }
}

function probably(option: string, options: Taken['options']): string | null {
  return nearest(
    option,
    Object.keys(options).map((known) => `--${known}`),
  )
}

/** The same, with options that nobody can have meant among the words, and all words behind the options. */
function withWordsLast(options: Taken['options'], args: string[]): string[] {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true })
  const isWord = new Set<number>()
  for (const token of tokens) {
    const isUnknown = token.kind === 'option' && !Object.hasOwn(options, token.name) && !probably(token.rawName, options)
    if (token.kind === 'positional' || isUnknown) isWord.add(token.index)
  }
  const end = args.indexOf('--')
  const given = args.filter((_, index) => !isWord.has(index) && index !== end)
  return [...given, '--', ...args.filter((_, index) => isWord.has(index))]
}

function unusable(name: string, option: Option | undefined, value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (option?.range) {
    const [least, most] = option.range
    if (!/^\d{1,9}$/.test(value) || Number(value) < least || Number(value) > most)
      return `--${name} is a whole number from ${least} to ${most}, not "${value}"`
  }
  if (!option?.of || option.of.includes(value)) return null
  const close = nearest(value, option.of)
  return `"${value}" is nothing for --${name}; ${close ? `did you mean "${close}"?` : `there are ${option.of.join(', ')}`}`
}

const see = (name: string) => `'recollect help ${name}' shows what it takes`
