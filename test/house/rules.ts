/**
 * Checks the source against `house.json`: every folder under `src/` is a room, with doors that other rooms may import. It reads text rather than
 * types, so it needs no compiler; `codeOnly` keeps comments and strings from being taken for code.
 */
import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { codeOnly } from './code.ts'

export type Rules = {
  /** The rooms that each room may import. Every room must be listed. */
  may: Record<string, string[]>
  /** The files of a room that other rooms may import (patterns). Without an entry, all of them. */
  doors: Record<string, string[]>
  /** The rooms that may import a package. Built-in modules that are not listed are free; other packages must be listed. */
  touches: Record<string, string[]>
  owns: Record<Owned, string[]>
  /** Files that start a program or a library (patterns). */
  entries?: string[]
  /** Limits on the code that a process loads before it can answer: minified bytes, and files and packages (patterns) that it must not load. */
  starts: Record<string, { bytes: number; without: string[] }>
}

/**
 * Rooms that may not assume an agent: its name belongs to the closed list, to `integrations` and to texts for people. `platform` reads the variables
 * that an agent sets, `hooks` the settings in which it may be installed twice, and `providers` starts the agent's program as a model.
 */
const ROOMS_FOR_EVERY_AGENT =
  'core store capture retrieval inject notes sync consolidate evaluate worker wire mcp client viewer minilm'.split(' ')
/** The declaration of the list, and the agent of rows from before there was a list. */
const AGENT_NAMED_IN = ['src/core/agent.ts', 'src/store/schema.ts', 'src/store/migrations.ts']
const AGENT_NAME = /claude[-_ ]?code/gi

