/**
 * The text of a TOML file with one setting changed and every other byte as it was. Null when that cannot be done safely: the file
 * is written in a way that only a person should touch.
 */
export function withSetting(text: string, section: string, key: string, value: string): string | null {
  const before = parsed(text)
  if (!before) return null
  const changed = replaced(text, section, key, `${key} = ${JSON.stringify(value)}`)
  const wanted = { ...before, [section]: { ...(before[section] as object | undefined), [key]: value } }
  const after = parsed(changed)
  return after && Bun.deepEquals(after, wanted) ? changed : null
}

function replaced(text: string, section: string, key: string, line: string): string {
  const lines = text.split('\n')
  const head = lines.findIndex((one) => new RegExp(`^\\s*\\[\\s*${section}\\s*\\]`).test(one))
  if (head < 0) {
    const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
    return `${text}${gap}[${section}]\n${line}\n`
  }
  const next = lines.findIndex((one, at) => at > head && /^\s*\[/.test(one))
  const end = next < 0 ? lines.length : next
  const at = lines.findIndex((one, at) => at > head && at < end && new RegExp(`^\\s*${key}\\s*=`).test(one))
  if (at < 0) lines.splice(head + 1, 0, line)
  else lines[at] = `${line}${/^[^"'#]*=\s*(?:"(?:[^"\\]|\\.)*"|'[^']*')(\s*#.*|\s*)$/.exec(lines[at] ?? '')?.[1] ?? ''}`
  return lines.join('\n')
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>
  } catch {
    return null
  }
}
