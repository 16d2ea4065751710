import { expect, test } from 'bun:test'
import { admit } from './gate.ts'

const keys = { token: 'a'.repeat(64), hookToken: 'b'.repeat(64) }

test('the owner’s token lets everything in, the hook’s token a hook', () => {
  expect(ask({ authorization: `Bearer ${keys.token}` })).toEqual({ kind: 'admitted', caller: 'owner' })
  expect(ask({ authorization: `bearer  ${keys.hookToken} ` })).toEqual({ kind: 'admitted', caller: 'hook' })
})

test.each(['127.0.0.1:37777', 'localhost:37777', 'LocalHost:37777', '[::1]:37777'])('%s is this machine', (host) => {
  expect(ask({ host }).kind).toBe('admitted')
})

test.each([
  'rebound.example:37777',
  'localhost.example:37777',
  '127.0.0.1.nip.example:37777',
  '127.0.0.1',
  '127.0.0.1:80',
  'localhost:3777',
  '0.0.0.0:37777',
  '192.168.0.2:37777',
  '',
])('a request for "%s" is refused, even with the token: a name may have been pointed here', (host) => {
  expect(ask({ host })).toMatchObject({ kind: 'refused', status: 403 })
})

test('the page of another site is refused, even with the token', () => {
  for (const origin of [
    'https://evil.example',
    'http://evil.example:37777',
    'null',
    'http://localhost:3000',
    'https://localhost:37777',
    'file://',
    '',
  ])
    expect(ask({ origin })).toMatchObject({ kind: 'refused', status: 403 })
  expect(ask({ origin: 'http://localhost:37777' }).kind).toBe('admitted')
})

test.each([
  ['no token', ''],
  ['another token', `Bearer ${'c'.repeat(64)}`],
  ['the beginning of the token', `Bearer ${keys.token.slice(0, 63)}`],
  ['more than the token', `Bearer ${keys.token}a`],
  ['an empty token', 'Bearer '],
  ['another scheme', `Basic ${keys.token}`],
  ['the bare token', keys.token],
])('%s is refused, and the reason does not say the token', (_, authorization) => {
  const refused = ask({ authorization })
  expect(refused).toMatchObject({ kind: 'refused', status: 401 })
  expect(JSON.stringify(refused)).not.toContain(keys.token.slice(0, 10))
})

function ask(headers: Record<string, string>) {
  const all = { host: '127.0.0.1:37777', authorization: `Bearer ${keys.token}`, ...headers }
  return admit(new Request('http://127.0.0.1:37777/api/status', { headers: all }), 37777, keys)
}
