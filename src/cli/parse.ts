import { type ParseArgsConfig, parseArgs } from 'node:util'
import { closestName } from '../core/closest-name.ts'
import type { Command, CommandArguments, CommandOption, CommandOptions, CommandSyntax, LoadCommands } from './command.ts'
import { invalidInput } from './print.ts'

/** Makes a command of its syntax and a function that receives the parsed arguments, typed by the options. */
export function defineCommand<const O extends CommandOptions>(
  declared: CommandSyntax<O> & { run(args: CommandArguments<O>, loadAll: LoadCommands): Promise<number | undefined> },
): Command {
  return { ...declared, run: (args, loadAll) => declared.run(parseArguments(declared, args), loadAll) }
}

/** Parses the arguments of a command. Throws an error that names the mistake, what is allowed, and the likely intention. */
export function parseArguments<O extends CommandOptions>(command: CommandSyntax<O>, args: string[]): CommandArguments<O> {
  const { name, words, options } = command
  const { values, positionals } = parseOptions(command, args)
  if (words === null && positionals.length > 0)
    throw invalidInput(`unexpected argument "${positionals[0]}": '${name}' takes only options; ${seeHelp(name)}`)
  const checked = Object.entries(values).map(([option, value]) => {
    const problem = problemWith(option, options[option], value)
    if (problem) throw invalidInput(problem)
    return [option, options[option]?.range ? Number(value) : value]
  })
  // The loop above has checked each value against its option, which is where the type of the values comes from.
  return { values: Object.fromEntries(checked), positionals } as CommandArguments<O>
}

type ParsedOptions = { values: Record<string, unknown>; positionals: string[] }

function parseOptions(command: CommandSyntax<CommandOptions>, args: string[]): ParsedOptions {
  const { name, words, options } = command
  try {
    return parseArgs({
      args: command.isQuery ? withQueryTextLast(args) : args,
      options,
      allowPositionals: true,
    } satisfies ParseArgsConfig)
  } catch (cause) {
    const { code, message } = cause as Error & { code?: string }
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw cause
    const option = /'(?:-\w, )?(--?[^\s'=]+)/.exec(message)?.[1] ?? ''
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const close = closestOption(option, options)
      const hint = words === null ? '' : ' (put -- before words that begin with a dash)'
      throw invalidInput(`unknown option ${option} for '${name}'; ${close ? `did you mean ${close}?` : seeHelp(name)}${hint}`)
    }
    throw invalidInput(valueProblem(option, options[option.slice(2)], args) ?? `${message.split('. ')[0]}; ${seeHelp(name)}`)
  }
}

/**
 * The same arguments, with those that the parser would mistake for options moved behind `--`: `-tag:draft` excludes a tag, and an argument with
 * a space in it is a quoted text, such as "--force-with-lease fails".
 */
function withQueryTextLast(args: string[]): string[] {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const isQueryText = (arg: string) => /^-[a-z]+:/i.test(arg) || (/^-/.test(arg) && /^[^=]*\s/.test(arg))
  const [texts, others] = [args.slice(0, end).filter(isQueryText), args.slice(0, end).filter((arg) => !isQueryText(arg))]
  return [...others, '--', ...texts, ...args.slice(end + 1)]
}

/** Why the parser rejected the value of a known option; null if we cannot say more than the parser. */
function valueProblem(option: string, declared: CommandOption | undefined, args: string[]): string | null {
  if (declared?.type === 'boolean') return `${option} takes no value`
  // The parser mistakes a negative number for an option.
  const value = args[args.indexOf(option) + 1] ?? ''
  const problem = /^-\d/.test(value) ? problemWith(option.slice(2), declared, value) : null
  if (problem) return problem
  return declared ? `${option} needs a value${declared.of ? `; use one of: ${declared.of.join(', ')}` : ''}` : null
}

function closestOption(option: string, options: CommandOptions): string | null {
  return closestName(
    option,
    Object.keys(options).map((known) => `--${known}`),
  )
}

function problemWith(name: string, option: CommandOption | undefined, value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (option?.range) {
    const [min, max] = option.range
    if (!/^\d{1,9}$/.test(value) || Number(value) < min || Number(value) > max)
      return `--${name} must be a whole number from ${min} to ${max}, not "${value}"`
  }
  return !option?.of || option.of.includes(value) ? null : unknownValue(`--${name}`, value, option.of)
}

/** `unknown --kind "nots"; did you mean "note"? Use one of: …` */
export function unknownValue(what: string, value: string, allowed: readonly string[]): string {
  const close = closestName(value, allowed)
  return `unknown ${what} "${value}"; ${close ? `did you mean "${close}"? Use` : 'use'} one of: ${allowed.join(', ')}`
}

export const seeHelp = (name: string) => `see 'recollect help ${name}'`
