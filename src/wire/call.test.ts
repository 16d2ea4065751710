import { expect, test } from 'bun:test'
import { type HttpReply, type HttpRequest, httpRequest, openCaller, throwing } from './call.ts'

test('path parameters go into the path, and other fields into the query string or the body', () => {
  expect(httpRequest('DELETE /api/notes/:id', { id: 'a b', hard: true })).toMatchObject({
    method: 'DELETE',
    path: '/api/notes/a%20b?hard=true',
    body: null,
  })
  expect(httpRequest('GET /api/search', { query: 'a&b', project: undefined, since: null, limit: 5 })).toMatchObject({
    method: 'GET',
    path: '/api/search?query=a%26b&limit=5',
  })
  expect(httpRequest('PATCH /api/notes/:id', { id: 'N1', title: 'x', expiresAt: null, tags: undefined })).toMatchObject({
    method: 'PATCH',
    path: '/api/notes/N1',
    body: '{"title":"x","expiresAt":null}',
    headers: { 'content-type': 'application/json' },
  })
  expect(httpRequest('POST /api/shutdown')).toMatchObject({ path: '/api/shutdown', body: '{}' })
})

test('a value comes back parsed, and a reviver sees it first', async () => {
  const { caller, sent } = callerOf(
    () => new Response('{"ok":true,"version":"1.0"}'),
    (_, value) => (value === '1.0' ? '2.0' : value),
  )
  expect(await caller.call('GET /health')).toEqual({ kind: 'answered', value: { ok: true, version: '2.0' } })
  expect(sent[0]).toMatchObject({ method: 'GET', path: '/health' })
})

test('a refusal carries its status and the reason from the body', async () => {
  const refused = callerOf(() => Response.json({ error: 'no such note' }, { status: 400 })).caller
  expect(await refused.call('GET /health')).toEqual({ kind: 'refused', status: 400, reason: 'no such note' })
  const silent = callerOf(() => new Response('', { status: 500 })).caller
  expect(await silent.call('GET /health')).toMatchObject({ kind: 'refused', reason: 'the worker answered with status 500' })
})

test('a late worker and an unreachable one are told apart', async () => {
  const late = callerOf(() => Promise.reject(Object.assign(new Error('too slow'), { name: 'TimeoutError' }))).caller
  expect(await late.call('GET /health')).toEqual({ kind: 'late' })
  const away = callerOf(() => Promise.reject(new Error('connect ENOENT'))).caller
  expect(await away.call('GET /health')).toEqual({ kind: 'unreachable', reason: 'connect ENOENT' })
})

test('lines arrive one by one, wherever the body is cut', async () => {
  const chunks = ['{"kind":"progress","done":1,', '"of":2,"what":"ö', '"}\n{"kind":"fail', 'ed","error":"x"}']
  const bytes = new TextEncoder().encode(chunks.join(''))
  async function* body() {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.slice(at, at + 7)
  }
  const { caller } = callerOf(() => ({ status: 200, text: async () => '', body: body() }))
  const lines = []
  for await (const line of throwing(caller, () => new Error('failed')).callLines('POST /api/gc')) lines.push(line)
  expect(lines).toEqual([
    { kind: 'progress', done: 1, of: 2, what: 'ö' },
    { kind: 'failed', error: 'x' },
  ])
})

test('a throwing caller throws the error that it is given for a failure', async () => {
  const { caller } = callerOf(() => Response.json({ error: 'no' }, { status: 409 }))
  const throws = throwing(caller, (failure) => new Error(failure.kind === 'refused' ? `${failure.status} ${failure.reason}` : failure.kind))
  expect(throws.call('GET /api/status')).rejects.toThrow('409 no')
  expect(throws.callLines('POST /api/gc').next()).rejects.toThrow('409 no')
})

function callerOf(reply: () => HttpReply | Promise<HttpReply>, reviver?: (key: string, value: unknown) => unknown) {
  const sent: HttpRequest[] = []
  const caller = openCaller(async (request) => {
    sent.push(request)
    return reply()
  }, reviver)
  return { caller, sent }
}
