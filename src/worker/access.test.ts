import { expect, test } from 'bun:test'
import { checkAccess } from './access.ts'

const token = 'a'.repeat(64)

test("the owner's token is admitted", () => {
  expect(ask({ authorization: `Bearer ${token}` })).toEqual({ kind: 'admitted' })
  expect(ask({ authorization: `bearer  ${token} ` })).toEqual({ kind: 'admitted' })
})

test.each(['127.0.0.1:37777', 'localhost:37777', 'LocalHost:37777', '[::1]:37777'])('the host %s is this machine', (host) => {
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
])('a request with the host "%s" is refused even with the token, because a foreign name may resolve to this machine', (host) => {
  expect(ask({ host })).toMatchObject({ kind: 'refused', status: 403 })
})

test('a page of another site is refused, even with the token', () => {
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
  ['the beginning of the token', `Bearer ${token.slice(0, 63)}`],
  ['more than the token', `Bearer ${token}a`],
  ['an empty token', 'Bearer '],
  ['another scheme', `Basic ${token}`],
  ['the bare token', token],
])('%s is refused, and the reason does not contain the token', (_, authorization) => {
  const refused = ask({ authorization })
  expect(refused).toMatchObject({ kind: 'refused', status: 401 })
  expect(JSON.stringify(refused)).not.toContain(token.slice(0, 10))
})

const ours = { cookie: 'other=1; recollect-37777=visit', 'sec-fetch-site': 'same-origin' }
const change = { 'content-type': 'application/json', 'x-recollect': '1' }

test("the viewer's own page may read, and change things with JSON and its own header", () => {
  expect(visit(ours)).toEqual({ kind: 'admitted' })
  expect(visit({ ...ours, ...change, origin: 'http://127.0.0.1:37777' }, 'POST')).toEqual({ kind: 'admitted' })
  expect(visit({ ...ours, ...change, 'content-type': 'application/json; charset=utf-8' }, 'PATCH').kind).toBe('admitted')
})

test('a person may open a page by hand', () => {
  const opened = { cookie: ours.cookie, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
  expect(visit(opened).kind).toBe('admitted')
  expect(visit({ ...opened, 'sec-fetch-dest': 'iframe' })).toMatchObject({ status: 403 })
  expect(visit({ ...opened, ...change }, 'POST')).toMatchObject({ status: 403 })
})

test.each<[string, Record<string, string>, string]>([
  ['another site that makes the browser ask', { 'sec-fetch-site': 'cross-site' }, 'GET'],
  ['another port of this machine', { 'sec-fetch-site': 'same-site' }, 'GET'],
  ['a browser that does not say who asks', { 'sec-fetch-site': '' }, 'GET'],
  ['a form of another port', { ...change, 'sec-fetch-site': 'same-site' }, 'POST'],
  ['a change as a form', { ...change, 'content-type': 'application/x-www-form-urlencoded' }, 'POST'],
  ['a change as text', { ...change, 'content-type': 'text/plain' }, 'POST'],
  ['a change whose type only begins like JSON', { ...change, 'content-type': 'application/jsonx' }, 'POST'],
  ['a change without the header', { 'content-type': 'application/json' }, 'DELETE'],
  ['a change with another header', { ...change, 'x-recollect': '2' }, 'PUT'],
  ['a page that says another origin', { origin: 'http://evil.example' }, 'GET'],
  ['a name that was pointed here', { host: 'rebound.example:37777' }, 'GET'],
])('%s is refused, with or without the cookie', (_, headers, method) => {
  expect(visit({ ...ours, ...headers }, method)).toMatchObject({ kind: 'refused', status: 403 })
})

test.each([
  ['a cookie we did not give', { cookie: 'recollect-37777=guess' }],
  ['the cookie of another port', { cookie: 'recollect-37778=visit' }],
  ['no cookie', { cookie: '' }],
  ['a wrong token beside a good cookie', { authorization: 'Bearer guess' }],
])('%s admits no browser', (_, headers) => {
  expect(visit({ ...ours, ...headers })).toMatchObject({ kind: 'refused', status: 401 })
})

function visit(headers: Record<string, string>, method = 'GET') {
  const request = new Request('http://127.0.0.1:37777/api/status', { method, headers: { host: '127.0.0.1:37777', ...headers } })
  return checkAccess(request, 37777, token, (secret) => secret === 'visit')
}

function ask(headers: Record<string, string>) {
  const all = { host: '127.0.0.1:37777', authorization: `Bearer ${token}`, ...headers }
  return checkAccess(new Request('http://127.0.0.1:37777/api/status', { headers: all }), 37777, token)
}
