/** Measures a source file by its syntax tree: decision points of its functions, declared types, and unchecked casts. */
import { parseSync } from 'oxc-parser'

export type SyntaxMeasures = {
  functions: { name: string; line: number; decisions: number; hasReason: boolean }[]
  types: { name: string; line: number; isExported: boolean }[]
  uncheckedCasts: { line: number; code: string }[]
  /** Variables that claim a type for parsed text: `const { a }: Answer = JSON.parse(text)`. */
  uncheckedDeclarations: { line: number; code: string }[]
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>

/** Reads the syntax tree once. `hasReason` is true when the comment above a function contains "decision points:" and why. */
export function measureSyntax(path: string, text: string): SyntaxMeasures {
  const { program, comments } = parseSync(path, text)
  const measures: SyntaxMeasures = { functions: [], types: [], uncheckedCasts: [], uncheckedDeclarations: [] }
  const lineAt = (index: number) => text.slice(0, index).split('\n').length
  const finding = ({ start, end }: Node) => ({ line: lineAt(start), code: text.slice(start, end).replace(/\s+/g, ' ') })
  visit(program as unknown as Node, [], (node, parents) => {
    if (isFunction(node)) {
      const start = outermostStart(node, parents)
      measures.functions.push({
        name: functionName(node, parents),
        line: lineAt(node.start),
        decisions: decisionPoints(node),
        hasReason: comments.some(({ end, value }) => text.slice(end, start).trim() === '' && /decision points:/i.test(value)),
      })
    }
    if (node.type === 'TSTypeAliasDeclaration' || node.type === 'TSInterfaceDeclaration') {
      const isExported = parents.at(-1)?.type === 'ExportNamedDeclaration'
      measures.types.push({ name: (node.id as { name: string }).name, line: lineAt(node.start), isExported })
    }
    if (node.type === 'TSAsExpression' && !isConst(node) && !isUnknown(node) && isParsedValue(node.expression as Node))
      measures.uncheckedCasts.push(finding(node))
    if (node.type === 'VariableDeclarator' && node.init && isParsedValue(node.init as Node) && claimsType(node.id as Node))
      measures.uncheckedDeclarations.push(finding(node))
  })
  return measures
}

/** How often a function branches, its inner functions included: a closure that sets a flag is part of what a reader must follow. */
function decisionPoints(root: Node): number {
  let count = 0
  visit(root, [], (node) => {
    if (DECISIONS.has(node.type) || (node.type === 'SwitchCase' && node.test !== null)) count++
  })
  return count
}

const DECISIONS = new Set([
  'IfStatement',
  'ConditionalExpression',
  'LogicalExpression',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'CatchClause',
])

const isFunction = ({ type }: Node) => type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'

const isConst = (node: Node) => {
  const target = node.typeAnnotation as Node & { typeName?: { name?: string } }
  return target.type === 'TSTypeReference' && target.typeName?.name === 'const'
}

/** A cast to `unknown` claims nothing: the value must be checked before it is used. */
const isUnknown = (node: Node) => (node.typeAnnotation as Node).type === 'TSUnknownKeyword'

/** A name with a type other than `unknown`, or a pattern: the compiler lets it take any field from an `any`. */
function claimsType(name: Node): boolean {
  const annotation = name.typeAnnotation as Node | null | undefined
  return annotation ? !isUnknown(annotation) : name.type === 'ObjectPattern' || name.type === 'ArrayPattern'
}

/** `JSON.parse(…)`, `response.json()` or `readJsonIfThere(…)`, also awaited, in parentheses, inside another cast or with a fallback. */
function isParsedValue(node: Node): boolean {
  switch (node.type) {
    case 'AwaitExpression':
      return isParsedValue(node.argument as Node)
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'ChainExpression':
      return isParsedValue(node.expression as Node)
    case 'LogicalExpression':
      return isParsedValue(node.left as Node) || isParsedValue(node.right as Node)
    case 'CallExpression': {
      const callee = node.callee as Node & { name?: string; object?: Node & { name?: string }; property?: { name?: string } }
      if (callee.name === 'readJsonIfThere') return true
      if (callee.type !== 'MemberExpression') return false
      if (callee.property?.name === 'json') return true
      if (callee.property?.name === 'catch') return callee.object !== undefined && isParsedValue(callee.object)
      return callee.object?.name === 'JSON' && callee.property?.name === 'parse'
    }
    default:
      return false
  }
}

function functionName(node: Node, parents: Node[]): string {
  const parent = parents.at(-1)
  const name = (node.id ?? (parent?.type === 'VariableDeclarator' ? parent.id : parent?.key)) as { name?: string } | null | undefined
  return name?.name ?? '(anonymous)'
}

/** The start of the statement that declares a function, including `export` and `const`; its comment ends just before. */
function outermostStart(node: Node, parents: Node[]): number {
  let start = node.start
  for (const parent of parents.toReversed()) {
    if (!['VariableDeclarator', 'VariableDeclaration', 'ExportNamedDeclaration', 'Property', 'MethodDefinition'].includes(parent.type))
      break
    start = parent.start
  }
  return start
}

function visit(node: Node, parents: Node[], see: (node: Node, parents: Node[]) => void): void {
  see(node, parents)
  const path = [...parents, node]
  for (const [key, value] of Object.entries(node)) {
    if (key === 'parent') continue
    for (const child of Array.isArray(value) ? value : [value])
      if (typeof child === 'object' && child !== null && typeof child.type === 'string') visit(child, path, see)
  }
}
