import { expect, test } from 'bun:test'
import { captureAll, event, nowhere, prompt, temporaryStore, toolUse } from '../../test/support/builders.ts'
import type { SessionEvent } from '../core/event.ts'
import { asContentSessionId } from '../core/ids.ts'
import type { Tombstone } from '../store/store.ts'
import { take } from './capture.ts'
import { isDeletedEvent, isOfDeletedTurn } from './deleted-events.ts'

const AGENT = 'claude-code'
const SESSION = asContentSessionId('s1')
const DELETED_TURN: Tombstone = { kind: 'turn', turn: 1, promptId: 'p1', uuid: 'line-1', key: '', happenedAt: 1000, at: 5000 }
const stop = (promptId: string | null): SessionEvent => ({ kind: 'turn-ended', answer: 'done', promptId })

async function afterDeletionOf(...tombstones: Partial<Tombstone>[]) {
  const { store, [Symbol.dispose]: dispose } = await temporaryStore()
  for (const tombstone of tombstones) store.tombstones.add('unit', { agent: AGENT, session: SESSION }, { ...DELETED_TURN, ...tombstone })
  return {
    store,
    isDeleted: (of: SessionEvent, at: number, uuid: string | null = null) => isDeletedEvent(store, event(of, { at }), (text) => text, uuid),
    isMemoryDeleted: (memory: Parameters<typeof isOfDeletedTurn>[2]) => isOfDeletedTurn(store, { agent: AGENT, session: SESSION }, memory),
    [Symbol.dispose]: dispose,
  }
}

test('every event of a deleted turn stays away, and a later turn does not', async () => {
  using at = await afterDeletionOf({})
  expect(await at.isDeleted(toolUse('t1', { promptId: 'p1' }), 1100)).toBe(true)
  expect(await at.isDeleted(stop('p1'), 1200)).toBe(true)
  expect(await at.isDeleted(toolUse('t2', { promptId: 'p2' }), 1300)).toBe(false)
  expect(await at.isDeleted(stop('p2'), 1400)).toBe(false)
})

test('an event of a deleted turn stays away, even if it arrives after a later prompt', async () => {
  using at = await afterDeletionOf({})
  await take(at.store, event(prompt('Next', 'p2'), { at: 3000 }), nowhere, captureAll())
  expect(await at.isDeleted(toolUse('t1', { promptId: 'p1' }), 3500)).toBe(true)
  expect(await at.isDeleted(toolUse('t2', { promptId: 'p2' }), 3500)).toBe(false)
})

test('a deleted prompt is known by its line in the transcript, by its text, and by its turn id', async () => {
  using at = await afterDeletionOf({})
  expect(await at.isDeleted(prompt('any words', null), 1000, 'line-1')).toBe(true)
  expect(await at.isDeleted(prompt('any words', 'p1'), 1000)).toBe(true)
  expect(await at.isDeleted(prompt('any words', null), 1000, 'line-2')).toBe(false)
  using byText = await afterDeletionOf({})
  byText.store.tombstones.add(
    'unit',
    { agent: AGENT, session: SESSION },
    { ...DELETED_TURN, promptId: null, uuid: null, key: byText.store.tombstones.promptKey('deploy it') },
  )
  expect(await byText.isDeleted(prompt('deploy  it', null), 4000)).toBe(true)
  expect(await byText.isDeleted(prompt('deploy it', null), 6000)).toBe(false)
})

test('without a turn id, an event belongs to the last prompt before it', async () => {
  using at = await afterDeletionOf({ promptId: null })
  expect(await at.isDeleted(stop(null), 1500)).toBe(true)
  expect(await at.isDeleted(stop(null), 900)).toBe(false)
})

test('a summary of the whole conversation stays away when a turn of it was deleted, but not for a deleted tool use', async () => {
  const compacted: SessionEvent = { kind: 'compacted', summary: 'all of it', promptId: null }
  using turn = await afterDeletionOf({})
  expect(await turn.isDeleted(compacted, 2000)).toBe(true)
  using use = await afterDeletionOf({ kind: 'tool-use', key: 't1' })
  expect(await use.isDeleted(compacted, 2000)).toBe(false)
})

test('a deleted tool use stays away, and the others of its turn do not', async () => {
  using at = await afterDeletionOf({ kind: 'tool-use', key: 't1' })
  expect(await at.isDeleted(toolUse('t1', { promptId: 'p1' }), 1100)).toBe(true)
  expect(await at.isDeleted(toolUse('t2', { promptId: 'p1' }), 1100)).toBe(false)
})

test('everything of a deleted session stays away until it is resumed', async () => {
  using at = await afterDeletionOf({ kind: 'session' })
  expect(await at.isDeleted(prompt('go', 'p9'), 5000)).toBe(true)
  expect(await at.isDeleted(prompt('go', 'p9'), 5001)).toBe(false)
  expect(await at.isMemoryDeleted({ promptNumber: 3, at: 5000 })).toBe(true)
})

test('an imported memory of a deleted turn stays away, by its number or by its time', async () => {
  using at = await afterDeletionOf({})
  expect(await at.isMemoryDeleted({ promptNumber: 1, at: 1100 })).toBe(true)
  expect(await at.isMemoryDeleted({ promptNumber: 2, at: 1100 })).toBe(false)
  expect(await at.isMemoryDeleted({ promptNumber: 0, at: 1100 })).toBe(true)
  expect(await at.isMemoryDeleted({ promptNumber: 0, at: 900 })).toBe(false)
  expect(await at.isMemoryDeleted({ promptNumber: 0, at: 1100, source: 'compact' })).toBe(true)
  expect(await at.isMemoryDeleted({ promptNumber: 0, at: 900, source: 'compact' })).toBe(false)
  // The moment of the prompt itself is part of the turn.
  expect(await at.isMemoryDeleted({ promptNumber: 0, at: 1000, source: 'compact' })).toBe(true)
})

test('in a session without deletions nothing stays away', async () => {
  using at = await afterDeletionOf()
  expect(await at.isDeleted(prompt('go', 'p1'), 1000, 'line-1')).toBe(false)
  expect(await at.isMemoryDeleted({ promptNumber: 0, at: 1100 })).toBe(false)
})
