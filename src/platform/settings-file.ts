import { readUtf8IfThere, writeInPlace } from './files.ts'

/**
 * Sets values of one section in a settings file, for a person: what else is in it, comments and order included, stays as it is. A file in
 * which they stand in a form that we cannot change without touching other things is refused, and left alone.
 */
export function changeSettings(path: string, section: string, values: Record<string, string>): void {
  writeInPlace(path, withSettings(readUtf8IfThere(path) ?? '', section, values, path))
}

/** The text with these values set. Throws, with what to do, when it cannot be done safely. */
export function withSettings(text: string, section: string, values: Record<string, string>, path = 'the settings'): string {
  const before = parseTomlFile(text, path)
  const after = Object.entries(values).reduce((text, [key, value]) => withValue(text, section, key, value), text)
  const wanted = { ...before, [section]: { ...(before[section] as object | undefined), ...values } }
  if (!isSame(after, wanted)) {
    const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
    throw new Error(
      `${path} is written in a way that cannot be changed safely; put this into its [${section}] by hand: ${lines.join(', ')}`,
    )
  }
  return after
}

function parseTomlFile(text: string, path: string): Record<string, unknown> {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>
  } catch (cause) {
    throw new Error(`${path} is not valid TOML (${(cause as Error).message}); mend it first`, { cause })
  }
}

function isSame(text: string, wanted: object): boolean {
  try {
    return Bun.deepEquals(Bun.TOML.parse(text), wanted)
  } catch {
    return false // a key twice, say
  }
}

function withValue(text: string, section: string, key: string, value: string): string {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => new RegExp(`^\\s*\\[\\s*${section}\\s*\\]`).test(line))
  const setting = `${key} = ${JSON.stringify(value)}`
  if (start < 0) return `${text.replace(/\n*$/, text.trim() === '' ? '' : '\n\n')}[${section}]\n${setting}\n`
  const next = lines.findIndex((line, at) => at > start && /^\s*\[/.test(line))
  const end = next < 0 ? lines.length : next
  const at = lines.findIndex((line, at) => at > start && at < end && new RegExp(`^\\s*${key}\\s*=`).test(line))
  if (at < 0) lines.splice(start + 1, 0, setting)
  else {
    const comment = /^[^"'#]*(?:"(?:[^"\\]|\\.)*"|'[^']*')?\s*?(\s*#.*)?$/.exec(lines[at] as string)?.[1] ?? ''
    lines[at] = setting + comment
  }
  return lines.join('\n')
}
