import { expect, test } from 'bun:test'
import { databaseFailure } from './database.ts'

const failed = (fields: { code?: string; errno?: unknown }) => databaseFailure(Object.assign(new Error('no'), fields))

test('a refusal of our own functions carries its HTTP status and its reason', () => {
  expect(failed({ errno: 'RC409' })).toEqual({ kind: 'refused', status: 409, reason: 'no' })
  expect(failed({ code: 'RC403' })).toEqual({ kind: 'refused', status: 403, reason: 'no' })
})

test.each([
  ['42501', { kind: 'forbidden' }],
  ['22P05', { kind: 'unusable-value' }],
  ['57P01', { kind: 'unavailable', reason: 'PostgreSQL reported 57P01' }],
  ['40001', { kind: 'unavailable', reason: 'PostgreSQL reported 40001' }],
  ['25006', { kind: 'unavailable', reason: 'PostgreSQL reported 25006' }],
  ['23505', { kind: 'other', code: '23505' }],
])('the state %s is %p, in either field of the error', (state, failure) => {
  expect<unknown>(failed({ errno: state, code: 'ERR_POSTGRES_SERVER_ERROR' })).toEqual(failure)
  expect<unknown>(failed({ code: state })).toEqual(failure)
})

test('without a connection the database is unavailable; other errors did not come from it', () => {
  expect(failed({ code: 'ERR_POSTGRES_CONNECTION_CLOSED' })).toEqual({ kind: 'unavailable', reason: 'connection closed' })
  expect(failed({ code: 'ENOENT', errno: -2 })).toBeNull()
  expect(databaseFailure('ERR_POSTGRES_CONNECTION_CLOSED')).toBeNull()
})
