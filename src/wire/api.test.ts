import { expect, test } from 'bun:test'
import * as api from './api.ts'

test('the older name of a session is understood, and the newer one wins', () => {
  expect(api.readCompleteSession({ claudeSessionId: 'old' })).toMatchObject({ value: { contentSessionId: 'old' } })
  expect(api.readCompleteSession({ contentSessionId: 'new' })).toMatchObject({ value: { contentSessionId: 'new' } })
  expect(api.readCompleteSession({ claudeSessionId: 'old', contentSessionId: 'new' })).toMatchObject({ value: { contentSessionId: 'new' } })
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a list', []],
  ['a text', 'session'],
  ['no session', {}],
  ['an empty session', { contentSessionId: '' }],
  ['a session that is no text', { contentSessionId: 7 }],
  ['a session without end', { claudeSessionId: 'x'.repeat(201) }],
])('%s is no request, and the reason names no code', (_, body) => {
  for (const read of [api.readInitSession, api.readSummarize, api.readCompleteSession, api.readReportToolUse]) {
    const answer = read(body)
    expect(answer.kind).toBe('unusable')
    if (answer.kind === 'unusable') expect(answer.reason).toMatch(/^(?:the request|contentSessionId): /)
  }
})

test('what a caller leaves out has a sensible value', () => {
  expect(api.readInitSession({ contentSessionId: 's' })).toEqual({ kind: 'read', value: { contentSessionId: 's', prompt: '' } })
  expect(api.readSearchQuery({})).toEqual({ kind: 'read', value: { query: '', limit: 20, offset: 0, widen: false } })
  expect(api.readTimelineQuery({})).toEqual({ kind: 'read', value: { depth_before: 10, depth_after: 10, widen: false } })
  expect(api.readImportRequest({})).toEqual({ kind: 'read', value: { from: 'transcripts', paths: [], since: null, project: null } })
})

test('the text of an address becomes numbers, within bounds', () => {
  expect(api.readSearchQuery({ limit: '5', since: 'yesterday' })).toMatchObject({ value: { limit: 5, since: 'yesterday' } })
  for (const query of [{ limit: '-1' }, { limit: '201' }, { limit: 'many' }, { limit: '1.5' }, { kind: 'poem' }])
    expect(api.readSearchQuery(query).kind).toBe('unusable')
  expect(api.readBatch({ ids: ['1', 2] })).toEqual({ kind: 'read', value: { ids: [1, 2] } })
  expect(api.readBatch({ ids: ['x'] }).kind).toBe('unusable')
})
