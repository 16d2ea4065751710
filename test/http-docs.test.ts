import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { declaredErrors, fieldNames, HTTP_REFERENCE, httpReference, pathParams, requestErrors } from '../scripts/http-docs.ts'
import { EXAMPLES, NOTE_ID, REFUSED, REFUSED_REQUESTS } from '../scripts/http-examples.ts'
import { homePaths } from '../src/platform/paths.ts'
import { httpRequest } from '../src/wire/call.ts'
import { contract, type RouteName } from '../src/wire/contract/contract.ts'
import type { RouteOptions } from '../src/wire/contract/route.ts'
import { socketTransport } from '../src/wire/socket.ts'
import { environment, temporaryFolder } from './support/builders.ts'

const root = join(import.meta.dir, '..')
const folder = temporaryFolder()
const home = homePaths(environment(folder.path))
const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0', RECOLLECT_EMBEDDER_PROVIDER: 'none' }
const recollect = (...args: string[]) =>
  Bun.spawn([join(root, 'bin', 'recollect'), ...args], { env, cwd: folder.path, stdout: 'ignore', stderr: 'ignore' }).exited

beforeAll(async () => {
  mkdirSync(join(folder.path, '.claude'))
  await recollect('demo')
})
afterAll(async () => {
  await recollect('stop')
  folder[Symbol.dispose]()
})

test('docs/guide/http.md is up to date; `npm run docs` writes it', () => {
  expect(readFileSync(HTTP_REFERENCE, 'utf8') === httpReference()).toBe(true)
})

test('a declared error of every route occurs, with its status and a reason', async () => {
  const declared = declaredErrors()
  const checked = Object.keys(REFUSED_REQUESTS) as (keyof typeof REFUSED_REQUESTS)[]
  expect(checked.toSorted()).toEqual(routeNames.filter((name) => declared.get(name)?.length).toSorted() as typeof checked)
  for (const name of checked) {
    const request = REFUSED_REQUESTS[name]
    // The schema lets it through, so that the handler refuses it.
    expect([name, contract[name].request().safeParse(request).success]).toEqual([name, true])
    const { status, text } = await send(name, request)
    expect([name, status, JSON.parse(text)]).toEqual([
      name,
      declared.get(name)?.[0]?.status ?? 0,
      { error: expect.stringMatching(/.{10}/) },
    ])
  }
}, 300_000)

test('the errors that follow from the request of a route occur', async () => {
  for (const name of routeNames) {
    const { request }: RouteOptions = contract[name]
    for (const { status } of requestErrors(name)) {
      const wrong = status === 404 ? withWrongParams(name) : withWrongField(name, request?.())
      if (wrong) expect([name, (await send(name, wrong)).status]).toEqual([name, status])
    }
  }
}, 300_000)

test('every route refuses a request without the token on the port, and one of another site', async () => {
  const { port } = JSON.parse(readFileSync(home.workerFile, 'utf8'))
  for (const name of routeNames) {
    const { method, path, body } = httpRequest(name, EXAMPLES[name])
    const ask = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}${path}`, { method: method === 'ANY' ? 'POST' : method, headers, ...(body === null ? {} : { body }) })
    const answers = [
      await ask({ authorization: 'Bearer wrong' }),
      await ask({ authorization: 'Bearer wrong', origin: 'https://example.org' }),
    ]
    expect([name, ...answers.map(({ status }) => status)]).toEqual([name, 401, 403])
  }
}, 300_000)

const routeNames = Object.keys(contract) as RouteName[]

const withWrongParams = (name: RouteName) => ({ ...EXAMPLES[name], ...Object.fromEntries(pathParams(name).map((param) => [param, '$'])) })

/** The example with one field that the schema refuses; null if it has none that can be wrong in this way. */
function withWrongField(name: RouteName, schema: z.ZodType | undefined): object | null {
  const fields = schema ? fieldNames(schema).filter((field) => !pathParams(name).includes(field)) : []
  const requests = fields.map((field) => ({ ...EXAMPLES[name], [field]: '$'.repeat(5000) }))
  return requests.find((request) => schema?.safeParse(request).success === false) ?? null
}

test('every example of the HTTP reference works, and its response has the declared type', async () => {
  const remote = join(folder.path, 'notes.git')
  Bun.spawnSync(['git', 'init', '--quiet', '--bare', remote])
  const checks: string[] = []
  let noteId = NOTE_ID
  for (const name of Object.keys(EXAMPLES) as RouteName[]) {
    // The tests of MCP call this route; its requests are not in the contract.
    if (name === 'ANY /mcp') continue
    const request: object = EXAMPLES[name]
    const here = { ...('id' in request && request.id === NOTE_ID ? { id: noteId } : {}), ...('remote' in request ? { remote } : {}) }
    const { status, text } = await send(name, { ...request, ...here })
    const refusal = REFUSED[name]
    if (refusal) expect([name, status, text]).toEqual([name, 400, expect.stringContaining(refusal)])
    else expect([name, status, status === 200 ? '' : text]).toEqual([name, 200, ''])
    if (refusal || name === 'GET /stream') continue
    if (name === 'POST /api/notes') noteId = JSON.parse(text).note.id
    const { lines }: RouteOptions = contract[name]
    for (const value of lines ? text.split('\n').filter(Boolean) : [text]) checks.push(`check<'${name}'>(${value})`)
  }
  expect(typeErrors(checks)).toBe('')
}, 300_000)

/** The response with its text. The stream of changes never ends, so its text is left unread. */
async function send(name: RouteName, request: object): Promise<{ status: number; text: string }> {
  const stopped = new AbortController()
  const reply = await socketTransport(home)({ ...httpRequest(name, request), signal: stopped.signal })
  if (name !== 'GET /stream') return { status: reply.status, text: await reply.text() }
  stopped.abort()
  return { status: reply.status, text: '' }
}

/** Lets the compiler compare the responses with the contract. Text compares as text: JSON has no branded ids and no closed lists of words. */
function typeErrors(checks: string[]): string {
  const file = join(folder.path, 'responses.ts')
  const preamble = `import type { ResponseOf, RouteName } from '${join(root, 'src/wire/contract/contract.ts')}'
type Json<T> = T extends string ? string : T extends (infer Item)[] ? Json<Item>[] : T extends object ? { [Key in keyof T]: Json<T[Key]> } : T
function check<Name extends RouteName>(value: Json<ResponseOf<Name>>): void {}`
  writeFileSync(file, `${preamble}\n${checks.join('\n')}\n`)
  const flags = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--target', 'esnext', '--module', 'preserve', '--types', 'bun']
  const { stdout } = Bun.spawnSync([join(root, 'node_modules/.bin/tsc'), ...flags, '--allowImportingTsExtensions', file], { cwd: root })
  return String(stdout)
}
