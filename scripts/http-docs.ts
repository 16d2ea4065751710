/**
 * `npm run docs`: writes docs/guide/http.md, the reference of the HTTP API, from the contract. The text of a route is the comment above its declaration;
 * its fields come from the schema of its request, and its response and its errors are the declared TypeScript types.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { z } from 'zod'
import { httpRequest } from '../src/wire/call.ts'
import { contract, type RouteName } from '../src/wire/contract/contract.ts'
import type { RouteOptions } from '../src/wire/contract/route.ts'
import { EXAMPLES } from './http-examples.ts'

const root = join(import.meta.dir, '..')
export const HTTP_REFERENCE = join(root, 'docs', 'guide', 'http.md')

const RESOURCES: Record<string, string> = {
  memories: 'Memories',
  observations: 'Observations',
  graph: 'Links between memories',
  code: 'Memories and the code',
  feed: 'Lists',
  inject: 'What sessions get',
  sessions: 'Sessions',
  notes: 'Notes',
  forget: 'Deleting and restoring',
  sync: 'Sync',
  team: 'Team',
  projects: 'Projects',
  settings: 'Settings',
  upkeep: 'Upkeep',
  embedder: 'Embedder',
  status: 'Worker',
  hooks: 'Hooks',
  viewer: 'Viewer',
  mcp: 'MCP',
}

const INTRODUCTION = `# HTTP API

<!-- Written by \`npm run docs\` from src/wire/contract. Do not edit. -->

The worker answers HTTP on a Unix socket and on a port of this machine. Programs in JavaScript can use the [client library](client.md) instead.

- **Unix socket** \`~/.recollect/run/worker.sock\`: only you can open it, so no token is needed. The examples below use it.
- **Port** \`http://127.0.0.1:37777\` (\`recollect status\` prints the port): send \`Authorization: Bearer <token>\` with the token in
  \`~/.recollect/run/token\`. \`POST /hook/:agent\` exists on the socket only.

\`recollect start\` starts the worker. Path parameters (\`:id\`) are part of the path. GET and DELETE take the other fields in the query string, other methods
in a JSON body. In a query string, a boolean is \`true\` or \`false\` (also \`1\` and \`0\`). Times are milliseconds since 1970; where text is allowed, also
\`yesterday\` or [anything \`since:\` accepts](search.md#time). \`project\` is the key of a project, one of its folders, or its
name if no other project has the same.

Responses are JSON. **Lines** marks routes that answer with one JSON value per line, as the work proceeds; the type is that of one line.
**Reads** marks routes that change nothing.

## Errors

An error is \`{ "error": "…" }\`; the text says what was wrong and what is allowed. Each route below lists its errors. A route with **Lines** that fails
after its first line sends \`{ "kind": "failed", "error": "…" }\` as its last one. These errors are common:

| status | when |
|---|---|
| 401 | the request comes over the port, and its token is missing or wrong |
| 403 | the request comes over the port, and from another site or for another host |
| 404 | there is no such route |
| 500 | the worker failed; its log says why |
`

/** How an editor that has no extension of ours uses the API. The VS Code extension does the same. */
const FOR_EDITORS = `## An editor as a client

The [VS Code extension](vscode.md) uses nothing but this API, so that any editor can do the same. \`S\` is the editor's own id for the session of one folder.

1. **Start.** If the socket does not answer, run \`recollect start\`, never a program from the folder, and not if the person stopped the worker
   (\`~/.recollect/run/stopped\` exists). Open the session, and fetch the brief:

   \`\`\`sh
   worker() { curl -s --unix-socket ~/.recollect/run/worker.sock "$@"; }
   worker -d '{"contentSessionId":"S","host":"My editor","project":"/home/dev/harbour/","pid":4711}' http://worker/api/sessions/init
   worker 'http://worker/api/context/inject?project=/home/dev/harbour/'
   \`\`\`

   A folder ends with a slash. The session is live while the process \`pid\` runs.
2. **Prompts.** What the person asks for in words goes to \`POST /api/sessions/init\` with \`prompt\`.
3. **Observations.** Report saves, commands and errors in the background, and give up after two seconds. \`new_turn\` starts a turn without a prompt; set it on the first
   report after a start or an end. \`unless_agent\` skips the report while an agent works in the folder. With a \`tool_use_id\`, a report that is sent again is stored once.

   Bodies for \`POST /api/sessions/observations\`: a save, a failed command, and an error that appeared.

   \`\`\`json
   {"contentSessionId":"S","host":"My editor","project":"/home/dev/harbour/","new_turn":true,"unless_agent":true,"tool_use_id":"1",
    "tool_name":"FileSave","tool_input":{"path":"/home/dev/harbour/tides.ts","old_string":"return hour","new_string":"return hour * 2"},
    "tool_response":"saved"}
   {"contentSessionId":"S","project":"/home/dev/harbour/","unless_agent":true,"tool_name":"Bash","tool_input":{"command":"npm test"},
    "tool_error":"Exit code 1\\n1 of 12 tests failed"}
   {"contentSessionId":"S","project":"/home/dev/harbour/","unless_agent":true,"tool_name":"Diagnostics","tool_input":{"path":"tides.ts"},
    "tool_error":"Exit code 1\\ntides.ts(3,5): error TS2304: Cannot find name ebb."}
   \`\`\`

   The worker removes private parts and secrets. It sees only what is sent: remove them from the whole text before you compare two versions of a file, because a
   part of a private text does not look private (in JavaScript \`clean\` of the [client library](client.md)).
4. **Idle.** After a few minutes without reports, \`POST /api/sessions/summarize\` with empty messages ends the turn, and memories are made of it.
5. **Beside the code.** \`GET /api/code/memories\` returns the memories about each definition of a file.
6. **The viewer in a frame.** \`POST /api/view/link\` with \`frame\`.
7. **End.** \`POST /api/sessions/complete\`.
`

