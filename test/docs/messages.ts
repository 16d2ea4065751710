import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { root } from './pages.ts'

/** A finding of `doctor` that is not ok, or an error of a command: the words that it begins with, without what it names. */
export type Message = { file: string; what: string | null; phrase: string }

/** Every finding of `doctor`, read from its source. */
export function doctorFindings(): Message[] {
  return ['src/cli/commands/doctor.ts', 'src/cli/hook-findings.ts'].flatMap((file) => {
    const found: Message[] = []
    const add = (what: string | null, says: Node | undefined) =>
      found.push(...phrasesOf(says).map((phrase) => ({ file, what: what ?? null, phrase })))
    visit(file, {
      ObjectExpression(node) {
        const part = (name: string) => property(node, name)
        const state = part('state')
        if (!state || isText(state, 'ok') || !(part('what') || part('says'))) return
        add(textOf(part('what')), part('says'))
      },
      VariableDeclarator(node) {
        if (node.id.type === 'Identifier' && node.id.name === 'says') add(null, node.init)
      },
      CallExpression(node) {
        if (node.callee.type === 'Identifier' && node.callee.name === 'hooksFinding') add('Hooks', node.arguments[1])
      },
    })
    return found
  })
}

/** The names that findings of `doctor` begin with. Other agents have their own names. */
export function doctorSubjects(): string[] {
  return [...new Set(['src/cli/commands/doctor.ts', 'src/cli/hook-findings.ts'].flatMap(subjectsIn))]
}

function subjectsIn(file: string): string[] {
  return [...source(file).matchAll(/\bwhat(?:: | = )'([^']+)'/g)].map(([, subject = '']) => subject)
}

/** Every error of a command that is not about its arguments, read from the source. */
export function commandErrors(): Message[] {
  const files = ['src/cli', 'src/backup'].flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.ts`).scanSync(root)])
  return files
    .filter((file) => !file.endsWith('.test.ts'))
    .sort()
    .flatMap((file) => {
      const found: Message[] = []
      visit(file, {
        NewExpression(node) {
          if (node.callee.type !== 'Identifier' || !['CliError', 'BackupFailure'].includes(node.callee.name)) return
          const [message, exit] = node.arguments
          if (exit && textIn(file, exit) === 'EXIT.invalid') return
          found.push(...phrasesOf(message).map((phrase) => ({ file, what: null, phrase })))
        },
      })
      return found
    })
}

/** Every reason why a command of a team, or a model, cannot do its work, read from the rooms that give it. */
export function teamErrors(): Message[] {
  const files = [...new Bun.Glob('src/team/*.ts').scanSync(root), 'src/worker/redistill.ts'].filter((file) => !file.endsWith('.test.ts'))
  return files.sort().flatMap((file) => {
    const found: Message[] = []
    const add = (message: Node | undefined) => found.push(...phrasesOf(message).map((phrase) => ({ file, what: null, phrase })))
    visit(file, {
      NewExpression(node) {
        if (node.callee.type === 'Identifier' && ['TeamProblem', 'BadRequest'].includes(node.callee.name)) add(node.arguments[0])
      },
      // The reasons why a hub cannot be used are plain texts.
      ReturnStatement(node) {
        if (file.endsWith('/hub-client.ts')) add(node.argument)
      },
    })
    return found
  })
}

// biome-ignore lint/suspicious/noExplicitAny: a node of a syntax tree has one of a hundred types
type Node = any

const sources = new Map<string, string>()
function source(file: string): string {
  const text = sources.get(file) ?? readFileSync(join(root, file), 'utf8')
  sources.set(file, text)
  return text
}

function visit(file: string, visitor: ConstructorParameters<typeof Visitor>[0]): void {
  new Visitor(visitor).visit(parseSync(file, source(file)).program)
}

const textIn = (file: string, node: Node): string => source(file).slice(node.start, node.end)
const property = (object: Node, name: string): Node | undefined =>
  object.properties.find((part: Node) => part.type === 'Property' && part.key.name === name)?.value
const isText = (node: Node, text: string): boolean => node.type === 'Literal' && node.value === text
const textOf = (node: Node | undefined): string | null => (node?.type === 'Literal' && typeof node.value === 'string' ? node.value : null)

/** The longest words of a message that the source spells out, up to its first full stop; one phrase for each branch of a condition. */
function phrasesOf(node: Node | undefined): string[] {
  if (node === undefined || node === null) return []
  if (node.type === 'ConditionalExpression') return [...phrasesOf(node.consequent), ...phrasesOf(node.alternate)]
  const parts: string[] =
    node.type === 'TemplateLiteral'
      ? node.quasis.map((quasi: Node) => quasi.value.cooked)
      : node.type === 'Literal' && typeof node.value === 'string'
        ? [node.value]
        : []
  const phrases = parts
    .map((part) => part.split(/[.;:(]\s|\($/)[0]?.replace(/^[\s;:,)"']+|[\s;:,("']+$/g, '') ?? '')
    .filter((part) => /[a-z]{3}/i.test(part))
  const longest = phrases.sort((a, b) => b.length - a.length)[0]
  return longest ? [longest] : []
}
