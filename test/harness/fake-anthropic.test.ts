import { afterEach, expect, test } from 'bun:test'
import { type FakeAnthropic, requestText, type Script, startFakeAnthropic, toolResults } from './fake-anthropic.ts'

const started: FakeAnthropic[] = []
afterEach(() => Promise.all(started.splice(0).map((api) => api.close())))

function play(script: Script) {
  const api = startFakeAnthropic(script)
  started.push(api)
  const ask = (body: object) =>
    fetch(`${api.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', tools: [{ name: 'Bash' }], messages: [], ...body }),
    })
  return { api, ask }
}

test('the turns of the script are answered in order, then with a fallback', async () => {
  const { ask } = play(['one', { text: 'two', tools: [{ name: 'Bash', input: { command: 'ls' } }] }])
  expect(await (await ask({})).json()).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'one' }] })
  expect(await (await ask({})).json()).toMatchObject({
    stop_reason: 'tool_use',
    content: [
      { type: 'text', text: 'two' },
      { type: 'tool_use', name: 'Bash', input: { command: 'ls' } },
    ],
  })
  expect(await (await ask({})).text()).toContain('no more turns')
})

test('a streamed answer has the same blocks in deltas', async () => {
  const { ask } = play([{ thinking: 'hm', text: 'two', tools: [{ name: 'Bash', input: { command: 'ls' } }] }])
  const lines = (await (await ask({ stream: true })).text()).split('\n').filter((line) => line.startsWith('data: '))
  const events = lines.map((line) => JSON.parse(line.slice('data: '.length)))
  expect(events.map((event) => event.type)).toEqual([
    'message_start',
    ...['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
    ...['content_block_start', 'content_block_delta', 'content_block_stop'],
    ...['content_block_start', 'content_block_delta', 'content_block_stop'],
    'message_delta',
    'message_stop',
  ])
  expect(events.at(-4).delta.partial_json).toBe('{"command":"ls"}')
})

test('an auxiliary request does not use up a turn of the conversation', async () => {
  const { api, ask } = play(['for the person'])
  expect(await (await ask({ tools: [] })).text()).not.toContain('for the person')
  expect(await (await ask({})).text()).toContain('for the person')
  expect(api.requests.map((request) => request.lane)).toEqual(['aux', 'main'])
})

test('a scripted error has the status and the shape of a real one', async () => {
  const { ask } = play([{ error: { status: 529, type: 'overloaded_error', message: 'busy' } }])
  const answer = await ask({})
  expect(answer.status).toBe(529)
  expect(await answer.json()).toEqual({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } })
})

test('the text and tool results of a request can be read', async () => {
  const { api, ask } = play([])
  const result = { type: 'tool_result', tool_use_id: 't1', is_error: true, content: [{ type: 'text', text: 'no such file' }] }
  await ask({
    system: [{ type: 'text', text: 'be kind' }],
    messages: [{ role: 'user', content: [result, { type: 'text', text: 'why?' }] }],
  })
  expect(requestText(api.requests[0])).toBe('be kind\nno such file\nwhy?')
  expect(toolResults(api.requests[0])).toEqual([{ id: 't1', text: 'no such file', failed: true }])
})

test('reading a missing request is an error, not an empty text', () => {
  expect(() => requestText(undefined)).toThrow('no such request')
})
