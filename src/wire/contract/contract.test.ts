import { expect, test } from 'bun:test'
import { contract, type ParsedOf, type RouteName } from './contract.ts'
import { type RouteOptions, requestFields } from './route.ts'

type WithRequest = { [Name in RouteName]: (typeof contract)[Name] extends { request: unknown } ? Name : never }[RouteName]

const parse = (name: WithRequest, value: unknown) => contract[name].request().safeParse(value)
const parsed = (name: WithRequest, value: unknown): unknown => parse(name, value).data

test.each<[string, unknown]>([
  ['a missing body', undefined],
  ['null', null],
  ['a list', []],
  ['text', 'session'],
  ['no session', {}],
  ['an empty session id', { contentSessionId: '' }],
  ['a number as session id', { contentSessionId: 7 }],
  ['a session id of 201 characters', { contentSessionId: 'x'.repeat(201) }],
])('%s is refused as a session request', (_, body) => {
  for (const name of ['init', 'summarize', 'complete', 'observations'] as const) {
    const result = parse(`POST /api/sessions/${name}`, body)
    expect(result.success).toBe(false)
    expect(['', 'contentSessionId']).toContain(result.error?.issues[0]?.path.join('.') ?? 'none')
  }
})

test('missing fields get defaults', () => {
  expect(parsed('POST /api/sessions/init', { contentSessionId: 's' })).toEqual({ contentSessionId: 's', prompt: '' })
  expect(parsed('POST /api/search', {})).toEqual({ query: '', orderBy: 'relevance', limit: 40, offset: 0, widen: false })
  expect(parsed('POST /api/timeline', {})).toEqual({ depth_before: 10, depth_after: 10, widen: false })
  expect(parsed('POST /api/import', {})).toEqual({ from: 'transcripts', paths: [], since: null, project: null })
})

test('text from a query string becomes numbers and flags, within limits', () => {
  expect(parsed('GET /api/search', { limit: '5', since: 'yesterday' })).toMatchObject({ limit: 5, since: 'yesterday' })
  expect(parsed('GET /api/search', { since: '', widen: '1' })).toMatchObject({ since: undefined, widen: true })
  for (const query of [{ limit: '-1' }, { limit: '201' }, { limit: 'many' }, { limit: '1.5' }, { kind: 'poem' }])
    expect(parse('GET /api/search', query).success).toBe(false)
  expect(parsed('POST /api/observations/batch', { ids: ['1', 2] })).toEqual({ ids: [1, 2] })
  expect(parse('POST /api/observations/batch', { ids: ['x'] }).success).toBe(false)
})

test('the worker knows the fields of every request, so that it can refuse unknown ones', () => {
  const withAnyFields = Object.entries<RouteOptions>(contract).filter(
    ([, { request, raw }]) => request && !raw && !requestFields(request()),
  )
  expect(withAnyFields.map(([name]) => name)).toEqual([])
  for (const [name, { otherNames = {}, request }] of Object.entries<RouteOptions>(contract)) {
    const fields = request ? (requestFields(request()) ?? []) : []
    expect([name, Object.values(otherNames).filter((field) => !fields.includes(field))]).toEqual([name, []])
    expect([name, Object.keys(otherNames).filter((other) => fields.includes(other))]).toEqual([name, []])
  }
})

test('every path parameter is a field of the request', () => {
  for (const [name, route] of Object.entries(contract)) {
    const params = [...name.matchAll(/:(\w+)/g)].map((match) => match[1] ?? '')
    if (params.length === 0) continue
    const schema = 'request' in route ? route.request() : null
    const shape = schema && 'shape' in schema ? Object.keys(schema.shape) : []
    expect([name, params.filter((param) => !shape.includes(param))]).toEqual([name, []])
  }
})

test('the compiler knows what a handler receives', () => {
  const request: ParsedOf<'GET /api/sessions/:id'> = { id: 7 }
  expect(parsed('GET /api/sessions/:id', { id: '7' })).toEqual(request)
})
