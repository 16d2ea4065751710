/**
 * The text of a TOML file with one setting changed and every other byte as it was. Null when that cannot be done safely: the file
 * is written in a way that only a person should touch.
 */
export function withSetting(text: string, path: string[], value: unknown): string | null {
  return verifyEdit(text, path, value, replaceSetting(text, path, formatTomlValue(value)))
}

/** The same with the setting taken out. */
export function withoutSetting(text: string, path: string[]): string | null {
  return verifyEdit(text, path, undefined, replaceSetting(text, path, null))
}

/** What was meant is what a parser reads afterwards, and nothing else has changed; or it is not done. */
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

/** What stands behind a value on its line. */
const commentIn = (line: string) => /^[^"'#]*=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w.+-]+|\[[^\]#]*\])(\s*#.*|\s*)$/.exec(line)?.[1] ?? ''

/** JSON's text, numbers, truth values and lists of them are TOML's too. */
const formatTomlValue = (value: unknown) =>
  Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(', ')}]` : JSON.stringify(value)

type TomlTable = Record<string, unknown>

function withValue(tree: TomlTable, [key = '', ...deeper]: string[], value: unknown): TomlTable {
  const { [key]: present, ...others } = tree
  if (deeper.length > 0) return { ...others, [key]: withValue(isTomlTable(present) ? present : {}, deeper, value) }
  return value === undefined ? others : { ...others, [key]: value }
}

/** A section that nothing is left in says as much as one that is not there. */
function withoutEmpty(tree: TomlTable): TomlTable {
  const parts = Object.entries(tree).map(([key, value]) => [key, isTomlTable(value) ? withoutEmpty(value) : value] as const)
  return Object.fromEntries(parts.filter(([, value]) => !isTomlTable(value) || Object.keys(value).length > 0))
}

const isTomlTable = (value: unknown): value is TomlTable => typeof value === 'object' && value !== null && !Array.isArray(value)

function parseToml(text: string): TomlTable | null {
  try {
    return Bun.TOML.parse(text) as TomlTable
  } catch {
    return null
  }
}
