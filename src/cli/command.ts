import { NOTE_TYPES } from '../core/note.ts'

/**
 * One command of the CLI. Each file in `commands/` exports one; the help, the shell completion and the parser all read it. `list.ts` repeats
 * the summaries so that `recollect help` loads no command; a test compares the two.
 */
export type Command = CommandSyntax<CommandOptions> & {
  /** Returns the exit code; undefined means success. */
  run(args: string[], loadAll: LoadCommands): Promise<number | undefined>
}

export type CommandSyntax<O extends CommandOptions> = {
  name: string
  /** One line for `recollect help`. */
  summary: string
  /** The ways to call it, one on each line, then an explanation. */
  usage: string
  /** How the help shows the arguments that are not options; null if the command accepts none. */
  words: string | null
  /** The words are a search query: `-key:value` and arguments with a space belong to it, even if they begin with a dash. */
  isQuery?: true
  /** Hooks call it, so it exits with 0 even after an error, unless --strict-exit is given. */
  isForHooks?: true
  options: O
}

/** Loads every command, for the shell completion. */
export type LoadCommands = () => Promise<Command[]>

/** An option as Node's parser wants it, and what our help and checks need. */
export type CommandOption = {
  type: 'boolean' | 'string'
  short?: string
  multiple?: boolean
  default?: string
  /** Placeholder for the value in the help. */
  value?: string
  /** The allowed values. */
  of?: readonly string[]
  /** The value is a whole number between these two, inclusive. The command receives a number. */
  range?: readonly [number, number]
  about: string
}
export type CommandOptions = Record<string, CommandOption>

export type CommandArguments<O extends CommandOptions> = { values: OptionValues<O>; positionals: string[] }

type OptionValues<O extends CommandOptions> = {
  [N in keyof O as O[N] extends { default: string } ? N : never]: OptionValue<O[N]>
} & {
  [N in keyof O as O[N] extends { default: string } ? never : N]?: OptionValue<O[N]> | undefined
}
type OptionValue<T extends CommandOption> = T extends { multiple: true }
  ? string[]
  : T extends { type: 'boolean' }
    ? boolean
    : T extends { range: readonly [number, number] }
      ? number
      : T extends { of: readonly (infer V)[] }
        ? V
        : string

/** Options that several commands share. */
export const json = { type: 'boolean', about: 'print JSON, errors included' } as const
export const yes = { type: 'boolean', short: 'y', about: 'do not ask for confirmation' } as const
export const project = { type: 'string', value: 'P', about: 'use another project: its name, its key or its folder' } as const
export const dryRun = { type: 'boolean', about: 'print what would be done, and change nothing' } as const
export const limit = (usual: string, max: number) =>
  ({
    type: 'string',
    short: 'n',
    value: 'N',
    range: [1, max],
    default: usual,
    about: `show at most N (default ${usual}, up to ${max.toLocaleString('en')})`,
  }) as const

/** Options of the commands that write a note. */
export const noteOptions = {
  ns: {
    type: 'string',
    value: 'N',
    about: 'namespace: decisions, learnings, blockers, progress, patterns, context, apis, config, security, testing, or your own word',
  },
  type: { type: 'string', of: NOTE_TYPES, about: 'the type of the note' },
  tag: { type: 'string', multiple: true, value: 'T', about: 'add a tag; can be repeated' },
  ttl: { type: 'string', value: 'T', about: 'hide the note after this time: 12h, 30d, 2w, or a date' },
  supersedes: { type: 'string', multiple: true, value: 'ID', about: 'the note that this one replaces; can be repeated' },
} as const
