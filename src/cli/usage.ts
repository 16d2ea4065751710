import { COMMANDS } from './help.ts'
import { commandSummaries, LIST } from './list.ts'
import { argumentsOf, type Option } from './options.ts'

/** The list of commands, or one of them with all it takes. */
export function helpText(name?: string): string {
  const command = name && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (name && command) return [`${commandSummaries()[name]}\n\nUsage: ${command.usage}`, optionLines(name)].filter(Boolean).join('\n\n')
  return LIST
}

function optionLines(name: string): string {
  const rows = Object.entries(argumentsOf(name)?.options ?? {}).map(([option, how]) => [spelled(option, how), how.about] as const)
  const width = Math.max(0, ...rows.map(([spelling]) => spelling.length))
  return rows.map(([spelling, about]) => `  ${spelling.padEnd(width)}  ${about}`).join('\n')
}

function spelled(name: string, { type, short, value, of }: Option): string {
  const choices = of?.join('|') ?? ''
  return `--${name}${short ? `, -${short}` : ''}${type === 'string' ? ` ${value ?? (choices.length > 30 ? 'KIND' : choices)}` : ''}`
}

/** Everything the help knows, for programs. */
export function helpData() {
  return Object.entries(commandSummaries()).map(([command, summary]) => {
    const taken = argumentsOf(command)
    const options = Object.entries(taken?.options ?? {}).map(([name, { about, type, short, of, multiple, default: usual }]) => ({
      name: `--${name}`,
      ...(short ? { short: `-${short}` } : {}),
      takesValue: type === 'string',
      ...(of ? { values: of } : {}),
      ...(multiple ? { multiple } : {}),
      ...(usual === undefined ? {} : { default: usual }),
      about,
    }))
    return { command, summary, usage: COMMANDS[command]?.usage ?? '', words: taken?.words ?? null, options }
  })
}
