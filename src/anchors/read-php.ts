import { afterBracket, type Container, findAt, type Item, isAt, isWordAt, type NamedDefinition, type Source, textAt } from './source.ts'

/** Reads an item of PHP: a function, a class-like, a constant or a property. */
export function readPhpItem(source: Source, at: number, to: number, container: Container): Item {
  let start = at
  while (isAt(source, start, '#') && isAt(source, start + 1, '[')) start = afterBracket(source, start + 1, to)
  let word = start
  while (/^(?:public|private|protected|static|abstract|final|readonly|var)$/i.test(textAt(source, word)) && word < to) {
    word++
    if (isAt(source, word, '(')) word = afterBracket(source, word, to)
  }
  switch (textAt(source, word).toLowerCase()) {
    case 'function': {
      const nameAt = isAt(source, word + 1, '&') ? word + 2 : word + 1
      return isWordAt(source, nameAt)
        ? upToBlock(source, start, nameAt, to, { name: textAt(source, nameAt), kind: container.kind === 'class' ? 'method' : 'function' })
        : skipStatement(source, word, to)
    }
    case 'class':
    case 'interface':
    case 'trait':
    case 'enum':
      return isWordAt(source, word + 1)
        ? upToBlock(source, start, word + 1, to, { name: textAt(source, word + 1), kind: 'class' }, true)
        : skipStatement(source, word, to)
    case 'namespace': {
      const open = findAt(source, word, to, (index) => isAt(source, index, '{') || isAt(source, index, ';'))
      return isAt(source, open, '{')
        ? upToBlock(source, start, word, to, { name: '', kind: 'module' }, true)
        : { next: open + 1, found: [] }
    }
    case 'const':
      return readConstant(source, start, word, to)
    default:
      return container.kind === 'class' && word > start ? readProperty(source, start, word, to) : skipStatement(source, word, to)
  }
}

function upToBlock(source: Source, start: number, from: number, to: number, named: NamedDefinition, isContainer = false): Item {
  const open = findAt(source, from, to, (index) => isAt(source, index, '{') || isAt(source, index, ';'))
  if (!isAt(source, open, '{')) return { next: open + 1, found: [{ ...named, from: start, to: open }] }
  const end = afterBracket(source, open, to)
  return { next: end, found: [{ ...named, from: start, to: end, ...(isContainer && { inside: [open + 1, end - 1] as [number, number] }) }] }
}

function readConstant(source: Source, start: number, word: number, to: number): Item {
  const end = findAt(source, word, to, (index) => isAt(source, index, ';'))
  const equals = findAt(source, word, end, (index) => isAt(source, index, '='))
  const isNamed = equals < end && isWordAt(source, equals - 1)
  return { next: end + 1, found: isNamed ? [{ name: textAt(source, equals - 1), kind: 'value', from: start, to: end }] : [] }
}

function readProperty(source: Source, start: number, word: number, to: number): Item {
  const end = findAt(source, word, to, (index) => isAt(source, index, ';'))
  const nameAt = findAt(source, word, end, (index) => textAt(source, index).startsWith('$'))
  return { next: end + 1, found: nameAt < end ? [{ name: textAt(source, nameAt), kind: 'value', from: start, to: end }] : [] }
}

/** Functions may be declared under a condition, so a block is looked into. */
function skipStatement(source: Source, word: number, to: number): Item {
  const end = findAt(source, word, to, (index) => isAt(source, index, ';') || isAt(source, index, '{') || isAt(source, index, '}'))
  if (!isAt(source, end, '{')) return { next: end + 1, found: [] }
  const next = afterBracket(source, end, to)
  const isCondition = textAt(source, word).toLowerCase() === 'if'
  return { next, found: isCondition ? [{ name: '', kind: 'module', from: word, to: next, inside: [end + 1, next - 1] }] : [] }
}
