import { expect, test } from 'bun:test'
import { fakeDatabase } from '../../test/support/fake-database.ts'
import { asMember, isStorable, newToken } from './caller.ts'

const row = { hub: 'h', member: 'm', member_name: 'Ada', member_role: 'member', device: 'd', device_name: 'laptop' }

test('work runs as the member to whom the token belongs', async () => {
  const database = fakeDatabase({ identify: [row] })
  const caller = await asMember(database, newToken(), async (caller) => caller)
  expect(caller).toMatchObject({ hub: 'h', member: { id: 'm', name: 'Ada', role: 'member' }, device: { id: 'd', name: 'laptop' } })
})

test('a text that cannot be a token does not reach the database, and an unknown token is refused', async () => {
  const database = fakeDatabase({})
  const status = (token: string | null) => asMember(database, token, async () => 200).catch((cause) => cause.status)
  for (const token of [null, '', 'rch_short', `${newToken()}x`, ` ${newToken()}`]) expect(await status(token)).toBe(401)
  expect(database.asked).toEqual([])
  expect(await status(newToken())).toBe(401)
  expect(database.asked).toHaveLength(1)
})

test('a value with a NUL character or half a character anywhere in it cannot be stored', () => {
  for (const value of ['text', '😀', null, 7, { a: ['b', { c: null }] }]) expect([value, isStorable(value)]).toEqual([value, true])
  for (const value of ['a\0', '\ud83d', { a: ['b', 'c\0'] }, { 'k\0': 1 }, [['\udc00']]])
    expect([value, isStorable(value)]).toEqual([value, false])
})
