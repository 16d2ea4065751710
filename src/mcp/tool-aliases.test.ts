import { expect, test } from 'bun:test'
import { requestWithOwnNames, withOwnNames } from './tool-aliases.ts'

const call = (name: unknown, given?: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, ...(given === undefined ? {} : { arguments: given }), _meta: { progressToken: 7 } },
})

test('a tool may be called with a dot in its name, and the rest of the message stays the same', () => {
  expect(withOwnNames(call('memory.recall', { query: 'x' }))).toEqual(call('memory_recall', { query: 'x' }))
  expect(withOwnNames([call('memory.status')])).toEqual([call('memory_status')])
})

test('content stands for text where a text is saved, unless both are given', () => {
  expect(withOwnNames(call('memory.capture', { content: 'a' }))).toEqual(call('memory_capture', { text: 'a' }))
  expect(withOwnNames(call('memory_update', { id: 'n', content: 'a' }))).toEqual(call('memory_update', { id: 'n', text: 'a' }))
  expect(withOwnNames(call('memory_capture', { content: 'a', text: 'b' }))).toEqual(call('memory_capture', { content: 'a', text: 'b' }))
  expect(withOwnNames(call('memory_recall', { content: 'a' }))).toEqual(call('memory_recall', { content: 'a' }))
})

test.each([
  [call('memory.__proto__')],
  [call('__proto__', { content: 'a' })],
  [call(7)],
  [call('memory_capture', 'text')],
  [{ method: 'tools/list' }],
  [null],
  ['tools/call'],
])('another message is not changed: %j', (message) => {
  expect(withOwnNames(message)).toEqual(message)
})

test('a request over HTTP names the tool in its header too', async () => {
  const send = (body: string) =>
    requestWithOwnNames(new Request('http://worker/mcp?project=app', { method: 'POST', body, headers: { 'mcp-name': 'memory.capture' } }))
  const request = await send(JSON.stringify(call('memory.capture', { content: 'a' })))
  expect([request.url, request.headers.get('mcp-name')]).toEqual(['http://worker/mcp?project=app', 'memory_capture'])
  expect(await request.json()).toEqual(call('memory_capture', { text: 'a' }))
  expect(await (await send('not json')).text()).toBe('not json')
})
