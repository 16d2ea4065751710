/** Edits one table of a TOML file as text, so that comments and layout of the rest stay. */

/** The lines from `[name]` to the next table; null when the file has no such table. */
function findTable(text: string, name: string): { start: number; end: number } | null {
  const header = new RegExp(`^[ \\t]*\\[${name.split('.').map(RegExp.escape).join('\\s*\\.\\s*')}\\][ \\t]*(?:#.*)?$`, 'm').exec(text)
  if (!header) return null
  const after = header.index + header[0].length
  const next = /^[ \t]*\[/m.exec(text.slice(after))
  return { start: header.index, end: next ? after + next.index : text.length }
}

/** The text with the table at its end, or in place of the one that is there. */
export function withTable(text: string, name: string, lines: string[]): string {
  const table = `[${name}]\n${lines.join('\n')}\n`
  const known = findTable(text, name)
  if (known) return `${text.slice(0, known.start)}${table}${known.end < text.length ? '\n' : ''}${text.slice(known.end)}`
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  return `${text}${gap}${table}`
}

export function withoutTable(text: string, name: string): string {
  const known = findTable(text, name)
  if (!known) return text
  // The empty line before the table came with it.
  const before = text.slice(0, known.start).replace(/\n\n$/, '\n')
  return `${before}${known.end < text.length && before !== '' ? '\n' : ''}${text.slice(known.end)}`
}

/** A TOML string. */
export const tomlString = (value: string): string => JSON.stringify(value)
