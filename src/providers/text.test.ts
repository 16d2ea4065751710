import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { aModelServer } from '../../test/support/model-server.ts'
import { withoutPrivate } from '../core/privacy.ts'
import { redact } from '../core/secrets.ts'
import { type ModelAnswer, missingKeyOf, openTextModel, type TextModel, type TextModelSettings } from './text.ts'

const never = new AbortController().signal
const clean = (text: string) => redact(withoutPrivate(text).text)
const server = aModelServer()
afterAll(() => void server.stop())
beforeEach(() => {
  server.asked.length = 0
  server.says({ text: 'yes' })
})

const settings = (given: Partial<TextModelSettings>): TextModelSettings => ({
  provider: 'plain',
  name: 'm-1',
  base_url: '',
  api_key_file: '',
  ...given,
})

function opened(given: Partial<TextModelSettings>, key = server.key, timeoutMs = 5000): TextModel {
  const found = openTextModel(settings(given), key ? { RECOLLECT_MODEL_API_KEY: key } : {}, clean, timeoutMs)
  if (found.kind === 'absent') throw new Error(found.reason)
  return found.model
}

const hello = { system: 'Be short.', messages: [{ role: 'user' as const, text: 'Well?' }], maxTokens: 50 }

/** Every tenant keeps these promises. */
describe.each([['anthropic'], ['openai']] as const)('the %s text model', (provider) => {
  const given = { provider, base_url: server[provider] }
  const ask = (model = opened(given)): Promise<ModelAnswer> => model.ask(hello, never)
  const trouble = async (model?: TextModel) => {
    const answer = await ask(model)
    if (answer.kind === 'answered') throw new Error('there was no trouble')
    expect(answer.message).not.toContain(server.key)
    return answer
  }

  test('answers a question, and says what it cost', async () => {
    server.says({ text: 'Yes, well.', usage: { input: 900, output: 7, cached: 400 } })
    expect(await ask()).toEqual({ kind: 'answered', text: 'Yes, well.', usage: { input: 900, output: 7, cached: 400 }, stop: 'end' })
    expect(server.asked[0]).toMatchObject({ system: 'Be short.', messages: [{ role: 'user', text: 'Well?' }], maxTokens: 50 })
  })

  test('tells a conversation in its order', async () => {
    const messages = ['user', 'assistant', 'user'].map((role, index) => ({ role: role as 'user' | 'assistant', text: `${index}` }))
    await opened(given).ask({ ...hello, system: '', messages }, never)
    expect(server.asked[0]).toMatchObject({ system: '', messages })
  })

  test('says when the answer was cut', async () => {
    server.says({ text: 'Yes, we', stop: 'length' })
    expect(await ask()).toMatchObject({ kind: 'answered', text: 'Yes, we', stop: 'length' })
  })

  test('sends neither secrets nor private parts', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const messages = [{ role: 'user' as const, text: `token ${secret} <private>my diary</private> end` }]
    await opened(given).ask({ ...hello, system: `with ${secret}`, messages }, never)
    const sent = JSON.stringify(server.asked)
    expect([sent.includes(secret), sent.includes('diary'), sent.includes('end')]).toEqual([false, false, true])
  })

  test.each([
    [401, 'authentication_error', 'auth'],
    [403, 'permission_error', 'auth'],
    [402, 'billing_error', 'quota'],
    [429, 'insufficient_quota', 'quota'],
    [429, 'rate_limit_error', 'rate'],
    [529, 'overloaded_error', 'rate'],
    [500, 'api_error', 'network'],
    [503, 'server_error', 'network'],
    [404, 'not_found_error', 'bad-answer'],
    [400, 'invalid_request_error', 'bad-answer'],
  ] as const)('status %d with %s is %s, with the reason the endpoint gives', async (status, type, reason) => {
    server.says({ status, type, message: 'no such luck' })
    expect(await trouble()).toMatchObject({ reason, message: expect.stringMatching(new RegExp(`${status}.*no such luck`)) })
  })

  test('an empty account is a matter of quota, however it is said', async () => {
    server.says({ status: 400, type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' })
    expect((await trouble()).reason).toBe('quota')
  })

  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': new Date(Date.now() + 90_000).toUTCString() }, 90_000],
    [{ 'retry-after-ms': '250' }, 250],
    [{ 'retry-after': '999999' }, 3_600_000],
    [{ 'retry-after': 'soon' }, null],
    [{}, null],
  ])('with %p it is known when to ask again', async (headers, ms) => {
    server.says({ status: 429, type: 'rate_limit_error', message: 'slower', headers: headers as Record<string, string> })
    const { retryAfterMs } = await trouble()
    if (ms === null) expect(retryAfterMs).toBeNull()
    else expect(Math.abs((retryAfterMs ?? 0) - ms)).toBeLessThan(3000)
  })

  test('a wrong key is a matter of auth, and is in no message even when the endpoint repeats it', async () => {
    const wrong = 'sk-wrong-key-of-a-person'
    const answer = await trouble(opened(given, wrong))
    expect([answer.reason, answer.message.includes(wrong)]).toEqual(['auth', false])
  })

  test.each([
    ['a page', () => new Response('<html>Welcome</html>', { headers: { 'content-type': 'text/html' } })],
    ['nothing', () => new Response('')],
    ['a bare word', () => Response.json('yes')],
    ['null', () => Response.json(null)],
    ['half a message', () => Response.json({ content: [], choices: [] })],
    ['a message without words', () => Response.json({ content: [{ type: 'image' }], choices: [{ message: { content: null } }] })],
    ['ten megabytes', () => new Response('x'.repeat(10 * 1024 * 1024))],
  ] as const)('%s instead of an answer is bad', async (_, response) => {
    server.says({ response })
    expect((await trouble()).reason).toBe('bad-answer')
  })

  test('an error inside a 200 is an error', async () => {
    server.says({ response: () => Response.json({ error: { code: 429, message: 'slower' } }) })
    expect((await trouble()).reason).toBe('rate')
  })

  test('a redirect is not followed', async () => {
    let followed = 0
    using elsewhere = aModelServer(() => {
      followed++
      return { text: 'gotcha' }
    })
    const path = provider === 'anthropic' ? '/v1/messages' : '/v1/chat/completions'
    for (const status of [301, 302, 303, 307, 308]) {
      server.says({ response: () => Response.redirect(`${elsewhere.anthropic}${path}`, status) })
      expect((await trouble()).reason).toBe('network')
    }
    expect(followed).toBe(0)
  })

  test('an endpoint that takes too long, or is not there, is a matter of the network', async () => {
    server.says({ response: () => Bun.sleep(400).then(() => new Response('{}')) })
    expect(await trouble(opened(given, server.key, 50))).toMatchObject({ reason: 'network', message: expect.stringContaining('too long') })
    expect((await trouble(opened({ ...given, base_url: 'http://127.0.0.1:1' }))).reason).toBe('network')
  })

  test.each([
    [
      'in the middle of what it announced',
      'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"content":[{"type":',
    ],
    ['in the middle of a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{"choices":[{"mess'],
    ['before it said anything', ''],
  ])('an endpoint that hangs up %s is a matter of the network', async (_, bytes) => {
    const hung = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(bytes))
    })
    await new Promise<void>((resolve) => hung.listen(0, '127.0.0.1', resolve))
    const { port } = hung.address() as { port: number }
    try {
      expect((await trouble(opened({ ...given, base_url: `http://127.0.0.1:${port}` }, server.key, 2000))).reason).toBe('network')
    } finally {
      hung.close()
    }
  })

  test('stops when it is told to', async () => {
    await expect(opened(given).ask(hello, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
    const stopping = new AbortController()
    server.says({ response: () => Bun.sleep(2000).then(() => new Response('{}')) })
    setTimeout(() => stopping.abort(new Error('enough now')), 30)
    await expect(opened(given).ask(hello, stopping.signal)).rejects.toThrow('enough now')
  })

  test('has the name of the model, for the notes it writes', () => {
    expect(opened(given).name).toBe('m-1')
  })
})

