import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { aModelServer } from '../../test/support/model-server.ts'
import { clean, hello, never, testTextModelContract } from '../../test/support/text-model.ts'
import { hostMissingKey, openTextModel, type TextModel, type TextModelSettings } from './text.ts'

const server = aModelServer()
afterAll(() => void server.stop())

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

for (const provider of ['anthropic', 'openai'] as const)
  testTextModelContract({
    name: provider,
    model: 'm-1',
    test,
    failing: test.failing,
    key: server.key,
    open: ({ url = server[provider], key, timeoutMs } = {}) => opened({ provider, base_url: url }, key, timeoutMs),
    setReply: server.setReply,
    requests: () =>
      server.asked.map(({ system, messages, maxTokens }) => ({
        text: [system, ...messages.map(({ text }) => text)].join('\n'),
        maxTokens,
      })),
    clearRequests: () => void server.asked.splice(0),
    path: provider === 'anthropic' ? '/v1/messages' : '/v1/chat/completions',
    truncatedAnswer: provider === 'anthropic' ? '{"content":[{"type":' : '{"choices":[{"mess',
    requestSentWithinMs: 500,
    knownFailures: {},
  })

test.each(['anthropic', 'openai'] as const)('%s gets the role of each message', async (provider) => {
  const messages = ['user', 'assistant', 'user'].map((role, index) => ({ role: role as 'user' | 'assistant', text: `${index}` }))
  await opened({ provider, base_url: server[provider] }).ask({ ...hello, system: '', messages }, never)
  expect(server.asked.at(-1)).toMatchObject({ system: '', messages })
})

test.each([
  ['anthropic', [{ thinking: { type: 'disabled' } }, { output_config: { effort: 'low' } }, {}]],
  ['openai', [{ reasoning_effort: 'low' }, {}]],
] as const)('%s is asked to think little with the first option that the model accepts, or with none', async (provider, options) => {
  for (const [accepted, option] of options.entries()) {
    const model = opened({ provider, base_url: server[provider] })
    server.asked.length = 0
    server.setReply(({ thinkingOptions: tried }) =>
      Bun.deepEquals(tried, option)
        ? { text: 'yes' }
        : { status: 400, type: 'invalid_request_error', message: `"${Object.keys(tried)[0]}" is not supported for this model` },
    )
    expect((await model.ask(hello, never)).kind).toBe('answered')
    expect((await model.ask(hello, never)).kind).toBe('answered')
    expect(server.asked.map((asked) => asked.thinkingOptions)).toEqual([...options.slice(0, accepted + 1), option])
  }
  server.setReply({ text: 'yes' })
})

describe.each(['anthropic', 'openai'] as const)('usage that %s does not report', (provider) => {
  const ask = (response: () => Response) => {
    server.setReply({ response })
    return opened({ provider, base_url: server[provider] }).ask(hello, never)
  }
  afterAll(() => server.setReply({ text: 'yes' }))

  test.each([{}, { usage: null }, { usage: { input_tokens: 0, prompt_tokens: 0 } }])('is estimated from the text (%p)', async (usage) => {
    const text = 'y'.repeat(400)
    const answer = { content: [{ type: 'text', text }], choices: [{ message: { content: text } }], ...usage }
    expect(await ask(() => Response.json(answer))).toMatchObject({ kind: 'answered', usage: { input: 4, output: 100, cached: 0 } })
  })

  test('is the maximum after an empty answer, and never negative', async () => {
    const cached = { input_tokens: -900, cache_read_input_tokens: 900, prompt_tokens: 4, prompt_tokens_details: { cached_tokens: 900 } }
    const answer = await ask(() => Response.json({ content: [], choices: [{ message: { content: '' } }], usage: cached }))
    const input = provider === 'anthropic' ? 900 : 4
    expect(answer).toMatchObject({ kind: 'failed', usage: { input, output: hello.maxTokens, cached: input } })
  })

  test('is unknown when the answer is unreadable', async () => {
    for (const response of [
      () => new Response('<html>Welcome</html>'),
      () => Response.json({ done: true }),
      () => Response.json({ error: { message: 'the model stopped in the middle' } }),
      () => new Response('', { status: 504 }),
    ])
      expect(await ask(response)).toMatchObject({ kind: 'failed', usage: 'unknown' })
  })

  test('is none when the request was refused', async () => {
    for (const response of [() => new Response('', { status: 502 }), () => Response.json({ error: { code: 429, message: 'slower' } })])
      expect(await ask(response)).not.toHaveProperty('usage')
  })

  test('is taken from a refusal that reports it', async () => {
    const usage = { input_tokens: 90, output_tokens: 7, prompt_tokens: 90, completion_tokens: 7 }
    const choices = [{ message: { content: null, refusal: 'I would rather not.' } }]
    expect(await ask(() => Response.json({ content: [], stop_reason: 'refusal', choices, usage }))).toMatchObject({
      kind: 'failed',
      usage: { input: 90, output: 7 },
    })
  })
})

