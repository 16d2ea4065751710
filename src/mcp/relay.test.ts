import { expect, test } from 'bun:test'
import { openRelay } from './relay.ts'

const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message })
const initialize = line({ id: 0, method: 'initialize', params: {} })
const initialized = line({ method: 'notifications/initialized' })
const call = (id: number | string) => line({ id, method: 'tools/call', params: { name: 'memory_recall' } })
const answer = (id: number | string) => line({ id, result: {} })

test('a new worker gets the handshake and the waiting requests, and the client gets each reply once', () => {
  const relay = openRelay()
  for (const sent of [initialize, initialized, call(1), call('two')]) expect(relay.receiveFromClient(sent)).toEqual({ kind: 'pass' })
  expect(relay.receiveFromWorker(answer(0))).toBe(true)
  expect(relay.receiveFromWorker(answer(1))).toBe(true)
  expect(relay.linesForNewWorker()).toEqual([initialize, initialized, call('two')])
  expect(relay.receiveFromWorker(answer(0))).toBe(false)
  expect(relay.receiveFromWorker(answer('two'))).toBe(true)
  expect(relay.isWaiting()).toBe(false)
})

test('a handshake without a reply is repeated and its reply reaches the client', () => {
  const relay = openRelay()
  relay.receiveFromClient(initialize)
  expect(relay.linesForNewWorker()).toEqual([initialize])
  expect(relay.receiveFromWorker(answer(0))).toBe(true)
})

test('a new worker gets the subscriptions that are still active', () => {
  const relay = openRelay()
  const subscribe = (id: number, uri: string) => line({ id, method: 'resources/subscribe', params: { uri } })
  for (const [id, uri] of [
    [1, 'recollect://brief'],
    [2, 'recollect://session/3'],
  ] as const) {
    relay.receiveFromClient(subscribe(id, uri))
    relay.receiveFromWorker(answer(id))
  }
  relay.receiveFromClient(line({ id: 3, method: 'resources/unsubscribe', params: { uri: 'recollect://brief' } }))
  relay.receiveFromWorker(answer(3))
  expect(relay.linesForNewWorker()).toEqual([subscribe(2, 'recollect://session/3')])
  expect(relay.receiveFromWorker(answer(2))).toBe(false)
  expect(relay.receiveFromWorker(line({ method: 'notifications/resources/updated', params: {} }))).toBe(true)
})

test('a cancelled request is not repeated', () => {
  const relay = openRelay()
  relay.receiveFromClient(call(5))
  relay.receiveFromClient(line({ method: 'notifications/cancelled', params: { requestId: 5 } }))
  expect(relay.linesForNewWorker()).toEqual([])
})

test.each(['nonsense', '[]', '"text"', 'null'])('%s gets an error reply and is not sent to a worker', (text) => {
  const received = openRelay().receiveFromClient(text)
  expect(received.kind).toBe('reply')
  if (received.kind === 'reply') expect(JSON.parse(received.line)).toMatchObject({ id: null, error: { code: -32700 } })
})

test('when no worker can be started, every waiting request gets an error', () => {
  const relay = openRelay()
  relay.receiveFromClient(call(1))
  relay.receiveFromClient(call('b'))
  expect(relay.failWaiting('no worker').map((text) => JSON.parse(text))).toEqual([
    { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'no worker' } },
    { jsonrpc: '2.0', id: 'b', error: { code: -32603, message: 'no worker' } },
  ])
  expect(relay.isWaiting()).toBe(false)
})
