import { describe, expect, test } from 'bun:test'
import { aMemory, hashOf } from '../../test/support/team.ts'
import { asStored, conflictId, decidePush, type Pusher, proposalId, type StoredVersion } from './push.ts'

const writer: Pusher = { member: 'w', curates: false, review: false }
const stored = (fields: Partial<StoredVersion> = {}): StoredVersion => ({
  id: 'a',
  hidden: false,
  mine: true,
  hash: 'h1',
  base: null,
  earlier: [],
  revision: 1,
  state: 'accepted',
  deleted: false,
  ...fields,
})
const decide = (memory: Parameters<typeof decidePush>[0], pusher: Pusher, ...versions: StoredVersion[]) =>
  decidePush(memory, hashOf(memory), pusher, (id) => versions.find((version) => version.id === id))
const deletion = (base: string | null) => ({ id: 'a', kind: 'note' as const, base, body: null })

describe('without review', () => {
  test('a change of the version that the hub has is the next revision, and the hash before is remembered', () => {
    const { result, write } = decide(aMemory('a', {}, 'h1'), writer, stored({ earlier: ['h0'], revision: 4 }))
    expect(result).toMatchObject({ kind: 'stored', revision: 5, state: 'accepted' })
    expect(write?.earlier).toEqual(['h0', 'h1'])
  })

  test('only the last sixteen hashes are remembered', () => {
    const earlier = Array.from({ length: 20 }, (_, i) => `h${i}`)
    expect(decide(aMemory('a', {}, 'now'), writer, stored({ hash: 'now', earlier })).write?.earlier).toHaveLength(16)
  })

  test('a memory that is hidden from the pusher is refused without saying why it is hidden', () => {
    const { result, write } = decide(aMemory('a'), writer, stored({ hidden: true, mine: false, hash: null }))
    expect([result.kind, write]).toEqual(['refused', null])
  })

  test('a memory that is hidden from a curator is refused too, whatever they push', () => {
    const curator: Pusher = { ...writer, curates: true }
    for (const mine of [true, false])
      expect(decide(aMemory('a'), curator, stored({ hidden: true, mine, hash: hashOf(aMemory('a')) })).result.kind).toBe('refused')
  })

  test('of the ids under which versions are kept, a member may use only their own', () => {
    const other: Pusher = { ...writer, member: 'x' }
    const keptAs = proposalId(writer, 'a')
    expect(decide(aMemory(keptAs), writer).result.kind).toBe('stored')
    expect(decide(aMemory(keptAs), other)).toMatchObject({ result: { id: keptAs, kind: 'refused' }, write: null })
    expect(decide(aMemory(`mine-${keptAs}`), other).result.kind).toBe('stored')
    // For an id that is stored already, only its author counts.
    expect(decide(aMemory(keptAs, {}, 'h1'), other, stored({ id: keptAs })).result.kind).toBe('stored')
  })

  test('the same version again changes nothing and says what the hub has', () => {
    const memory = aMemory('a')
    const current = stored({ hash: hashOf(memory), revision: 3 })
    expect(decide(memory, writer, current)).toEqual({
      result: { id: 'a', kind: 'same', hash: hashOf(memory), revision: 3, state: 'accepted' },
      write: null,
    })
  })

  test('a conflict is kept under an id that depends on the version', () => {
    const memory = aMemory('a', {}, 'h0')
    const { result, write } = decide(memory, writer, stored())
    const keptAs = conflictId(writer, 'a', hashOf(memory))
    expect(result).toEqual({ id: 'a', kind: 'conflict', keptAs, current: 'h1' })
    expect(write).toMatchObject({ id: keptAs, conflictOf: 'a', revision: 1 })
    expect(decide(memory, writer, stored(), stored({ id: keptAs })).write).toBeNull()
  })

  test('a change of a memory that was deleted meanwhile is kept beside the deletion', () => {
    expect(decide(aMemory('a', {}, 'h1'), writer, stored({ deleted: true, hash: 'gone', earlier: ['h1'] })).result.kind).toBe('conflict')
  })

  test('a deletion that names no version always deletes; one that names an old version does not', () => {
    expect(decide(deletion(null), writer, stored()).write?.body).toBeNull()
    expect(decide(deletion('h0'), writer, stored())).toMatchObject({ result: { kind: 'conflict', keptAs: 'a' }, write: null })
  })
})

describe('with review', () => {
  const reviewed: Pusher = { ...writer, review: true }

  test('a change of an accepted memory waits beside it', () => {
    const { result, write } = decide(aMemory('a', {}, 'h1'), reviewed, stored())
    const keptAs = proposalId(reviewed, 'a')
    expect(result).toEqual({ id: 'a', kind: 'proposed', keptAs, current: 'h1' })
    expect(write).toMatchObject({ id: keptAs, state: 'proposed', conflictOf: 'a', base: 'h1' })
  })

  test('a proposal that waits is replaced by a newer one of its author, and is kept once if it comes again', () => {
    const memory = aMemory('a', {}, 'h1')
    const id = proposalId(reviewed, 'a')
    const again = (fields: Partial<StoredVersion>) => decide(memory, reviewed, stored(), stored({ id, state: 'proposed', ...fields }))
    expect(again({ hash: 'older', revision: 2 })).toMatchObject({
      result: { kind: 'proposed', keptAs: id },
      write: { id, state: 'proposed', revision: 3 },
    })
    expect(again({ hash: hashOf(memory) }).write).toBeNull()
    expect(again({ hash: 'newer', earlier: [hashOf(memory)] }).write).toBeNull()
    expect(again({ hash: 'gone', earlier: [hashOf(memory)], deleted: true }).write).toMatchObject({ id })
  })

  test('a change of a proposed or rejected memory replaces it and is proposed', () => {
    for (const state of ['proposed', 'rejected'] as const)
      expect(decide(aMemory('a', {}, 'h1'), reviewed, stored({ state })).result).toMatchObject({ kind: 'stored', state: 'proposed' })
  })

  test("a curator's change counts at once, and an author's deletion too", () => {
    expect(decide(aMemory('a', {}, 'h1'), { ...reviewed, curates: true }, stored({ mine: false })).result).toMatchObject({
      state: 'accepted',
    })
    expect(decide(deletion('h1'), reviewed, stored()).result).toMatchObject({ kind: 'stored', state: 'accepted' })
  })
})

test('later memories of a push find the versions that it wrote', () => {
  const memory = aMemory('a', {}, 'h1')
  const { write } = decide(memory, writer, stored({ earlier: ['h0'], revision: 4 }))
  expect(write && asStored(write)).toEqual(stored({ hash: hashOf(memory), base: 'h1', earlier: ['h0', 'h1'], revision: 5 }))
  const gone = decide(deletion('h1'), writer, stored())
  expect(gone.write && asStored(gone.write).deleted).toBe(true)
})

test('the ids under which versions are kept are those that hubs have already stored', () => {
  expect(conflictId(writer, 'a', 'h1')).toBe('kept-50e721e49c01-f7f9adda87ac59a02fc86c3af8abe7fb')
  expect(proposalId(writer, 'a')).toBe('kept-50e721e49c01-ca978112ca1bbdcafac231b39a23dc4d')
})