test('the system prompt is marked for caching', async () => {
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

test('a key for one endpoint is not sent to another', async () => {
  let sentKey: string | null = 'no request'
  const other = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      sentKey = request.headers.get('authorization')
      return Response.json({})
    },
  })
  const found = openTextModel(
    settings({ provider: 'openai', base_url: `http://127.0.0.1:${other.port}` }),
    { OPENAI_API_KEY: 'sk-o' },
    clean,
  )
  if (found.kind === 'ready') await found.model.ask(hello, never)
  await other.stop(true)
  expect(sentKey).toBeNull()
})

test('by default there is no model, and the reason says so', () => {
  expect(openTextModel(settings({}), {}, clean)).toEqual({ kind: 'absent', reason: expect.stringContaining('no text model') })
})

describe('the endpoint and its key', () => {
  const keys = { OPENAI_API_KEY: 'sk-openai', ANTHROPIC_API_KEY: 'sk-ant', DEEPSEEK_API_KEY: 'sk-deep' }
  const reason = (given: Partial<TextModelSettings>, available: Record<string, string> = {}) => {
    const found = openTextModel(settings({ provider: 'openai', ...given }), available, clean)
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
    [{ base_url: 'nowhere' }, keys, 'must be a URL or one of: openai, openrouter'],
    [{ base_url: 'file:///etc/passwd' }, keys, 'must be a URL'],
    [{ base_url: 'https://me:pw@models.example/v1' }, keys, 'contains a password'],
    [{ base_url: 'openai' }, { OPENAI_API_KEY: 'two words' }, 'must be one word'],
  ] as [Partial<TextModelSettings>, Record<string, string>, string?][])('%p', (given, available, expected = 'ready') => {
    expect(reason(given, available)).toContain(expected)
  })

  test('a key file is used if only its owner can read it', async () => {
    using folder = temporaryFolder()
    const file = join(folder.path, 'key')
    expect(reason({ api_key_file: file })).toContain('is missing or empty')
    writeFileSync(file, `${server.key}\n`, { mode: 0o644 })
    expect(reason({ api_key_file: file })).toContain('chmod 600')
    chmodSync(file, 0o600)
    const found = openTextModel(settings({ provider: 'openai', base_url: server.openai, api_key_file: file }), {}, clean)
    expect(found.kind === 'ready' && (await found.model.ask(hello, never)).kind).toBe('answered')
  })
})

test('the keychain is used only for keys that the environment and the settings do not provide', () => {
  const missing = (given: Partial<TextModelSettings>, keys: Record<string, string> = {}) =>
    hostMissingKey(settings({ provider: 'openai', ...given }), keys)
  expect(missing({ base_url: 'deepseek' })).toBe('api.deepseek.com')
  expect(missing({ base_url: 'https://models.example/v1' })).toBe('models.example')
  expect(missing({ provider: 'anthropic' })).toBe('api.anthropic.com')
  for (const given of [{ base_url: 'ollama' }, { api_key_file: '/key' }, { provider: 'claude' as const }, { provider: 'plain' as const }])
    expect(missing(given)).toBeNull()
  expect(missing({ base_url: 'openai' }, { OPENAI_API_KEY: 'sk' })).toBeNull()
  expect(missing({ base_url: 'openai' }, { RECOLLECT_MODEL_API_KEY: 'sk' })).toBeNull()
})

test('claude without a client is absent, with the reason', () => {
  expect(openTextModel(settings({ provider: 'claude' }), {}, clean, 1, 'no client')).toEqual({ kind: 'absent', reason: 'no client' })
})