/** The whole page. */
export function httpReference(): string {
  const sections = Object.entries(RESOURCES).map(([resource, title]) => {
    const source = readSource(`src/wire/contract/${resource}.ts`)
    const routes = source.routes.map((route) => routeSection(route))
    const types = source.types.filter(({ isExported }) => isExported).map(({ text }) => text)
    const typeBlock = types.length === 0 ? [] : [`### Types of ${title.toLowerCase()}\n\n\`\`\`ts\n${types.join('\n')}\n\`\`\``]
    return [`## ${title}`, ...routes, ...typeBlock].join('\n\n')
  })
  return `${[INTRODUCTION.trim(), FOR_EDITORS.trim(), ...sections, sharedTypes()].join('\n\n')}\n`
}

type DocumentedRoute = { name: RouteName; comment: string; response: string; declaredErrors: RouteError[] }

/** A status and when a route answers with it. */
type RouteError = { status: number; when: string }

function routeSection({ name, comment, response, declaredErrors }: DocumentedRoute): string {
  const route: RouteOptions = contract[name]
  const marks = [route.readOnly ? 'Reads' : '', route.lines ? 'Lines' : ''].filter(Boolean)
  const heading = `### ${name.replace('ANY ', '')}\n\n${comment}${marks.length > 0 ? ` **${marks.join(', ')}.**` : ''}`
  const isAlias = comment.startsWith('The same as')
  const fields = route.request && !isAlias ? fieldTable(route.request()) : ''
  const others = isAlias ? [] : Object.entries(route.otherNames ?? {}).map(([other, field]) => `\`${other}\` for \`${field}\``)
  const otherNames = others.length === 0 ? '' : `Other names that are accepted: ${others.join(', ')}.`
  const answer = route.raw || isAlias ? '' : `Response: \`${response}\``
  const errors = isAlias ? '' : errorList(name, [...requestErrors(name), ...declaredErrors])
  return [heading, fields, otherNames, answer, errors, exampleBlock(name)].filter(Boolean).join('\n\n')
}

/** The errors that follow from the request of a route. */
export function requestErrors(name: RouteName): RouteError[] {
  const { request, raw }: RouteOptions = contract[name]
  const params = pathParams(name)
  const hasFields = request && !raw && fieldNames(request()).some((field) => !params.includes(field))
  return [
    ...(hasFields ? [{ status: 400, when: 'a field is missing or wrong' }] : []),
    ...params.map((param) => ({ status: 404, when: `\`:${param}\` contains characters that are not allowed` })),
  ]
}

export const pathParams = (name: RouteName): string[] => [...name.matchAll(/:(\w+)/g)].map(([, param = '']) => param)

/** The statuses of every route. A hook always gets 200, and its route is only on the socket, where everyone is let in. */
function commonStatuses(name: RouteName): number[] {
  return name === 'POST /hook/:agent' ? [] : [401, 403, 500]
}

