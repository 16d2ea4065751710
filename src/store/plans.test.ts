import { expect, test } from 'bun:test'
import { temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { PlanKind } from './plans.ts'

const app = asProjectKey('app')

async function somePlans() {
  const t = await temporaryStore()
  const plans = await t.store.plans()
  const put = (content: unknown, { kind = 'consolidate' as PlanKind, project = app as ProjectKey | null, at = 1000, shown = true } = {}) =>
    plans.put({ kind, project, fingerprint: 'f', content, plannedAt: at }, { shown })
  return { ...plans, put, [Symbol.dispose]: t[Symbol.dispose] }
}

test('a plan that is shown replaces the open one of its kind and project, and no other', async () => {
  using plans = await somePlans()
  const first = await plans.put({ items: [1] })
  const all = await plans.put({ items: [2] }, { project: null })
  const reflection = await plans.put({ items: [3] }, { kind: 'reflect' })
  const second = await plans.put({ items: [4] })
  expect(await plans.get(first)).toBeNull()
  expect([(await plans.open('consolidate', app))?.id, (await plans.open('consolidate', null))?.id]).toEqual([second, all])
  expect((await plans.open('reflect', app))?.content).toEqual({ items: [3] })
  await plans.put({ items: [5] }, { shown: false })
  expect([await plans.get(second), await plans.get(reflection)]).not.toContain(null)
})

test('the last plan that was applied can be undone, then the one before it', async () => {
  using plans = await somePlans()
  const ids = []
  for (const at of [10, 20]) {
    const id = await plans.put({ at })
    await plans.setApplied(id, { at, done: true }, { back: at }, at)
    ids.push(id)
  }
  expect(await plans.open('consolidate', app)).toBeNull()
  expect(await plans.lastApplied(null)).toMatchObject({ id: ids[1] as number, content: { done: true }, undo: { back: 20 }, appliedAt: 20 })
  expect(await plans.lastApplied('reflect')).toBeNull()
  await plans.setUndone(ids[1] as number, 30)
  expect((await plans.lastApplied('consolidate'))?.id).toBe(ids[0])
})

test('plans about a note that is deleted go, whether they quote it or could restore it', async () => {
  using plans = await somePlans()
  const open = await plans.put({ notes: ['N1'] })
  const applied = await plans.put({ notes: [] }, { kind: 'reflect' })
  await plans.setApplied(applied, { notes: [] }, { restore: 'N1' }, 5)
  const other = await plans.put({ notes: ['N2'] }, { project: null })
  await plans.dropMentioning(['N1'])
  expect([await plans.get(open), await plans.get(applied), (await plans.get(other))?.id]).toEqual([null, null, other])
})

test('old plans are deleted by the time they were applied or made, and counted before', async () => {
  using plans = await somePlans()
  const applied = await plans.put({ a: 1 }, { at: 1 })
  await plans.setApplied(applied, {}, {}, 100)
  await plans.put({ b: 1 }, { at: 50 })
  expect(await plans.countPurgeable(100, 50)).toEqual({ rows: 0, bytes: 0 })
  expect((await plans.countPurgeable(101, 51)).rows).toBe(2)
  expect([await plans.purge(101, 50), await plans.get(applied), await plans.purge(101, 51)]).toEqual([1, null, 1])
})
