import { iconOf, type MemoryKind } from '../core/memory-kinds.ts'
import { showsIcons, terminalWidth, wantsColour } from '../platform/environment.ts'

/** Exit codes: 0 done, 1 error, 2 timeout, 3 database, 4 invalid input. */
export const EXIT = { done: 0, error: 1, timeout: 2, database: 3, invalid: 4 } as const

/** An expected failure. The message says what was wrong, what is allowed, and what to do next. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly code: number = EXIT.error,
  ) {
    super(message)
  }
}

export const invalidInput = (message: string) => new CliError(message, EXIT.invalid)

/** Prints lines, wrapped between words on a terminal. Returns undefined, so a command can end with `return print(…)`. */
export function print(text = '', indent?: string): undefined {
  console.log(wrapLines(text, terminalWidth(), indent))
}

const wrapLines = (text: string, width: number | null, indent?: string) =>
  width === null
    ? text
    : text
        .split('\n')
        .map((line) => wrapLine(line, width, indent))
        .join('\n')

/** Wraps a line between words. The lines that follow are indented like the first one, or by `indent`. */
export function wrapLine(line: string, width: number, indent = /^ */.exec(line)?.[0] ?? ''): string {
  if (Bun.stringWidth(line) <= width) return line
  const [first = '', ...rest] = Bun.wrapAnsi(line, width, { wordWrap: true, trim: false }).split('\n')
  // A word that is longer than the line stays whole.
  if (rest.length === 0 || Bun.stripANSI(first).trim() === '') return line
  const tail = Bun.sliceAnsi(line, Bun.stringWidth(first), Bun.stringWidth(line)).trimStart()
  return `${first.trimEnd()}\n${wrapLine(`${indent}${tail}`, width, indent)}`
}

/** Prints text that is copied or piped elsewhere as it is, never wrapped: settings, scripts, the brief. */
export function printExactly(text: string): undefined {
  console.log(text)
}

export function printJson(value: unknown): undefined {
  console.log(JSON.stringify(value, null, 2))
}

/** Prints an error on stderr; with --json as an object with the name of its exit code. */
export function printError(message: string, json: boolean, exit: number = EXIT.error): void {
  const code = Object.entries(EXIT).find(([, number]) => number === exit)?.[0] ?? 'error'
  console.error(json ? JSON.stringify({ error: message, code }) : wrapLines(`recollect: ${message}`, errorWidth()))
}

/** Prints a remark on stderr, because it is not part of the output. */
export function printNotice(text: string): void {
  console.error(wrapLines(`recollect: ${text}`, errorWidth()))
}

const errorWidth = () => (process.stderr.isTTY ? process.stderr.columns || null : null)

/** Determined when the first coloured word is printed: checking the terminal takes longer than printing the help. */
let colour: boolean | null = null
const isColoured = () => {
  colour ??= wantsColour()
  return colour
}
/** Resets only its own style, so styles can be nested. */
const paint = (on: number, off: number) => (text: string) => (isColoured() ? `\u001b[${on}m${text}\u001b[${off}m` : text)
export const bold = paint(1, 22)
export const dim = paint(2, 22)
export const red = paint(31, 39)
export const green = paint(32, 39)
export const yellow = paint(33, 39)

let areIconsShown: boolean | null = null

/** The icon of a memory's type and a space, or nothing if the terminal cannot show icons. */
export function icon(kind: MemoryKind, type: string): string {
  areIconsShown ??= showsIcons()
  return areIconsShown ? `${iconOf(kind, type)} ` : ''
}

/** Cuts a line to the width of the terminal, between two words if possible. Wide letters take two columns, colours none. Piped output is not cut. */
export function fitToTerminal(line: string, width: number | null = terminalWidth()): string {
  if (width === null || Bun.stringWidth(line) <= width) return line
  const plain = Bun.stripANSI(Bun.sliceAnsi(line, 0, width - 1))
  const isBetweenWords = /\s/.test(Bun.stripANSI(Bun.sliceAnsi(line, 0, width)).slice(plain.length))
  const [lastWord] = isBetweenWords ? [''] : (/(?<=\s)[\p{Script=Latin}\p{N}]*$/u.exec(plain) ?? [''])
  // The beginning of a long word says more than nothing.
  const cut = lastWord.length < MAX_DROPPED_LETTERS ? plain.slice(0, plain.length - lastWord.length).trimEnd() : plain
  return Bun.sliceAnsi(line, 0, Bun.stringWidth(cut) + 1, '…')
}

const MAX_DROPPED_LETTERS = 16

/** Aligns columns. The last column is not padded. */
export function table(rows: string[][]): string {
  const widths = columnWidths(rows)
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - Bun.stringWidth(cell))))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const columnWidths = (rows: string[][]) =>
  (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ''))))

/** Prints aligned columns. On a terminal, a long last cell continues below itself, or below its row if little room is left. */
export function printTable(rows: string[][], width = terminalWidth()): undefined {
  const text = table(rows)
  if (width === null) return print(text)
  const left = columnWidths(rows)
    .slice(0, -1)
    .reduce((sum, column) => sum + column + 2, 0)
  const indent = ' '.repeat(width - left < MIN_LAST_COLUMN ? 4 : left)
  return print(text, indent)
}

const MIN_LAST_COLUMN = 20

/** A progress bar on a terminal. Elsewhere it prints a line every two seconds, so nothing for quick work. */
export function progressBar(label: string) {
  let lastPrintedAt = Date.now()
  const isTerminal = process.stderr.isTTY === true
  return {
    at(done: number, of: number, what: string): void {
      const share = of === 0 ? 1 : Math.min(1, done / of)
      if (isTerminal) {
        const filled = Math.round(share * 24)
        process.stderr.write(
          `\r\u001b[K${label} ${'█'.repeat(filled)}${'░'.repeat(24 - filled)} ${Math.round(share * 100)} %  ${what.slice(0, 60)}`,
        )
      } else if (Date.now() - lastPrintedAt > 2000) {
        lastPrintedAt = Date.now()
        process.stderr.write(`${label}: ${Math.round(share * 100)} % ${what}\n`)
      }
    },
    end(): void {
      if (isTerminal) process.stderr.write('\r\u001b[K')
    },
  }
}

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
