import { iconOf, type MemoryKind } from '../core/memory-kinds.ts'
import { showsIcons, terminalWidth, wantsColour } from '../platform/environment.ts'

/** Exit codes: 0 done, 1 error, 2 timeout, 3 database, 4 invalid input. */
export const EXIT = { done: 0, error: 1, timeout: 2, database: 3, invalid: 4 } as const

/** A failure a person can do something about; the message says what. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly code: number = EXIT.error,
  ) {
    super(message)
  }
}

/** Returns undefined so that `return say(…)` ends a command. */
export function say(text = ''): undefined {
  console.log(text)
}

export function sayJson(value: unknown): undefined {
  console.log(JSON.stringify(value, null, 2))
}

/** Errors go to stderr; with --json as an object that names its kind, so that a program can read them too. */
export function printError(message: string, json: boolean, exit: number = EXIT.error): void {
  const code = Object.entries(EXIT).find(([, number]) => number === exit)?.[0] ?? 'error'
  console.error(json ? JSON.stringify({ error: message, code }) : `recollect: ${message}`)
}

/** Something a person should know that is not part of the answer. */
export function printNotice(text: string): void {
  console.error(`recollect: ${text}`)
}

/** Asked when the first coloured word is said: to look at the terminal takes longer than all of the help. */
let colour: boolean | null = null
const isColoured = () => {
  colour ??= wantsColour()
  return colour
}
/** Ends only what it began, so that one may stand within the other. */
const paint = (on: number, off: number) => (text: string) => (isColoured() ? `\u001b[${on}m${text}\u001b[${off}m` : text)
export const bold = paint(1, 22)
export const dim = paint(2, 22)
export const red = paint(31, 39)
export const green = paint(32, 39)
export const yellow = paint(33, 39)

let areIconsShown: boolean | null = null

/** What stands before the type of a memory in a list: its sign, where the terminal shows one. Elsewhere nothing. */
export function icon(kind: MemoryKind, type: string): string {
  areIconsShown ??= showsIcons()
  return areIconsShown ? `${iconOf(kind, type)} ` : ''
}

/** A line that fits the terminal, by columns: wide letters take two, colours none. Elsewhere it stays whole. */
export function fitToTerminal(line: string, width: number | null = terminalWidth()): string {
  return width === null ? line : Bun.sliceAnsi(line, 0, width, '…')
}

/** Columns side by side, each as wide as it needs; the last one as wide as it likes. */
export function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ''))))
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell))))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A bar that redraws itself on a terminal; elsewhere a plain line now and then, and none for what is quick. */
export function progressBar(label: string) {
  let lastLine = Date.now()
  const live = process.stderr.isTTY === true
  return {
    at(done: number, of: number, what: string): void {
      const share = of === 0 ? 1 : Math.min(1, done / of)
      if (live) {
        const filled = Math.round(share * 24)
        process.stderr.write(
          `\r\u001b[K${label} ${'█'.repeat(filled)}${'░'.repeat(24 - filled)} ${Math.round(share * 100)} %  ${what.slice(0, 60)}`,
        )
      } else if (Date.now() - lastLine > 2000) {
        lastLine = Date.now()
        process.stderr.write(`${label}: ${Math.round(share * 100)} % ${what}\n`)
      }
    },
    end(): void {
      if (live) process.stderr.write('\r\u001b[K')
    },
  }
}

/** Bytes as people say them. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

export const plural = (n: number, one: string, many = `${one}s`): string => `${n.toLocaleString('en')} ${n === 1 ? one : many}`
