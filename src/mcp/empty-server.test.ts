import { expect, test } from 'bun:test'
import { replyToMessage } from './empty-server.ts'

const replyTo = (message: object) => JSON.parse(replyToMessage(JSON.stringify({ jsonrpc: '2.0', ...message }), 'a reason') ?? 'null')

test('the empty server accepts the requested protocol version and offers nothing', () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a test', version: '1' } }
  const { id, result } = replyTo({ id: 1, method: 'initialize', params })
  expect([id, result.protocolVersion, result.capabilities]).toEqual([1, '2025-06-18', {}])
  expect(result).not.toHaveProperty('instructions')
})

test('requests get a reply, notifications and invalid lines do not', () => {
  expect(replyTo({ id: 'a', method: 'ping' })).toEqual({ jsonrpc: '2.0', id: 'a', result: {} })
  expect(replyTo({ id: 2, method: 'server/discover' }).error.code).toBe(-32601)
  expect(replyTo({ method: 'notifications/initialized' })).toBeNull()
  for (const line of ['', 'null', '[]', '3', 'nonsense']) expect(replyToMessage(line, 'a reason')).toBeNull()
})
