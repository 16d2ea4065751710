import { afterBracket, findAt, type Item, isAt, isStringAt, isWordAt, type NamedDefinition, type Source, textAt } from './source.ts'

/** Reads an item of Rust. Functions of an `impl` belong to its type. */
export function readRustItem(source: Source, at: number, to: number): Item {
  let start = at
  while (isAt(source, start, '#')) start = afterBracket(source, isAt(source, start + 1, '!') ? start + 2 : start + 1, to)
  const word = skipModifiers(source, start, to)
  const name = textAt(source, word + 1)
  switch (textAt(source, word)) {
    case 'fn':
      return withBody(source, start, word, to, { name, kind: 'function' })
    case 'struct':
    case 'enum':
    case 'union':
      return isWordAt(source, word + 1) ? withBody(source, start, word, to, { name, kind: 'type' }) : skipStatement(source, word, to)
    case 'trait':
      return withBody(source, start, word, to, { name, kind: 'class' }, true)
    case 'mod':
      return withBody(source, start, word, to, { name, kind: 'module' }, true)
    case 'impl':
      return withBody(source, start, word, to, { name: implName(source, word, to), kind: 'class' }, true)
    case 'type':
    case 'const':
    case 'static':
      return readValue(source, start, word, to)
    case 'macro_rules':
      return isAt(source, word + 1, '!')
        ? block(source, start, word + 3, to, { name: textAt(source, word + 2), kind: 'function' })
        : skipStatement(source, word, to)
    default:
      return skipStatement(source, word, to)
  }
}

function skipModifiers(source: Source, start: number, to: number): number {
  let word = start
  for (; word < to; ) {
    const text = textAt(source, word)
    if (text === 'pub' && isAt(source, word + 1, '(')) word = afterBracket(source, word + 1, to)
    else if (/^(?:pub|async|unsafe|default|safe)$/.test(text) && isWordAt(source, word + 1)) word++
    else if (text === 'extern' && (isStringAt(source, word + 1) || textAt(source, word + 1) === 'fn'))
      word += isStringAt(source, word + 1) ? 2 : 1
    else if (text === 'const' && /^(?:fn|unsafe|async|extern)$/.test(textAt(source, word + 1))) word++
    else return word
  }
  return word
}

/** A definition up to its block, or to the `;` if it has none. */
function withBody(source: Source, start: number, word: number, to: number, named: NamedDefinition, isContainer = false): Item {
  const open = findAt(source, word + 1, to, (index) => isAt(source, index, '{') || isAt(source, index, ';'))
  return isAt(source, open, '{')
    ? block(source, start, open, to, named, isContainer)
    : { next: open + 1, found: named.kind === 'module' ? [] : [{ ...named, from: start, to: open }] }
}

function block(source: Source, start: number, open: number, to: number, named: NamedDefinition, isContainer = false): Item {
  const end = afterBracket(source, open, to)
  return { next: end, found: [{ ...named, from: start, to: end, ...(isContainer && { inside: [open + 1, end - 1] as [number, number] }) }] }
}

function readValue(source: Source, start: number, word: number, to: number): Item {
  const end = findAt(source, word, to, (index) => isAt(source, index, ';'))
  const nameAt = textAt(source, word + 1) === 'mut' ? word + 2 : word + 1
  const kind = textAt(source, word) === 'type' ? 'type' : 'value'
  return { next: end + 1, found: isWordAt(source, nameAt) ? [{ name: textAt(source, nameAt), kind, from: start, to: end }] : [] }
}

/** `Type`, or `Trait for Type`, without type parameters and paths. */
function implName(source: Source, word: number, to: number): string {
  const end = findAt(source, word, to, (index) => isAt(source, index, '{') || textAt(source, index) === 'where')
  const parts: string[] = ['']
  let angles = 0
  for (let at = word + 1; at < end; at++) {
    const text = textAt(source, at)
    if (text === '<') angles++
    else if (text === '>' && !isAt(source, at - 1, '-')) angles = Math.max(0, angles - 1)
    else if (angles > 0) continue
    else if (text === 'for') parts.push('')
    else if (isWordAt(source, at) && text !== 'dyn' && text !== 'mut' && !text.startsWith("'")) parts[parts.length - 1] = text
  }
  return parts.join(' for ')
}

/** An invocation of a macro, a `use`, or anything else: up to the `;`, or after a block. */
function skipStatement(source: Source, word: number, to: number): Item {
  const end = findAt(source, word, to, (index) => isAt(source, index, ';') || isAt(source, index, '{') || isAt(source, index, '}'))
  const isUse = textAt(source, word) === 'use'
  if (isUse && isAt(source, end, '{')) return { next: afterBracket(source, end, to) + 1, found: [] }
  const next = isAt(source, end, '{') ? afterBracket(source, end, to) : end + 1
  const isForeign = textAt(source, word) === 'extern' && isAt(source, end, '{')
  const inside: [number, number] = [end + 1, next - 1]
  return { next, found: isForeign ? [{ name: '', kind: 'module', from: word, to: next, inside }] : [] }
}
