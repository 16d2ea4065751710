import { afterBracket, type FoundDefinition, findAt, isAt, isStringAt, isWordAt, type Source, startsLine, textAt } from './source.ts'

/** Deeper keys belong to the value above them. */
const MAX_KEY_DEPTH = 5

/** JSON, with or without comments: the keys of objects in objects. Lists are values. */
export function readJsonKeys(source: Source): FoundDefinition[] {
  const found: FoundDefinition[] = []
  const walk = (open: number, prefix: string, depth: number): void => {
    const close = afterBracket(source, open) - 1
    for (let at = open + 1; at < close; ) {
      const valueAt = at + 2
      if (!(isStringAt(source, at) || isWordAt(source, at)) || !isAt(source, at + 1, ':')) {
        at = afterBracket(source, at, close)
        continue
      }
      const name = `${prefix}${textAt(source, at).replace(/^(["'])([\s\S]*)\1$/, '$2')}`
      let end = valueAt
      while (end < close && !isAt(source, end, ',')) end = afterBracket(source, end, close)
      found.push({ name, kind: 'key', from: at, to: end })
      if (isAt(source, valueAt, '{') && depth < MAX_KEY_DEPTH) walk(valueAt, `${name}.`, depth + 1)
      at = end + 1
    }
  }
  if (isAt(source, 0, '{')) walk(0, '', 1)
  return found
}

/** TOML: the keys of the tables, and the tables themselves. */
export function readTomlKeys(source: Source): FoundDefinition[] {
  const found: FoundDefinition[] = []
  let table: FoundDefinition | null = null
  const endTable = (at: number) => {
    if (table) found.push({ ...table, to: at })
  }
  for (let at = 0; at < source.count; ) {
    const end = tomlStatementEnd(source, at)
    if (isAt(source, at, '[')) {
      endTable(at)
      table = { name: keyText(source, at, end).replace(/^\[+|\]+$/g, ''), kind: 'key', from: at, to: end }
    } else {
      let equals = at
      while (equals < end && !isAt(source, equals, '=')) equals++
      if (equals < end) readTomlKey(source, at, equals, end, table ? `${table.name}.` : '', found)
    }
    at = end
  }
  endTable(source.count)
  return found
}

/** A key with its value, and the keys in it if it is an inline table. */
function readTomlKey(source: Source, from: number, equals: number, to: number, prefix: string, found: FoundDefinition[], depth = 1): void {
  const name = `${prefix}${keyText(source, from, equals)}`
  found.push({ name, kind: 'key', from, to })
  if (!isAt(source, equals + 1, '{') || depth >= MAX_KEY_DEPTH) return
  const close = afterBracket(source, equals + 1, to) - 1
  for (let at = equals + 2; at < close; ) {
    const comma = findAt(source, at, close, (index) => isAt(source, index, ','))
    const inner = findAt(source, at, comma, (index) => isAt(source, index, '='))
    if (inner < comma) readTomlKey(source, at, inner, comma, `${name}.`, found, depth + 1)
    at = comma + 1
  }
}

const keyText = ({ tokens }: Source, from: number, to: number) =>
  tokens.text.slice(tokens.starts[from], tokens.ends[to - 1]).replace(/\s+|["']/g, '')

function tomlStatementEnd(source: Source, from: number): number {
  let at = afterBracket(source, from)
  while (at < source.count && !startsLine(source, at)) at = afterBracket(source, at)
  return at
}
