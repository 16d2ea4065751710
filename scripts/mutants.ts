/** Small mistakes to make in a source file on purpose. A test that still passes with one of them does not notice it. */
import { parseSync } from 'oxc-parser'

/** One change of a file: the text between two positions is replaced. */
export type Mutant = { line: number; what: string; start: number; end: number; before: string; after: string }

type Node = { type: string; start: number; end: number } & Record<string, unknown>

/** All mutants of a file, in the order of its text. Types, imports, log lines and the texts of errors have none. */
export function mutantsOf(path: string, text: string): Mutant[] {
  const { program } = parseSync(path, text)
  const found: Mutant[] = []
  const add = (what: string, { start, end }: { start: number; end: number }, after: string) =>
    found.push({ line: text.slice(0, start).split('\n').length, what, start, end, before: text.slice(start, end), after })
  visit(program as unknown as Node, null, text, (node, parent) => mutate(node, parent, text, add))
  return found.filter(({ before, after }) => before !== after).sort((a, b) => a.start - b.start || a.end - b.end)
}

/** The file with the mistake in it. */
export const applyMutant = (text: string, { start, end, after }: Mutant): string => text.slice(0, start) + after + text.slice(end)

type AddMutant = (what: string, at: { start: number; end: number }, after: string) => void

function mutate(node: Node, parent: Node | null, text: string, add: AddMutant): void {
  const source = (of: Node) => text.slice(of.start, of.end)
  switch (node.type) {
    case 'IfStatement':
      add('condition negated', node.test as Node, `!(${source(node.test as Node)})`)
      break
    case 'ConditionalExpression':
      add('branches swapped', node, swapBranches(node, source))
      break
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const [left, right] = [node.left as Node, node.right as Node]
      const other = OTHER_OPERATOR[node.operator as string]
      if (other) add('operator', node, `${source(left)} ${other} ${source(right)}`)
      break
    }
    case 'UnaryExpression':
      if (node.operator === '!') add('negation removed', node, source(node.argument as Node))
      break
    case 'ExpressionStatement':
      if (!('directive' in node && node.directive)) add('statement removed', node, removedStatement(node, parent))
      break
    case 'ReturnStatement':
      if (node.argument) add('nothing returned', node, 'return undefined as never')
      break
    case 'Literal':
      mutateLiteral(node, parent, add)
      break
    case 'CallExpression':
      mutateCall(node, text, add)
      break
  }
}

const OTHER_OPERATOR: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
}

/** `if (a) b()` needs a statement; elsewhere nothing is left. */
const removedStatement = (node: Node, parent: Node | null) =>
  parent?.type === 'BlockStatement' || parent?.type === 'Program' || node.type !== 'ExpressionStatement' ? '' : ';'

function swapBranches(node: Node, source: (of: Node) => string): string {
  return `${source(node.test as Node)} ? ${source(node.alternate as Node)} : ${source(node.consequent as Node)}`
}

function mutateLiteral(node: Node, parent: Node | null, add: AddMutant): void {
  const { value } = node
  if (typeof value === 'boolean') add('boolean', node, String(!value))
  if (typeof value === 'number') add('number', node, String(value + 1))
  // A key is a name, not a value.
  const isKey = parent?.type === 'Property' && parent.key === node
  if (typeof value === 'string' && value !== '' && !isKey) add('text emptied', node, "''")
}

const OTHER_METHOD: Record<string, string> = {
  some: 'every',
  every: 'some',
  max: 'min',
  min: 'max',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
}
const REMOVABLE_METHODS = new Set(['filter', 'slice', 'sort', 'trim', 'toLowerCase', 'reverse'])

function mutateCall(node: Node, text: string, add: AddMutant): void {
  const callee = node.callee as Node
  if (callee.type !== 'MemberExpression') return
  const [object, property] = [callee.object as Node, callee.property as Node]
  const name = text.slice(property.start, property.end)
  const other = OTHER_METHOD[name]
  if (other) add('method', property, other)
  if (REMOVABLE_METHODS.has(name)) add('call removed', node, text.slice(object.start, object.end))
}

/** Parts of a file in which a mistake changes nothing that a caller could notice. */
function isLeftOut(node: Node, text: string): boolean {
  if (/^TS(?!AsExpression|NonNullExpression|SatisfiesExpression)/.test(node.type)) return true
  if (/^Import|^ExportAll/.test(node.type)) return true
  if (node.type === 'NewExpression')
    return /^new (?:[A-Z]\w*)?(?:Error|Understood|Request|Conflict|Database)\b/.test(text.slice(node.start, node.end))
  return node.type === 'CallExpression' && /^(?:\w+\.)*log\.(?:info|warn)\(/.test(text.slice(node.start, node.end))
}

function visit(node: Node, parent: Node | null, text: string, act: (node: Node, parent: Node | null) => void): void {
  if (isLeftOut(node, text)) return
  act(node, parent)
  for (const [key, value] of Object.entries(node)) {
    if (key === 'typeAnnotation' || key === 'typeArguments' || key === 'returnType') continue
    for (const child of Array.isArray(value) ? value : [value])
      if (child && typeof child === 'object' && 'type' in child && 'start' in child) visit(child as Node, node, text, act)
  }
}
