import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { addObservations, observation, openSession, temporaryFolder } from '../../test/support/builders.ts'
import { openStore } from './store.ts'

const use = { promptNumber: 1, promptId: null, tool: 'Bash', input: '{}', error: null, interrupted: false, agentId: null, cwd: null, at: 1 }

test('rewriting an older database makes it shrinkable and loses nothing', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'old.db')
  const old = new Database(path, { create: true })
  old.run('PRAGMA auto_vacuum = NONE')
  old.run('CREATE TABLE x (y)')
  old.run('DROP TABLE x')
  old.close()
  const store = await openStore(path)
  expect(store.space.canShrink()).toBe(false)
  const session = await openSession(store)
  await store.transaction(async () => {
    for (let i = 0; i < 200; i++)
      await store.toolUses.add({ ...use, sessionId: session.id, toolUseId: `t${i}`, output: 'y'.repeat(50_000) })
  })
  await store.transaction(() => store.toolUses.purge(Date.now() + 1, 150))
  expect(store.space.usage().freeBytes).toBeGreaterThan(5_000_000)
  // A write in the meantime waits and is not lost.
  const [, added] = await Promise.all([
    store.space.rewrite(),
    store.transaction(() => store.toolUses.add({ ...use, sessionId: session.id, toolUseId: 'new', output: 'z' })),
  ])
  expect([added, store.space.canShrink()]).toEqual([true, true])
  expect(store.space.usage().freeBytes).toBeLessThan(100_000)
  expect([...store.toolUses.each(null)]).toHaveLength(51)
  store.close()
  expect(statSync(path).size).toBeLessThan(4_000_000)
})

test('a new database can shrink page by page', async () => {
  using folder = temporaryFolder()
  const store = await openStore(join(folder.path, 'new.db'))
  expect(store.space.canShrink()).toBe(true)
  const session = await openSession(store)
  await store.transaction(async () => {
    for (let i = 0; i < 50; i++) await store.toolUses.add({ ...use, sessionId: session.id, toolUseId: `t${i}`, output: 'y'.repeat(50_000) })
  })
  await store.transaction(() => store.toolUses.purge(Date.now() + 1, 50))
  const before = store.space.usage()
  await store.space.shrink(100)
  const after = store.space.usage()
  expect(before.bytes - after.bytes).toBe(100 * 4096)
  store.close()
})

test('index segments are merged step by step, and everything is still found', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'new.db')
  const store = await openStore(path)
  for (let i = 0; i < 12; i++) await store.transaction(() => addObservations(store, [observation({ title: `pelican ${i}` })], `s${i}`))
  const parts = () => {
    using db = new Database(path, { readonly: true })
    return db.query<{ n: number }, []>('SELECT count(DISTINCT segid) AS n FROM fulltext_idx').get()?.n ?? 0
  }
  const before = parts()
  for (let bite = 0; bite < 100 && (await store.space.merge(32)); bite++);
  expect(await store.space.merge(32)).toBe(false)
  expect(before).toBeGreaterThan(4)
  expect(parts()).toBeLessThan(4)
  const within = { project: null, kinds: ['observation' as const], since: 0, before: Number.MAX_SAFE_INTEGER, limit: 20 }
  expect(await store.documents.match(['pelican'], within)).toHaveLength(12)
  store.close()
})
