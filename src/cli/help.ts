import type { Command, CommandOption } from './command.ts'

/** The help of one command: what it is for, how to call it, and its options. */
export function helpText({ summary, usage, options }: Command): string {
  const rows = Object.entries(options).map(([name, option]) => [optionSyntax(name, option), option.about] as const)
  const width = Math.max(0, ...rows.map(([syntax]) => syntax.length))
  const lines = rows.map(([syntax, about]) => `  ${syntax.padEnd(width)}  ${about}`)
  return [`${summary}\n\nUsage: ${usage}`, lines.join('\n')].filter(Boolean).join('\n\n')
}

function optionSyntax(name: string, { type, short, value, of }: CommandOption): string {
  const allowed = of?.join('|') ?? ''
  return `--${name}${short ? `, -${short}` : ''}${type === 'string' ? ` ${value ?? (allowed.length > 30 ? 'KIND' : allowed)}` : ''}`
}

/** The help of one command for programs. */
export function helpData({ name, summary, usage, words, options }: Command) {
  return {
    command: name,
    summary,
    usage,
    words,
    options: Object.entries(options).map(([option, { about, type, short, of, multiple, default: usual }]) => ({
      name: `--${option}`,
      ...(short ? { short: `-${short}` } : {}),
      takesValue: type === 'string',
      ...(of ? { values: of } : {}),
      ...(multiple ? { multiple } : {}),
      ...(usual === undefined ? {} : { default: usual }),
      about,
    })),
  }
}