/** Things that only some rooms may do, as patterns in their text. */
const OWNED = {
  'SQL text':
    /['"`]\s*(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|(?:CREATE|DROP|ALTER)\s+(?:\w+\s+)?(?:TABLE|INDEX|TRIGGER)\s|PRAGMA\s)/g,
  'process.env': /\b(?:process|Bun|import\.meta)\.env\b/g,
  'process.exit': /\bprocess\.exit(?:Code)?\b/g,
  console: /\bconsole\.\w/g,
}
type Owned = keyof typeof OWNED

/** The hook process starts for every event, so everything it imports costs time for every event. */
const HOOK = 'src/hooks/pipe.ts'

/** The broken rules, one sentence each, with file and line. `sources` maps paths (`src/room/file.ts`) to text. */
export function brokenRules(sources: Map<string, string>, rules: Rules): string[] {
  const files = [...sources].map(([path, text]) => readFile(path, text, sources))
  return [
    ...files.filter((file) => !(file.room in rules.may)).map((file) => `${file.path}: ${file.room} is not a room in house.json`),
    ...files.flatMap((file) => [...brokenImports(file, rules), ...brokenOwnership(file, rules), ...namedAgents(file)]),
    ...cycles(roomGraph(files)).map((rooms) => `rooms import each other in a cycle: ${rooms.join(' → ')}`),
    ...cycles(fileGraph(files)).map((paths) => `files import each other in a cycle: ${paths.join(' → ')}`),
    ...hookPackages(files),
    ...unwantedAtStart(files, rules.starts),
    ...patternsWithoutMatch(files, rules),
  ]
}

type SourceFile = { path: string; room: string; text: string; code: string; imports: Import[] }
type Import = {
  line: number
  /** True if nothing of it is left at run time. */
  isTypeOnly: boolean
  /** True for `import()`, which loads when it is reached and not at the start. */
  isDynamic: boolean
  /** One of our files, or a package. */
  target: { path: string } | { outside: string; builtin: boolean }
}

function brokenImports(file: SourceFile, { may, doors, touches }: Rules): string[] {
  return file.imports.flatMap(({ line, target }) => {
    const at = `${file.path}:${line}:`
    if ('outside' in target) {
      const { outside, builtin } = target
      const rooms = touches[outside]
      if (rooms ? rooms.includes(file.room) : builtin) return []
      return [`${at} ${file.room} may not import the package ${outside} (touches: ${rooms?.join(', ') ?? 'not named'})`]
    }
    const room = roomOf(target.path)
    if (room === file.room || !target.path.startsWith('src/')) return []
    const allowed = may[file.room] ?? []
    const patterns = doors[room]
    return [
      ...(allowed.includes(room) || allowed.includes('*') ? [] : [`${at} ${file.room} may not import ${room} (${target.path})`]),
      ...(!patterns || patterns.some((pattern) => new RegExp(pattern).test(target.path))
        ? []
        : [`${at} ${target.path} is not a door of ${room}`]),
    ]
  })
}

function brokenOwnership(file: SourceFile, { owns }: Rules): string[] {
  return Object.entries(OWNED).flatMap(([thing, pattern]) => {
    const rooms = owns[thing as Owned]
    if (rooms.includes(file.room)) return []
    // SQL is inside strings, so it is searched in the text; its opening quote must still be code and not part of a comment.
    const text = thing === 'SQL text' ? file.text : file.code
    return [...text.matchAll(pattern)]
      .filter((match) => file.code[match.index] === text[match.index])
      .map((match) => `${file.path}:${lineAt(text, match.index)}: ${thing} belongs to ${rooms.join(', ')}, not to ${file.room}`)
  })
}

function namedAgents({ path, room, text }: SourceFile): string[] {
  if (!ROOMS_FOR_EVERY_AGENT.includes(room) || AGENT_NAMED_IN.includes(path)) return []
  return [...text.matchAll(AGENT_NAME)].map(
    (match) => `${path}:${lineAt(text, match.index)}: ${room} serves every agent, so it may not name one (${match[0]})`,
  )
}

/** Packages that the hook imports, directly or indirectly, with the path of imports. */
function hookPackages(files: SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const seen = new Set<string>()
  const walk = (path: string, way: string[]): string[] => {
    const file = byPath.get(path)
    if (!file || seen.has(path)) return []
    seen.add(path)
    return file.imports
      .filter((item) => !item.isTypeOnly)
      .flatMap(({ line, target }) => {
        if ('path' in target) return walk(target.path, [...way, path])
        return target.builtin
          ? []
          : [`${path}:${line}: the hook may not load the package ${target.outside} (${[...way, path].join(' → ')})`]
      })
  }
  return walk(HOOK, [])
}

/** Files and packages that an entry loads when it starts although it should not, with the imports that lead to them. */
function unwantedAtStart(files: SourceFile[], starts: Rules['starts']): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  return Object.entries(starts).flatMap(([entry, { without }]) => {
    const seen = new Set<string>()
    const isUnwanted = (name: string) => without.some((pattern) => new RegExp(pattern).test(name))
    const walk = (path: string, way: string[]): string[] => {
      const file = byPath.get(path)
      if (!file || seen.has(path)) return []
      seen.add(path)
      return file.imports
        .filter((item) => !item.isTypeOnly && !item.isDynamic)
        .flatMap(({ target }) => {
          const name = 'path' in target ? target.path : target.outside
          if (isUnwanted(name)) return [`${entry} may not load ${name} when it starts (${[...way, path].join(' → ')})`]
          return 'path' in target ? walk(name, [...way, path]) : []
        })
    }
    return walk(entry, [])
  })
}

/** A pattern that matches nothing protects nothing: it is misspelt, or its file was renamed. */
function patternsWithoutMatch(files: SourceFile[], { doors, entries = [], starts }: Rules): string[] {
  const paths = files.map(({ path }) => path)
  const packages = files.flatMap((file) => file.imports.flatMap(({ target }) => ('outside' in target ? [target.outside] : [])))
  const unmatched = (where: string, patterns: string[], names: string[]) =>
    patterns
      .filter((pattern) => !names.some((name) => new RegExp(pattern).test(name)))
      .map((pattern) => `house.json, ${where}: ${pattern} matches no file`)
  return [
    ...Object.entries(doors).flatMap(([room, patterns]) => unmatched(`doors of ${room}`, patterns.flatMap(alternatives), paths)),
    ...unmatched('entries', entries, paths),
    ...Object.entries(starts).flatMap(([entry, { without }]) => [
      ...(paths.includes(entry) ? [] : [`house.json, starts: there is no file ${entry}`]),
      ...unmatched(`starts of ${entry}`, without.flatMap(alternatives), [...paths, ...packages]),
    ]),
  ]
}

