import { describe, expect, test } from 'bun:test'
import { aMachine, aRemote } from '../../test/support/machines.ts'
import { resolveConflict } from './resolve.ts'
import { syncState } from './state.ts'

describe('a conflict', () => {
  /** Machine b ends with its own older version next to a's newer one. */
  async function torn() {
    const remote = aRemote()
    const [a, b] = [await aMachine('a', remote.path), await aMachine('b', remote.path)]
    const id = await a.note('The port is 8080.')
    await a.sync()
    await b.sync()
    await a.edit(id, { body: 'The port is 9090.' }, 3_000_000)
    await b.edit(id, { body: 'The port is 7070.' }, 2_000_000)
    await a.sync()
    await b.sync()
    const version = (await b.conflicts())[0]?.id ?? id
    const end = () => [a, b, remote].forEach((one) => void one[Symbol.dispose]())
    return { a, b, id, version, [Symbol.dispose]: end }
  }

  test('is part of the state, and can be resolved with the version of this machine', async () => {
    using at = await torn()
    expect(await syncState(at.b.book, '')).toMatchObject({ conflicted: [{ id: at.version, of: at.id, machine: 'b' }] })
    expect(await resolveConflict(at.b.book, at.id, 'ours', 4_000_000)).toMatchObject({ kind: 'resolved', id: at.id })
    expect([await at.b.body(at.id), (await at.b.conflicts()).length]).toEqual(['The port is 7070.', 0])
    await at.b.sync()
    await at.a.sync()
    expect([await at.a.body(at.id), (await at.a.conflicts()).length]).toEqual(['The port is 7070.', 0])
  })

  test('can be resolved with the version of the other machine', async () => {
    using at = await torn()
    await resolveConflict(at.b.book, at.version, 'theirs', 4_000_000)
    expect([await at.b.body(at.id), (await at.b.conflicts()).length]).toEqual(['The port is 9090.', 0])
  })

  test('can be resolved by keeping both notes', async () => {
    using at = await torn()
    await resolveConflict(at.b.book, at.version, 'both', 4_000_000)
    expect([await at.b.body(at.id), await at.b.body(at.version)]).toEqual(['The port is 9090.', 'The port is 7070.'])
    expect(await at.b.conflicts()).toEqual([])
    expect(await resolveConflict(at.b.book, at.version, 'ours', 4_000_000)).toMatchObject({ kind: 'refused' })
  })

  test('of one note is not resolved through another note', async () => {
    using at = await torn()
    const other = await at.b.note('The cache lives for an hour.')
    expect(await resolveConflict(at.b.book, other, 'ours', 4_000_000)).toMatchObject({ kind: 'refused' })
    expect(await at.b.body(at.id)).toBe('The port is 9090.')
    expect(await at.b.conflicts()).toHaveLength(1)
  })

  test('stays, with both versions, if the chosen one cannot be saved', async () => {
    using at = await torn()
    const path = `memory/app/${at.version}.md`
    at.b.write(path, `${at.b.read(path)}${'And more. '.repeat(15_000)}\n`)
    await at.b.sync({ remote: '' })
    expect(await resolveConflict(at.b.book, at.version, 'ours', 4_000_000)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('a note may have at most'),
    })
    expect(await at.b.body(at.id)).toBe('The port is 9090.')
    expect(await at.b.conflicts()).toMatchObject([{ id: at.version, body: expect.stringContaining('The port is 7070.'), deletedAt: null }])
  })
})