function errorList(name: RouteName, own: RouteError[]): string {
  const items = own.toSorted((a, b) => a.status - b.status).map(({ status, when }) => `- ${status}: ${when}`)
  const common = commonStatuses(name)
  const all = [...items, ...(common.length > 0 ? [`- ${common.join(', ')}: as [everywhere](#errors)`] : [])]
  return all.length === 0 ? '' : ['Errors:\n', ...all].join('\n')
}

/** The errors that each route declares. */
export const declaredErrors = (): Map<RouteName, RouteError[]> =>
  new Map(
    Object.keys(RESOURCES).flatMap((resource) =>
      readSource(`src/wire/contract/${resource}.ts`).routes.map((route) => [route.name, route.declaredErrors]),
    ),
  )

type JsonSchema = {
  type?: string | string[]
  anyOf?: JsonSchema[]
  enum?: unknown[]
  const?: unknown
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  default?: unknown
  description?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
}

function fieldTable(schema: z.ZodType): string {
  const [input, output] = (['input', 'output'] as const).map((io) => z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema)
  const variants = input?.anyOf ?? [input ?? {}]
  const names = fieldNames(schema)
  const rows = names.map((name) => {
    const field = variants.map((variant) => variant.properties?.[name]).find((found) => found !== undefined) ?? {}
    const isRequired = variants.every((variant) => variant.required?.includes(name))
    const fallback = field.default ?? output?.properties?.[name]?.default
    return `| \`${name}\` | ${escapeCell(typeText(field))} | ${isRequired ? 'required' : defaultText(fallback)} | ${field.description ?? ''} |`
  })
  return names.length === 0 ? '' : ['| field | type | default | |', '|---|---|---|---|', ...rows].join('\n')
}

/** The fields of a request; of all variants, if it has several. */
export function fieldNames(schema: z.ZodType): string[] {
  const { anyOf, ...only } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return [...new Set((anyOf ?? [only]).flatMap(({ properties }) => Object.keys(properties ?? {})))]
}

function typeText(field: JsonSchema): string {
  if (field.const !== undefined) return code(JSON.stringify(field.const))
  if (field.enum) return field.enum.map((value) => code(String(value))).join(', ')
  if (field.anyOf) return [...new Set(field.anyOf.map(typeText))].join(' or ')
  const types = [field.type ?? 'any'].flat()
  // A flag in a query string is text.
  if (types.includes('boolean')) return 'boolean'
  if (types.includes('array')) return `list of ${typeText(field.items ?? {})}${field.maxItems ? `, at most ${field.maxItems}` : ''}`
  return types.map((type) => `${type === 'string' ? 'text' : type}${limitText(type, field)}`).join(' or ')
}

function limitText(type: string, { minimum, maximum, maxLength }: JsonSchema): string {
  if (type === 'string') return maxLength ? `, at most ${maxLength.toLocaleString('en')} characters` : ''
  if (minimum === undefined || maximum === undefined || minimum <= Number.MIN_SAFE_INTEGER) return ''
  return maximum >= Number.MAX_SAFE_INTEGER ? ` from ${minimum}` : ` from ${minimum} to ${maximum.toLocaleString('en')}`
}

const defaultText = (value: unknown) =>
  value === undefined || value === null || value === '' || value === Number.MAX_SAFE_INTEGER || (Array.isArray(value) && value.length === 0)
    ? ''
    : code(JSON.stringify(value).replaceAll('"', ''))
const code = (text: string) => `\`${text}\``
const escapeCell = (text: string) => text.replaceAll('|', '\\|')