test('what stays the same between questions is marked for the cache', async () => {
  let body: unknown
  const seen = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      body = await request.json()
      return Response.json({ content: [{ type: 'text', text: 'y' }], stop_reason: 'end_turn' })
    },
  })
  await opened({ provider: 'anthropic', base_url: `http://127.0.0.1:${seen.port}` }).ask(hello, never)
  await seen.stop(true)
  expect(body).toMatchObject({ system: [{ type: 'text', text: 'Be short.', cache_control: { type: 'ephemeral' } }] })
})

test('a key that is kept for one endpoint is not shown to another', async () => {
  let shown: string | null = 'nobody asked'
  const stranger = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      shown = request.headers.get('authorization')
      return Response.json({})
    },
  })
  const found = openTextModel(
    settings({ provider: 'openai', base_url: `http://127.0.0.1:${stranger.port}` }),
    { OPENAI_API_KEY: 'sk-o' },
    clean,
  )
  if (found.kind === 'ready') await found.model.ask(hello, never)
  await stranger.stop(true)
  expect(shown).toBeNull()
})

test('no model is the default, and says so', () => {
  expect(openTextModel(settings({}), {}, clean)).toEqual({ kind: 'absent', reason: expect.stringContaining('no text model') })
})

describe('where it leads and with which key', () => {
  const keys = { OPENAI_API_KEY: 'sk-openai', ANTHROPIC_API_KEY: 'sk-ant', DEEPSEEK_API_KEY: 'sk-deep' }
  const reason = (given: Partial<TextModelSettings>, held: Record<string, string> = {}) => {
    const found = openTextModel(settings({ provider: 'openai', ...given }), held, clean)
    return found.kind === 'absent' ? found.reason : 'ready'
  }

  test.each([
    [{ base_url: '' }, keys],
    [{ base_url: 'openai' }, keys],
    [{ base_url: 'deepseek' }, keys],
    [{ base_url: 'https://api.deepseek.com/v1/' }, keys],
    [{ base_url: 'openai' }, { 'keychain api.openai.com': 'sk-kept' }],
    [{ base_url: 'deepseek' }, { 'keychain api.openai.com': 'sk-kept' }, 'DEEPSEEK_API_KEY'],
    [{ base_url: 'ollama' }, {}],
    [{ base_url: 'http://localhost:8080/v1' }, {}],
    [{ provider: 'anthropic' as const }, keys],
    [{ base_url: 'gemini' }, { RECOLLECT_MODEL_API_KEY: 'k' }],
    [{ base_url: 'http://10.0.0.5:11434/v1', name: '' }, { RECOLLECT_MODEL_API_KEY: 'k' }, 'model.name'],
    [{ base_url: 'openrouter' }, keys, 'OPENROUTER_API_KEY'],
    [{ base_url: 'http://10.0.0.5:11434/v1' }, keys],
    [{ base_url: 'http://models.example/v1' }, { RECOLLECT_MODEL_API_KEY: 'k' }, 'without encryption'],
    [{ base_url: 'nowhere' }, keys, 'neither an address nor one of openai, openrouter'],
    [{ base_url: 'file:///etc/passwd' }, keys, 'neither an address'],
    [{ base_url: 'https://me:pw@models.example/v1' }, keys, 'holds a password'],
    [{ base_url: 'openai' }, { OPENAI_API_KEY: 'two words' }, 'not one word'],
  ] as [Partial<TextModelSettings>, Record<string, string>, string?][])('%p', (given, held, says = 'ready') => {
    expect(reason(given, held)).toContain(says)
  })

  test('a key may stand in a file that only its owner can read', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'key')
    expect(reason({ api_key_file: file })).toContain('there is no key in')
    writeFileSync(file, `${server.key}\n`, { mode: 0o644 })
    expect(reason({ api_key_file: file })).toContain('chmod 600')
    chmodSync(file, 0o600)
    const found = openTextModel(settings({ provider: 'openai', base_url: server.openai, api_key_file: file }), {}, clean)
    expect(found.kind === 'ready' && (await found.model.ask(hello, never)).kind).toBe('answered')
  })
})

test('the keychain is asked only for what the environment and the settings do not give', () => {
  const missing = (given: Partial<TextModelSettings>, keys: Record<string, string> = {}) =>
    missingKeyOf(settings({ provider: 'openai', ...given }), keys)
  expect(missing({ base_url: 'deepseek' })).toBe('api.deepseek.com')
  expect(missing({ base_url: 'https://models.example/v1' })).toBe('models.example')
  expect(missing({ provider: 'anthropic' })).toBe('api.anthropic.com')
  for (const given of [{ base_url: 'ollama' }, { api_key_file: '/key' }, { provider: 'claude' as const }, { provider: 'plain' as const }])
    expect(missing(given)).toBeNull()
  expect(missing({ base_url: 'openai' }, { OPENAI_API_KEY: 'sk' })).toBeNull()
  expect(missing({ base_url: 'openai' }, { RECOLLECT_MODEL_API_KEY: 'sk' })).toBeNull()
})

test('claude says why it cannot be asked', () => {
  expect(openTextModel(settings({ provider: 'claude' }), {}, clean, 1, 'no client')).toEqual({ kind: 'absent', reason: 'no client' })
})
