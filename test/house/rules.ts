/**
 * Keeps `house.json` true: every folder under `src/` is a room, and this reads the source as rooms and doors. It reads text, not
 * types, so it needs no compiler; `codeOnly` sees to it that comments and strings are not taken for code.
 */
import { builtinModules } from 'node:module'
import { posix } from 'node:path'
import { codeOnly } from './code.ts'

export type Rules = {
  /** Which rooms a room may import. A room that is not named here is none. */
  may: Record<string, string[]>
  /** Which of its files other rooms may import (patterns); a room without an entry is open throughout. */
  doors: Record<string, string[]>
  /** Which rooms may import a package. Built-in modules that are not named are free, other packages must be named. */
  touches: Record<string, string[]>
  owns: Record<Owned, string[]>
  /** Files that start a program or a library (patterns). */
  entries?: string[]
  /** What a process loads before it can answer: at most this many minified bytes, and none of these (patterns over files and packages). */
  starts: Record<string, { bytes: number; without: string[] }>
}

/** Things in the text of a file that only some rooms may do. */
const OWNED = {
  'SQL text':
    /['"`]\s*(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|(?:CREATE|DROP|ALTER)\s+(?:\w+\s+)?(?:TABLE|INDEX|TRIGGER)\s|PRAGMA\s)/g,
  'process.env': /\b(?:process|Bun|import\.meta)\.env\b/g,
  'process.exit': /\bprocess\.exit(?:Code)?\b/g,
  console: /\bconsole\.\w/g,
}
type Owned = keyof typeof OWNED

/** The process that starts cold at every event: what it imports is paid for at every event. */
const HOOK = 'src/hooks/pipe.ts'

/** What the source breaks, one sentence each, with file and line. `sources` maps paths (`src/room/file.ts`) to text. */
export function brokenRules(sources: Map<string, string>, rules: Rules): string[] {
  const files = [...sources].map(([path, text]) => readFile(path, text, sources))
  return [
    ...files.filter((file) => !(file.room in rules.may)).map((file) => `${file.path}: ${file.room} is no room of house.json`),
    ...files.flatMap((file) => [...brokenImports(file, rules), ...brokenOwnership(file, rules)]),
    ...cycles(roomGraph(files)).map((rooms) => `rooms import each other in a circle: ${rooms.join(' → ')}`),
    ...cycles(fileGraph(files)).map((paths) => `files import each other in a circle: ${paths.join(' → ')}`),
    ...hookPackages(files),
    ...unwantedAtStart(files, rules.starts),
    ...patternsWithoutMatch(files, rules),
  ]
}

type SourceFile = { path: string; room: string; text: string; code: string; imports: Import[] }
type Import = {
  line: number
  /** True when nothing of it is left at run time. */
  typeOnly: boolean
  /** True when it is loaded where the program comes by, not before it starts. */
  later: boolean
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
        : [`${at} ${target.path} is no door of ${room}`]),
    ]
  })
}

function brokenOwnership(file: SourceFile, { owns }: Rules): string[] {
  return Object.entries(OWNED).flatMap(([thing, pattern]) => {
    const rooms = owns[thing as Owned]
    if (rooms.includes(file.room)) return []
    // SQL stands inside strings, so it is looked for in the text; its opening quote must be code all the same, not part of a comment.
    const text = thing === 'SQL text' ? file.text : file.code
    return [...text.matchAll(pattern)]
      .filter((match) => file.code[match.index] === text[match.index])
      .map((match) => `${file.path}:${lineAt(text, match.index)}: ${thing} belongs to ${rooms.join(', ')}, not to ${file.room}`)
  })
}

/** Packages anywhere in the hook's imports, with the way that leads to them. */
function hookPackages(files: SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const seen = new Set<string>()
  const walk = (path: string, way: string[]): string[] => {
    const file = byPath.get(path)
    if (!file || seen.has(path)) return []
    seen.add(path)
    return file.imports
      .filter((item) => !item.typeOnly)
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
        .filter((item) => !item.typeOnly && !item.later)
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
    ...Object.entries(doors).flatMap(([room, patterns]) => unmatched(`doors of ${room}`, patterns, paths)),
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

/** Type-only imports count between rooms: a room that needs another's types knows that room. */
function roomGraph(files: SourceFile[]): Map<string, Set<string>> {
  const graph = new Map<string, Set<string>>()
  for (const file of files) {
    const to = graph.get(file.room) ?? new Set()
    graph.set(file.room, to)
    for (const { target } of file.imports) if ('path' in target && roomOf(target.path) !== file.room) to.add(roomOf(target.path))
  }
  return graph
}

/** Between files only what is left at run time can go round in a circle. */
function fileGraph(files: SourceFile[]): Map<string, Set<string>> {
  return new Map(
    files.map((file) => [
      file.path,
      new Set(file.imports.flatMap((item) => ('path' in item.target && !item.typeOnly ? [item.target.path] : []))),
    ]),
  )
}

/** Circles in a graph, each found once: a depth-first walk that meets a node of its own way has gone round. */
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

const LATER = /\b(?:import|require)\(\s*['"]/g
const IMPORTS = [/\b(?:import|export)\s+(?<type>type\s+)?(?<names>[\w$*{},\s]*?)\s*\bfrom\s*['"]/g, /\bimport\s*['"]/g, LATER]

function importsIn(path: string, text: string, code: string, sources: Map<string, string>): Import[] {
  return IMPORTS.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => ({ match, later: pattern === LATER }))).map(
    ({ match, later }) => {
      // The name stands between quotes that `codeOnly` left where they were.
      const quote = match.index + match[0].length - 1
      const name = text.slice(quote + 1, text.indexOf(text.charAt(quote), quote + 1))
      const { type, names } = match.groups ?? {}
      return {
        line: lineAt(text, match.index),
        later,
        typeOnly: type !== undefined || /^\{(\s*type\s+[\w$]+(\s+as\s+[\w$]+)?,?)+\s*\}$/.test(names ?? ''),
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

/** `src/store/store.ts` → `store`; a file beside the rooms is in none, and is called by its path. */
function roomOf(path: string): string {
  const [src, room, ...rest] = path.split('/')
  return src === 'src' && room && rest.length > 0 ? room : path
}

const lineAt = (text: string, index: number) => text.slice(0, index).split('\n').length