function exampleBlock(name: RouteName): string {
  if (name === 'ANY /mcp') return 'Use it through an MCP client; see [MCP](mcp.md).'
  const { method, path, body } = httpRequest(name, EXAMPLES[name])
  const flags = [method === 'GET' ? '' : `-X ${method}`, body && body !== '{}' ? `-d '${body.replaceAll("'", "'\\''")}'` : ''].filter(
    Boolean,
  )
  const quiet = ['curl -s --unix-socket ~/.recollect/run/worker.sock', ...flags, `'http://worker${path}'`].join(' ')
  return `\`\`\`sh\n${quiet}\n\`\`\``
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>
type DeclaredType = { name: string; text: string; isExported: boolean; mentions: string[] }

/** The routes and types that a file declares, with the comments above them. */
function readSource(path: string): { routes: DocumentedRoute[]; types: DeclaredType[] } {
  const text = readFileSync(join(root, path), 'utf8')
  const { program, comments } = parseSync(path, text)
  const commentBefore = (start: number) => comments.findLast(({ end }) => end <= start && text.slice(end, start).trim() === '')
  const routes: DocumentedRoute[] = []
  const aliases = new Map<string, Node>()
  const types: DeclaredType[] = []
  for (const statement of program.body as unknown as Node[]) {
    const declaration = (statement.declaration ?? statement) as Node
    if (declaration.type === 'TSTypeAliasDeclaration') {
      const comment = commentBefore(statement.start)
      aliases.set((declaration.id as { name: string }).name, declaration.typeAnnotation as Node)
      const body = readableType(text.slice(declaration.start, declaration.end), text)
      types.push({
        name: (declaration.id as { name: string }).name,
        text: `${comment ? `${text.slice(comment.start, comment.end)}\n` : ''}${body}`,
        isExported: statement.type === 'ExportNamedDeclaration',
        mentions: body.match(/\b[A-Z]\w+/g) ?? [],
      })
    }
    for (const property of routeProperties(declaration)) {
      const comment = commentBefore(property.start)?.value ?? ''
      const [type, errors] = ((property.value as Node).typeArguments as { params: Node[] } | undefined)?.params ?? []
      routes.push({
        name: (property.key as { value: RouteName }).value,
        comment: comment
          .replace(/(?:^|\n)\s*\*[ \t]*/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
        response: type ? text.slice(type.start, type.end).replace(/\s+/g, ' ') : '',
        declaredErrors: errorsIn(errors, aliases),
      })
    }
  }
  return { routes, types }
}

/** `{ 400: 'no note has this id' | 'it is empty' }`; a name stands for a type of the same file. */
function errorsIn(errors: Node | undefined, aliases: Map<string, Node>): RouteError[] {
  const textsIn = (type: Node | undefined): string[] => {
    if (type?.type === 'TSUnionType') return (type.types as Node[]).flatMap(textsIn)
    if (type?.type === 'TSTypeReference') return textsIn(aliases.get((type.typeName as { name: string }).name))
    return type?.type === 'TSLiteralType' ? [(type.literal as { value: string }).value] : []
  }
  return ((errors?.members ?? []) as Node[]).flatMap(({ key, typeAnnotation }) =>
    textsIn((typeAnnotation as { typeAnnotation: Node }).typeAnnotation).map((when) => ({
      status: (key as { value: number }).value,
      when,
    })),
  )
}

/** Shows a list of words as a union of them, and a branded id as the text it is in JSON. */
function readableType(type: string, source: string): string {
  const branded = /^(type \w+ =) (?:Id<|string & \{)/.exec(type)
  if (branded) return `${branded[1]} string`
  return type.replace(/\(typeof (\w+)\)\[number\]/, (whole, name: string) => {
    const [, words] = new RegExp(`const ${name} = \\[([^\\]]*)\\] as const`).exec(source) ?? []
    return words?.trim().replace(/,\s*$/, '').replace(/,\s*/g, ' | ') ?? whole
  })
}

/** `'GET /path': route({ … }).returns<T>()` in `export const resource = { … }`. */
function routeProperties(declaration: Node): Node[] {
  const [declarator] = (declaration.declarations ?? []) as { init: Node | null }[]
  if (declarator?.init?.type !== 'ObjectExpression') return []
  return (declarator.init.properties as Node[]).filter(({ key }) => / \//.test(String((key as { value?: unknown } | undefined)?.value)))
}

/** Types of `core` that responses mention, and the types those mention. */
function sharedTypes(): string {
  const declared = new Map(
    ['hit', 'memory', 'memory-kinds', 'note', 'sync', 'cost', 'entities', 'ids'].flatMap((file) =>
      readSource(`src/core/${file}.ts`).types.map((type) => [type.name, type] as const),
    ),
  )
  const wanted = new Set<string>()
  const follow = (names: string[]) => {
    for (const name of names) {
      const type = declared.get(name)
      if (!type || wanted.has(name)) continue
      wanted.add(name)
      follow(type.mentions)
    }
  }
  for (const resource of Object.keys(RESOURCES)) {
    const { routes, types } = readSource(`src/wire/contract/${resource}.ts`)
    follow([...types.flatMap(({ mentions }) => mentions), ...routes.flatMap(({ response }) => response.match(/\b[A-Z]\w+/g) ?? [])])
  }
  const texts = [...declared.values()].filter(({ name }) => wanted.has(name)).map(({ text }) => text)
  return `## Shared types\n\n\`\`\`ts\n${texts.join('\n')}\n\`\`\``
}

if (import.meta.main) writeFileSync(HTTP_REFERENCE, httpReference())
