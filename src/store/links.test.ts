import { expect, test } from 'bun:test'
import { openSession, temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey } from '../core/ids.ts'
import type { DocumentRef, Link, Store } from './store.ts'

const app = asProjectKey('app')
const file = { kind: 'file', name: 'src/a.ts' } as const
const symbol = { kind: 'symbol', name: 'isValid' } as const

test('setting mentions replaces the earlier ones', async () => {
  using t = await temporaryStore()
  const [one] = await prompts(t.store, 1)
  await t.store.links.setMentions(mention(one, 10), [file, symbol])
  await t.store.links.setMentions(mention(one, 20), [symbol])
  expect(await t.store.links.entitiesOf(one)).toEqual([symbol])
  expect(await t.store.links.mentionsOf(symbol, app, 'before', 100, 5)).toEqual([{ ...one, at: 20 }])
  expect(await t.store.links.mentionsOf(file, app, 'before', 100, 5)).toEqual([])
})

test('mentions before a time come newest first, after it oldest first', async () => {
  using t = await temporaryStore()
  const three = await prompts(t.store, 3)
  for (const [n, ref] of three.entries()) await t.store.links.setMentions(mention(ref, 10 * (n + 1)), [file])
  const at = async (side: 'before' | 'after', from: number) => (await t.store.links.mentionsOf(file, app, side, from, 2)).map((m) => m.at)
  expect(await at('before', 100)).toEqual([30, 20])
  expect(await at('after', 0)).toEqual([10, 20])
  expect(await at('after', 10)).toEqual([20, 30])
  expect(await t.store.links.mentionsOf(file, asProjectKey('other'), 'after', 0, 5)).toEqual([])
})

test('a link is found from both ends, and adding it twice stores it once', async () => {
  using t = await temporaryStore()
  const [a, b] = await prompts(t.store, 2)
  const link: Link = { from: a, to: b, relation: 'follows', origin: 'turn 2 after turn 1', at: 2 }
  await t.store.links.add([{ ...link, origin: 'once' }, link])
  expect(await t.store.links.of(a, 'after', 5)).toEqual([link])
  expect(await t.store.links.of(b, 'before', 5)).toEqual([link])
  expect(await t.store.links.of(a, 'before', 5)).toEqual([])
  await t.store.links.clear(b)
  expect(await t.store.links.of(a, 'after', 5)).toEqual([])
})

test('deleting a memory deletes its links at either end', async () => {
  using t = await temporaryStore()
  const [a, , c] = await prompts(t.store, 3)
  const [other] = await prompts(t.store, 1, 's2')
  await t.store.links.add([
    { from: other, to: a, relation: 'mentions', origin: 'commit c0a210c', at: 1 },
    { from: c, to: other, relation: 'mentions', origin: 'commit c0a210c', at: 2 },
  ])
  await t.store.links.setMentions(mention(a, 1), [file])
  await t.store.links.setMentions(mention(other, 2), [file, symbol])
  const gone = await t.store.sessions.find('claude-code', (await openSession(t.store, 's2')).contentSessionId)
  await t.store.sessions.remove(gone?.id ?? 0)
  expect(await t.store.links.of(a, 'before', 5)).toEqual([])
  expect(await t.store.links.of(c, 'after', 5)).toEqual([])
  expect((await t.store.links.mentionsOf(file, app, 'after', 0, 5)).map((m) => m.ref)).toEqual([a.ref])
  expect(await t.store.links.mentionsOf(symbol, app, 'after', 0, 5)).toEqual([])
})

/** Prompts of one session, by these names. */
async function prompts(store: Store, count: number, contentSessionId = 's1'): Promise<[DocumentRef, DocumentRef, DocumentRef]> {
  const session = await openSession(store, contentSessionId)
  const refs: DocumentRef[] = []
  for (let n = 0; n < count; n++) {
    const key = `${contentSessionId}-${n}`
    const added = await store.prompts.add(session, { key, promptId: null, uuid: null, origin: 'person', text: key, at: n })
    refs.push({ kind: 'prompt', ref: String(added?.id) })
  }
  return refs as [DocumentRef, DocumentRef, DocumentRef]
}

const mention = (ref: DocumentRef, at: number) => ({ ...ref, project: app, at })
