import { expect, test } from 'bun:test'
import { openSession, temporaryStore } from '../../test/support/builders.ts'
import type { Session } from '../core/memory.ts'
import { knowledgeOf } from './session-knowledge.ts'

const worked = (session: Session): Session => ({ ...session, promptCount: 1 })

test('a session knows its own work and what it was shown; a fork also knows what its parent does', async () => {
  using t = await temporaryStore()
  const [parent, fork] = [await openSession(t.store, 'parent', 1000), await openSession(t.store, 'fork', 2000)]
  const items = [{ kind: 'observation' as const, id: 12, tokens: 9, why: 'it touched a.ts' }]
  await t.store.injections.add({ sessionId: parent.id, project: parent.project, event: 'SessionStart', text: 'x', tokens: 9, items, at: 5 })
  const alone = await knowledgeOf(t.store, fork)
  expect([[...alone.sessions], [...alone.contentIds], [...alone.shown]]).toEqual([[fork.id], ['fork'], []])
  const forked = await knowledgeOf(t.store, { ...fork, forkedFrom: parent.id })
  expect([...forked.sessions]).toEqual([fork.id, parent.id])
  expect([...forked.contentIds]).toEqual(['fork', 'parent'])
  expect([...forked.shown]).toEqual(['observation:12'])
})

test('its last brief is its own, or its parent’s; without one, work since the start of either is news', async () => {
  using t = await temporaryStore()
  const [parent, fork] = [await openSession(t.store, 'parent', 1000), await openSession(t.store, 'fork', 2000)]
  const briefed = async (session: Session) => (await knowledgeOf(t.store, session)).briefed
  expect(await briefed(fork)).toBeNull()
  expect(await briefed(worked(fork))).toEqual({ at: 2000, until: 0 })
  expect(await briefed(worked({ ...fork, forkedFrom: parent.id }))).toEqual({ at: 1000, until: 0 })
  expect(await briefed(worked({ ...fork, briefed: { at: 3000, until: 7 } }))).toEqual({ at: 3000, until: 7 })
})
