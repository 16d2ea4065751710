import { expect, test } from 'bun:test'
import { temporaryStore } from '../../test/support/builders.ts'

test('the audit log lists what happened, newest first, and old entries go in portions', async () => {
  using t = await temporaryStore()
  for (const at of [1000, 2000, 3000]) await t.store.audit.add({ at, action: 'forget', subject: `note n${at}`, details: { kind: 'note' } })
  expect((await t.store.audit.recent(2)).map(({ subject }) => subject)).toEqual(['note n3000', 'note n2000'])
  expect(await t.store.audit.recent(9, 3000)).toEqual([
    { id: 3, at: 3000, action: 'forget', subject: 'note n3000', details: { kind: 'note' } },
  ])
  const bytes = 'note n1000'.length + '{"kind":"note"}'.length
  expect(await t.store.audit.countPurgeable(3000)).toEqual({ rows: 2, bytes: 2 * bytes })
  expect([await t.store.audit.purge(3000, 1), await t.store.audit.purge(3000, 9), await t.store.audit.purge(3000, 9)]).toEqual([1, 1, 0])
  expect(await t.store.audit.recent(9)).toHaveLength(1)
})

test('a mark has the value that was set last', async () => {
  using t = await temporaryStore()
  expect([await t.store.audit.mark('last sync'), await t.store.audit.jsonMark('last sync')]).toEqual([null, null])
  await t.store.audit.setMark('last sync', '{"at":1}')
  await t.store.audit.setMark('last sync', '{"at":2}')
  expect([await t.store.audit.mark('last sync'), await t.store.audit.jsonMark<{ at: number }>('last sync')]).toEqual([
    '{"at":2}',
    { at: 2 },
  ])
})

test('a delivery is accepted once, until its receipt is removed', async () => {
  using t = await temporaryStore()
  expect([await t.store.receipts.add('d1', 1000), await t.store.receipts.add('d1', 2000), await t.store.receipts.add('d2', 3000)]).toEqual([
    true,
    false,
    true,
  ])
  expect([await t.store.receipts.has('d1'), await t.store.receipts.has('d3')]).toEqual([true, false])
  expect(await t.store.receipts.countPurgeable(2500)).toEqual({ rows: 1, bytes: 10 })
  expect(await t.store.receipts.purge(2500)).toBe(1)
  expect([await t.store.receipts.has('d1'), await t.store.receipts.has('d2')]).toEqual([false, true])
})