/** Splits `a/(b|c)` into `a/(b)` and `a/(c)`, so that each part has to match. */
function alternatives(pattern: string): string[] {
  const [, before, inside, after] = /^(.*?)\(([^()]*)\)(.*)$/.exec(pattern) ?? []
  return inside === undefined ? [pattern] : inside.split('|').map((part) => `${before}(${part})${after}`)
}

/** Type-only imports count between rooms: a room that needs another's types depends on it. */
function roomGraph(files: SourceFile[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const file of files) {
    const to = graph.get(file.room) ?? new Set()
    graph.set(file.room, to)
    for (const { target } of file.imports) if ('path' in target && roomOf(target.path) !== file.room) to.add(roomOf(target.path))
  }
  return graph
}

/** Between files, only run-time imports can form a cycle. */
function fileGraph(files: SourceFile[]): Map<string, Set<string>> {
  return new Map(
    files.map((file) => [
      file.path,
      new Set(file.imports.flatMap((item) => ('path' in item.target && !item.isTypeOnly ? [item.target.path] : []))),
    ]),
  )
}

/** The cycles of a graph, each found once: a depth-first walk that reaches a node of its own path. */
function cycles(graph: Map<string, Set<string>>): string[][] {
  const found: string[][] = []
  const done = new Set<string>()
  const walk = (node: string, way: string[]) => {
    const start = way.indexOf(node)
    if (start >= 0) found.push([...way.slice(start), node])
    if (start >= 0 || done.has(node)) return
    for (const next of graph.get(node) ?? []) walk(next, [...way, node])
    done.add(node)
  }
  for (const node of graph.keys()) walk(node, [])
  return found
}

function readFile(path: string, text: string, sources: Map<string, string>): SourceFile {
  const code = codeOnly(text)
  return { path, room: roomOf(path), text, code, imports: importsIn(path, text, code, sources) }
}

const DYNAMIC_IMPORT = /\b(?:import|require)\(\s*['"]/g
const IMPORTS = [/\b(?:import|export)\s+(?<type>type\s+)?(?<names>[\w$*{},\s]*?)\s*\bfrom\s*['"]/g, /\bimport\s*['"]/g, DYNAMIC_IMPORT]

function importsIn(path: string, text: string, code: string, sources: Map<string, string>): Import[] {
  return IMPORTS.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => ({ match, isDynamic: pattern === DYNAMIC_IMPORT }))).map(
    ({ match, isDynamic }) => {
      // The name is between quotes that `codeOnly` left in place.
      const quote = match.index + match[0].length - 1
      const name = text.slice(quote + 1, text.indexOf(text.charAt(quote), quote + 1))
      const { type, names } = match.groups ?? {}
      return {
        line: lineAt(text, match.index),
        isDynamic,
        isTypeOnly: type !== undefined || /^\{(\s*type\s+[\w$]+(\s+as\s+[\w$]+)?,?)+\s*\}$/.test(names ?? ''),
        target: targetOf(path, name, sources),
      }
    },
  )
}

function targetOf(from: string, name: string, sources: Map<string, string>): Import['target'] {
  if (name.startsWith('.')) {
    const path = posix.join(posix.dirname(from), name)
    return { path: [path, `${path}.ts`, `${path}/index.ts`].find((candidate) => sources.has(candidate)) ?? path }
  }
  if (name === 'bun' || name.startsWith('bun:')) return { outside: name, builtin: true }
  const bare = name.replace(/^node:/, '')
  if (builtinModules.includes(bare)) return { outside: `node:${bare}`, builtin: true }
  return { outside: name.split('/', name.startsWith('@') ? 2 : 1).join('/'), builtin: false }
}

/** `src/store/store.ts` → `store`. For a file outside the rooms, its path. */
function roomOf(path: string): string {
  const [src, room, ...rest] = path.split('/')
  if (src === 'vscode') return src
  return src === 'src' && room && rest.length > 0 ? room : path
}

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length
