/**
 * The text of a TOML file with one setting changed and every other byte the same. Null when that is not possible: the file is not valid, or
 * the setting is written in a form that this editor does not handle, such as an inline table.
 */
export function withSetting(text: string, path: string[], value: unknown): string | null {
  return verifyEdit(text, path, value, replaceSetting(text, path, formatTomlValue(value)))
}

/** The text of a TOML file without one setting; null as above. */
export function withoutSetting(text: string, path: string[]): string | null {
  return verifyEdit(text, path, undefined, replaceSetting(text, path, null))
}

/** Parses the text before and after: the wanted setting must have changed and nothing else, or the edit is given up. */
function verifyEdit(text: string, path: string[], value: unknown, changed: string): string | null {
  const [before, after] = [parseToml(text), parseToml(changed)]
  return before && after && Bun.deepEquals(withoutEmpty(after), withoutEmpty(withValue(before, path, value))) ? changed : null
}

function replaceSetting(text: string, path: string[], value: string | null): string {
  const [section, key] = [path.slice(0, -1).join('.'), path.at(-1) as string]
  const lines = text.split('\n')
  const head = lines.findIndex((line) => sectionOf(line) === section)
  if (head < 0) {
    if (value === null) return text
    const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
    return `${text}${gap}[${section}]\n${key} = ${value}\n`
  }
  const next = lines.findIndex((line, at) => at > head && /^\s*\[/.test(line))
  const end = next < 0 ? lines.length : next
  const at = lines.findIndex((line, at) => at > head && at < end && new RegExp(`^\\s*${key}\\s*=`).test(line))
  if (at < 0 && value !== null) lines.splice(head + 1, 0, `${key} = ${value}`)
  else if (at >= 0 && value === null) lines.splice(at, 1)
  else if (at >= 0) lines[at] = `${key} = ${value}${commentIn(lines[at] ?? '')}`
  return lines.join('\n')
}

const sectionOf = (line: string) => /^\s*\[\s*([\w. \t-]+?)\s*\]\s*(?:#.*)?$/.exec(line)?.[1]?.replace(/\s*\.\s*/g, '.')

/** The spaces and comment after a value on its line. */
const commentIn = (line: string) => /^[^"'#]*=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w.+-]+|\[[^\]#]*\])(\s*#.*|\s*)$/.exec(line)?.[1] ?? ''

/** JSON's strings, numbers, booleans and lists are also valid TOML. */
export const formatTomlValue = (value: unknown) =>
  Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(value)

type TomlTable = Record<string, unknown>

function withValue(tree: TomlTable, [key = '', ...deeper]: string[], value: unknown): TomlTable {
  const { [key]: present, ...others } = tree
  if (deeper.length > 0) return { ...others, [key]: withValue(isTomlTable(present) ? present : {}, deeper, value) }
  return value === undefined ? others : { ...others, [key]: value }
}

/** An empty section means the same as a missing one. */
function withoutEmpty(tree: TomlTable): TomlTable {
  const parts = Object.entries(tree).map(([key, value]) => [key, isTomlTable(value) ? withoutEmpty(value) : value] as const)
  return Object.fromEntries(parts.filter(([, value]) => !isTomlTable(value) || Object.keys(value).length > 0))
}

const isTomlTable = (value: unknown): value is TomlTable => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Why the text is not valid TOML, or null when it is. */
export function tomlProblem(text: string): string | null {
  try {
    Bun.TOML.parse(text)
    return null
  } catch (cause) {
    return (cause as Error).message
  }
}

function parseToml(text: string): TomlTable | null {
  try {
    return Bun.TOML.parse(text) as TomlTable
  } catch {
    return null
  }
}
