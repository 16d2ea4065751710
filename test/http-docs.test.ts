import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HTTP_REFERENCE, httpReference } from '../scripts/http-docs.ts'
import { EXAMPLES, NOTE_ID, REFUSED } from '../scripts/http-examples.ts'
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
}, 120_000)

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
