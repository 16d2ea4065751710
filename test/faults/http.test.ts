import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { contract } from '../../src/wire/contract/contract.ts'
import type { RouteOptions } from '../../src/wire/contract/route.ts'
import { aHome } from './home.ts'

const at = aHome()
let address = ''
let token = ''

beforeAll(async () => {
  await at.run('', 'start')
  address = `http://127.0.0.1:${(JSON.parse(readFileSync(at.home.workerFile, 'utf8')) as { port: number }).port}`
  token = readFileSync(at.home.token, 'utf8').trim()
})
afterAll(() => at[Symbol.asyncDispose]())

const ask = (
  method: string,
  path: string,
  body?: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { authorization: `Bearer ${token}` },
) => fetch(`${address}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
const post = async (path: string, body: object) => (await ask('POST', path, JSON.stringify(body))).json()
const prompts = async (session: string) =>
  (await at.rows<{ sessionId: string; text: string; answer: string | null }>('prompts'))
    .filter(({ sessionId }) => sessionId === session)
    .map(({ text, answer }) => [text, answer])

describe('a prompt', () => {
  test.each(['/api/sessions/init', '/sessions/init'])('sent as userPrompt to %s is stored', async (path) => {
    const session = `user-prompt ${path.length}`
    expect(await post(path, { sessionId: session, project: 'shop', userPrompt: 'Add a cart' })).toMatchObject({
      promptNumber: 1,
      skipped: false,
    })
    expect(await prompts(session)).toEqual([['Add a cart', null]])
  })

  test('that is announced with its turn is stored once', async () => {
    const { sessionDbId } = (await post('/api/sessions/init', { contentSessionId: 'turns', prompt: 'one' })) as { sessionDbId: number }
    await post(`/sessions/${sessionDbId}/init`, { project: 'shop', userPrompt: 'one', promptNumber: 1 })
    await post(`/sessions/${sessionDbId}/init`, { project: 'shop', userPrompt: 'two', promptNumber: 2 })
    await post(`/api/sessions/${sessionDbId}/init`, { userPrompt: 'two' })
    expect((await prompts('turns')).map(([text]) => text)).toEqual(['one', 'two'])
  })

  test('that is empty or private is answered as what it is', async () => {
    const init = (prompt: string) => post('/api/sessions/init', { contentSessionId: 'none', prompt })
    expect(await init(' ')).toMatchObject({ skipped: true, reason: 'empty' })
    expect(await init('<private>x</private>')).toMatchObject({ skipped: true, reason: 'private' })
    expect(await prompts('none')).toEqual([])
  })
})

test('equal observations are separate in different turns and at different places, and one when they are sent again', async () => {
  const session = { contentSessionId: 'uses' }
  const use = (command: string) =>
    post('/api/sessions/observations', { ...session, tool_name: 'Bash', tool_input: { command }, tool_response: 'ok' })
  await post('/api/sessions/init', { ...session, prompt: 'one' })
  for (const command of ['ls', 'ls', 'pwd', 'ls']) expect(await use(command)).toEqual({ status: 'queued' })
  await post('/api/sessions/init', { ...session, prompt: 'two' })
  for (const command of ['ls', 'ls']) await use(command)
  const uses = await at.rows<{ sessionId: string; promptNumber: number; input: { command: string } }>('tool-uses')
  expect(uses.filter(({ sessionId }) => sessionId === 'uses').map(({ promptNumber, input }) => `${promptNumber} ${input.command}`)).toEqual(
    ['1 ls', '1 pwd', '1 ls', '2 ls'],
  )
})

describe('summarize', () => {
  const summarize = (session: string, asked: string | undefined, answer: string) =>
    post('/api/sessions/summarize', { claudeSessionId: session, last_user_message: asked, last_assistant_message: answer })

  test('keeps the answer of a session without prompts, with the last message as its prompt', async () => {
    await post('/api/sessions/observations', {
      contentSessionId: 'only-uses',
      tool_name: 'FileSave',
      tool_input: {},
      tool_response: 'saved',
    })
    expect(await summarize('only-uses', 'Save it', 'Saved.')).toEqual({ status: 'queued' })
    expect(await prompts('only-uses')).toEqual([['Save it', 'Saved.']])
    expect(await summarize('unknown', undefined, 'I have finished.')).toEqual({ status: 'queued' })
    expect(await prompts('unknown')).toEqual([['(no words)', 'I have finished.']])
  })

  test('keeps every turn of a caller that reports nothing else, and one that is sent again once', async () => {
    for (const [asked, answer] of [
      ['one', 'First.'],
      ['one', 'First.'],
      ['two', 'Second.'],
      [undefined, 'Second, corrected.'],
    ] as const)
      await summarize('whole-turns', asked, answer)
    expect(await prompts('whole-turns')).toEqual([
      ['one', 'First.'],
      ['two', 'Second, corrected.'],
    ])
  })

  test('keeps nothing of a private turn, and says so', async () => {
    expect(await summarize('private-1', '<private>x</private>', 'swordfish')).toEqual({ status: 'skipped', reason: 'private' })
    await post('/api/sessions/init', { contentSessionId: 'private-2', prompt: '<private>x</private>' })
    expect(await summarize('private-2', 'hello', 'swordfish')).toEqual({ status: 'skipped', reason: 'private' })
    expect([...(await prompts('private-1')), ...(await prompts('private-2'))]).toEqual([])
    expect(await summarize('nobody', '', '')).toEqual({ status: 'skipped', reason: 'no such session' })
  })
})

test('every route refuses an unknown parameter by its name, and changes nothing', async () => {
  const routes = Object.entries<RouteOptions>(contract).filter(([, { raw }]) => !raw)
  for (const [name] of routes) {
    const [method = '', path = ''] = name.split(' ')
    const target = path.replace(':agent', 'claude-code').replace(/:id/, path.includes('/notes/') ? '01ARZ3NDEKTSV4RRFFQ69G5FAV' : '1')
    const isInQuery = method === 'GET' || method === 'DELETE'
    const answer = await ask(method, isInQuery ? `${target}?swordfsh=1` : target, isInQuery ? undefined : JSON.stringify({ swordfsh: 1 }))
    expect([name, answer.status, await answer.json()]).toEqual([
      name,
      400,
      { error: expect.stringContaining('unknown parameter “swordfsh”') },
    ])
    if (!isInQuery) {
      const misplaced = await ask(method, `${target}?swordfsh=1`, '{}')
      expect([name, misplaced.status, await misplaced.text()]).toEqual([name, 400, expect.stringContaining('swordfsh')])
    }
  }
  const search = await ask('GET', '/api/search?q=tide')
  expect(await search.json()).toEqual({
    error: expect.stringMatching(/unknown parameter “q”; GET \/api\/search takes query, project, kind/),
  })
  const deleted = await ask('DELETE', '/api/sessions/1', JSON.stringify({ hard: true }))
  expect([deleted.status, await deleted.text()]).toEqual([400, expect.stringContaining('query string')])
  expect((await at.run('', 'status')).code).toBe(0)
})

test('an unknown token gives 401 on every route, known or not, and so does an unknown cookie', async () => {
  const paths = Object.keys(contract).map((name) => name.split(' ')[1]?.replace(/:\w+/, '1') ?? '')
  const port = new URL(address).port
  const strangers: Record<string, string>[] = [
    { authorization: 'Bearer wrong' },
    { authorization: `Bearer ${token}x` },
    { authorization: `Bearer ${token.slice(1)}` },
    { authorization: 'Bearer' },
    { authorization: token },
    { authorization: `Basic ${btoa(`x:${token}`)}` },
    { cookie: `recollect-${port}=${token}`, 'sec-fetch-site': 'same-origin' },
  ]
  for (const path of [...new Set(paths), '/no/such/route', '/', '/feed'])
    for (const headers of strangers) {
      if (path === '/health' && !('authorization' in headers)) continue
      const answer = await ask('GET', path, undefined, headers)
      expect([path, headers, answer.status]).toEqual([path, headers, 401])
      await answer.body?.cancel()
    }
  for (const [name] of Object.entries(contract).filter(([name]) => !name.startsWith('GET'))) {
    const [method = '', path = ''] = name.replace('ANY', 'POST').split(' ')
    const answer = await ask(method, path.replace(/:\w+/, '1'), '{}', { authorization: 'Bearer wrong' })
    expect([name, answer.status, Object.keys((await answer.json()) as object)]).toEqual([name, 401, ['error']])
  }
})
