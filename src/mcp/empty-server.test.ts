import { expect, test } from 'bun:test'
import { replyToMessage } from './empty-server.ts'

const asked = (message: object) => JSON.parse(replyToMessage(JSON.stringify({ jsonrpc: '2.0', ...message })) ?? 'null')

test('a silent server opens in the protocol it is asked for, and offers nothing', () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a test', version: '1' } }
  const { id, result } = asked({ id: 1, method: 'initialize', params })
  expect([id, result.protocolVersion, result.capabilities]).toEqual([1, '2025-06-18', {}])
  expect(result).not.toHaveProperty('instructions')
})

test('whoever waits for an answer gets one, and nobody else', () => {
  expect(asked({ id: 'a', method: 'ping' })).toEqual({ jsonrpc: '2.0', id: 'a', result: {} })
  expect(asked({ id: 2, method: 'server/discover' }).error.code).toBe(-32601)
  expect(asked({ method: 'notifications/initialized' })).toBeNull()
  for (const line of ['', 'null', '[]', '3', 'nonsense']) expect(replyToMessage(line)).toBeNull()
})
