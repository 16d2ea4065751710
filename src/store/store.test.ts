import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  addObservations as addAll,
  observation,
  openSession,
  summary,
  temporaryFolder,
  temporaryStore,
} from '../../test/support/builders.ts'
import { takeOlderSteps } from '../../test/support/older-steps.ts'
import { asMemorySessionId, asProjectKey } from '../core/ids.ts'
import {
  CorruptDatabase,
  checkDatabase,
  holdLock,
  isSafeSqlite,
  NewerDatabase,
  openStore,
  type SearchScope,
  type Store,
  setAside,
} from './store.ts'

const everywhere: SearchScope = {
  project: null,
  kinds: ['observation', 'summary', 'prompt', 'note'],
  since: 0,
  before: Number.MAX_SAFE_INTEGER,
  limit: 10,
}

test('opening a database that exists writes nothing; a new one can return free pages to the disk', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'a.db')
  ;(await openStore(path)).close()
  const before = readFileSync(`${path}-wal`)
  const store = await openStore(path)
  expect(readFileSync(`${path}-wal`).equals(before)).toBe(true)
  store.close()
  using db = new Database(path)
  expect(db.query('PRAGMA auto_vacuum').get()).toEqual({ auto_vacuum: 2 })
})

test('the same content session id is always the same session', async () => {
  using t = await temporaryStore()
  const first = await openSession(t.store)
  const again = await openSession(t.store)
  expect(again.id).toBe(first.id)
  expect(first.memorySessionId).toBeNull()
})

test('a memory session id is never the content session id', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store, 's1')
  await expect(t.store.sessions.setMemorySessionId(session.id, asMemorySessionId('s1'))).rejects.toThrow('CHECK')
})

test('an observation is rejected until its session has a memory session id', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  const write = () => addObservations(t.store, session.id, ['early'])
  await expect(write()).rejects.toThrow('FOREIGN KEY')
  await t.store.sessions.setMemorySessionId(session.id, asMemorySessionId('m1'))
  expect((await write()).added).toHaveLength(1)
})

test('two sessions never have the same memory session id', async () => {
  using t = await temporaryStore()
  const [one, two] = [await openSession(t.store, 's1'), await openSession(t.store, 's2')]
  await t.store.sessions.setMemorySessionId(one.id, asMemorySessionId('m1'))
  await expect(t.store.sessions.setMemorySessionId(two.id, asMemorySessionId('m1'))).rejects.toThrow('UNIQUE')
})

test('an observation has the memory session id of its session, and follows when that changes', async () => {
  using t = await temporaryStore()
  using db = new Database(t.path, { readonly: true })
  const session = await openSession(t.store, 's1')
  const carried = () => db.query('SELECT DISTINCT memory_session_id AS id FROM observations').all()
  await t.store.sessions.setMemorySessionId(session.id, asMemorySessionId('m1'))
  await addObservations(t.store, session.id, ['one'])
  expect(carried()).toEqual([{ id: 'm1' }])
  await t.store.sessions.setMemorySessionId(session.id, asMemorySessionId('m2'))
  expect(carried()).toEqual([{ id: 'm2' }])
  const orphans = 'SELECT o.id FROM observations o LEFT JOIN sessions s ON o.memory_session_id = s.memory_session_id WHERE s.id IS NULL'
  expect(db.query(orphans).all()).toEqual([])
})

test('prompts are numbered in their session, and one that arrives twice keeps its number', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  const add = (key: string) => t.store.prompts.add(session, { key, promptId: null, uuid: null, origin: 'person', text: key, at: 1 })
  expect((await add('a'))?.number).toBe(1)
  expect(await add('a')).toBeNull()
  expect((await add('b'))?.number).toBe(2)
  expect((await t.store.sessions.get(session.id))?.promptCount).toBe(2)
})

test('a tool use that arrived before its prompt is assigned to its turn', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  await t.store.toolUses.add({
    sessionId: session.id,
    promptNumber: 0,
    promptId: 'p1',
    toolUseId: 't1',
    tool: 'Bash',
    input: '{}',
    output: null,
    error: null,
    interrupted: false,
    agentId: null,
    cwd: null,
    at: 20,
  })
  await t.store.prompts.add(session, { key: 'k', promptId: 'p1', uuid: null, origin: 'person', text: 'go', at: 10 })
  expect(await t.store.toolUses.ofTurn(session.id, 1)).toHaveLength(1)
})

test('distilling a turn again keeps the ids of observations with the same key and removes the others', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  await t.store.sessions.setMemorySessionId(session.id, asMemorySessionId('m1'))
  const first = await addObservations(t.store, session.id, ['kept', 'dropped'])
  const second = await addObservations(t.store, session.id, ['kept', 'new'])
  expect(second.added.map((o) => o.title)).toEqual(['new'])
  expect(second.removed).toEqual([first.added[1]?.id as number])
  const titles = (await t.store.observations.recent(asProjectKey('app'), 10)).map((o) => `${o.id} ${o.title}`)
  expect(titles).toContain(`${first.added[0]?.id} kept`)
  expect(await t.store.documents.match(['dropped'], everywhere)).toEqual([])
})

test('deleting a session deletes everything that belongs to it, indexed words included', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  await t.store.sessions.setMemorySessionId(session.id, asMemorySessionId('m1'))
  await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'lighthouse', at: 1 })
  await addObservations(t.store, session.id, ['lighthouse'])
  await t.store.summaries.put('k', summary({ sessionId: session.id, request: 'lighthouse' }))
  expect(await t.store.documents.match(['lighthouse'], everywhere)).toHaveLength(3)
  await t.store.sessions.remove(session.id)
  expect(await t.store.documents.match(['lighthouse'], everywhere)).toEqual([])
  expect(await t.store.observations.recent(asProjectKey('app'), 10)).toEqual([])
})

test('the id of a deleted newest document is not reused, in the same worker and in the next', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'recollect.db')
  const ids: number[] = []
  for (const worker of ['first', 'second']) {
    const store = await openStore(path)
    for (const n of [1, 2]) {
      const session = await openSession(store, `${worker}-${n}`)
      await store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'lighthouse', at: 1 })
      await store.prompts.add(session, { key: 'l', promptId: null, uuid: null, origin: 'person', text: 'harbour', at: 2 })
      ids.push(await store.vectors.newestDocument())
      await store.sessions.remove(session.id)
    }
    store.close()
  }
  expect(ids).toEqual([2, 4, 6, 8])
})

test('any text can be searched', async () => {
  using t = await temporaryStore()
  for (const word of ['"', 'a"b', '*', 'NEAR(', '-x', 'col:', '\0', '^', '(', "'", 'AND']) {
    expect(await t.store.documents.match([word, 'NOT'], everywhere)).toEqual([])
  }
})

test('a new answer replaces the words of the earlier one in the index', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  const added = await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'ask', at: 1 })
  if (!added) throw new Error('not added')
  await t.store.prompts.setAnswer(added, 'provisional', 2)
  await t.store.prompts.setAnswer({ ...added, answer: 'provisional' }, 'final', 3)
  expect(await t.store.documents.match(['provisional'], everywhere)).toEqual([])
  expect(await t.store.documents.match(['final'], everywhere)).toHaveLength(1)
})

test('the id range of a time window contains all its documents, also one that was written first', async () => {
  using t = await temporaryStore()
  const times = [6000, ...Array.from({ length: 11_000 }, (_, i) => 1000 + i)]
  await t.store.transaction(() =>
    addAll(
      t.store,
      times.map((time) => observation({ at: time })),
    ),
  )
  expect(await t.store.documents.idRange(1000, 20_000)).toEqual({ after: 0, upTo: times.length })
  expect(await t.store.documents.idRange(5990, 6010)).toEqual({ after: 0, upTo: 5011 })
  expect(await t.store.documents.idRange(7000, 7001)).toEqual({ after: 6001, upTo: 6002 })
})

test('a job queued twice before it starts runs once; queued while it runs, it runs again', async () => {
  using t = await temporaryStore()
  const { jobs } = t.store
  await jobs.add('distill', '1:1', { sessionId: 1, number: 1 }, 0)
  await jobs.add('distill', '1:1', { sessionId: 1, number: 2 }, 0)
  const claimed = await jobs.claim(1)
  expect(claimed?.payload).toEqual({ sessionId: 1, number: 2 })
  expect(await jobs.claim(1)).toBeNull()
  await jobs.add('distill', '1:1', { sessionId: 1, number: 3 }, 0)
  await jobs.complete(claimed?.id as number)
  expect((await jobs.claim(1))?.payload).toEqual({ sessionId: 1, number: 3 })
})

test('the next worker runs a job whose worker died, and a dead job can be revived', async () => {
  using t = await temporaryStore()
  const { jobs } = t.store
  await jobs.add('sync', 'notes', {}, 0)
  await jobs.claim(1)
  expect(await jobs.returnRunning(5)).toBe(1)
  const again = await jobs.claim(5)
  expect(again?.attempts).toBe(2)
  await jobs.markDead(again?.id as number, 'no use')
  expect((await jobs.dead(5))[0]?.error).toBe('no use')
  expect(await jobs.reviveDead(9)).toBe(1)
  expect((await jobs.claim(9))?.attempts).toBe(1)
})

test('jobs that were queued before the clock was set back become due; those that wait after a failure do not', async () => {
  using t = await temporaryStore()
  const [hour, now] = [3_600_000, 10 * 3_600_000]
  await t.store.jobs.add('read', 'ahead', { path: '/a', agent: 'claude-code' }, now + 2 * hour, now + 2 * hour + 1000)
  await t.store.jobs.add('read', 'old', { path: '/b', agent: 'claude-code' }, now - hour, now + 2 * hour)
  await t.store.jobs.add('read', 'backoff', { path: '/c', agent: 'claude-code' }, now - hour, now + hour)
  expect(await t.store.jobs.claim(now)).toBeNull()
  expect(await t.store.jobs.bringForward(now, hour)).toBe(2)
  expect([(await t.store.jobs.claim(now))?.key, (await t.store.jobs.claim(now))?.key, await t.store.jobs.claim(now)]).toEqual([
    'ahead',
    'old',
    null,
  ])
})

test('a failed transaction stores nothing, and the next one works', async () => {
  using t = await temporaryStore()
  const failing = t.store.transaction(async () => {
    await openSession(t.store, 'lost')
    throw new Error('no')
  })
  const good = t.store.transaction(() => openSession(t.store, 'kept'))
  await expect(failing).rejects.toThrow('no')
  await good
  expect((await t.store.sessions.recent(null, 5)).map((s) => s.contentSessionId as string)).toEqual(['kept'])
})

test('a quick start compiles statements later, and notices at once that a full-text table cannot be read', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'a.db')
  const store = await openStore(path, { startsQuickly: true })
  await store.transaction(() => addAll(store, [observation({ title: 'lighthouse keeper' })]))
  expect(await store.documents.match(['lighthouse'], everywhere)).toHaveLength(1)
  store.close()
  const db = new Database(path)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  const { rootpage } = db.query("SELECT rootpage FROM sqlite_schema WHERE name = 'deeds_config'").get() as { rootpage: number }
  const { page_size: bytes } = db.query('PRAGMA page_size').get() as { page_size: number }
  db.close()
  const file = readFileSync(path)
  writeFileSync(path, file.fill(0xff, (rootpage - 1) * bytes, rootpage * bytes))
  await expect(openStore(path, { startsQuickly: true })).rejects.toThrow(CorruptDatabase)
})

test('a database of a newer program is refused and not changed', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'a.db')
  const db = new Database(path)
  db.run('PRAGMA user_version = 999')
  db.close()
  await expect(openStore(path)).rejects.toThrow(NewerDatabase)
  await expect(openStore(path)).rejects.toThrow('newer Recollect')
})

test('a read-only database of an older program is refused with what to do', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'a.db')
  const db = new Database(path)
  takeOlderSteps(db, 15)
  db.close()
  await expect(openStore(path, { readonly: true })).rejects.toThrow('Start the worker once where it can write to the file')
  ;(await openStore(path)).close()
  ;(await openStore(path, { readonly: true })).close()
})

test('after an upgrade, older prompts keep their vector until a new one is made', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'a.db')
  const db = new Database(path)
  takeOlderSteps(db, 6)
  db.run("INSERT INTO documents (id, kind, ref, project, at) VALUES (1, 'prompt', '1', 'app', 1), (2, 'summary', '1', 'app', 1)")
  db.run("INSERT INTO vectors (document_id, embedder, fingerprint, scale, row) VALUES (1, 'e', 'f', 1, x'01'), (2, 'e', 'f', 1, x'01')")
  db.run('DELETE FROM unembedded')
  db.close()
  const store = await openStore(path)
  expect((await store.vectors.waiting(9)).map(({ kind, ref }) => `${kind} ${ref}`)).toEqual(['prompt 1'])
  expect(await store.vectors.counts()).toEqual({ vectors: 2, waiting: 1 })
  store.close()
})

test('waiting jobs of an earlier version get the names and the agent that this version expects', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'a.db')
  const db = new Database(path)
  takeOlderSteps(db, 20)
  const insert = "INSERT INTO jobs (kind, key, payload, state, run_after, created_at) VALUES (?, 'k', ?, 'waiting', 0, 1)"
  db.run(insert, ['tell', '{"sessionId":1,"number":2}'])
  db.run(insert, ['read', '{"path":"/s.jsonl"}'])
  db.run(insert, ['link', '{}'])
  db.run("INSERT INTO transcripts (path, checkpoint, bytes, read_at) VALUES ('/s.jsonl', '{}', 7, 1)")
  db.run("INSERT INTO marks (name, value) VALUES ('native memory seen', '{}')")
  db.close()
  const store = await openStore(path)
  expect(await store.jobs.claim(1)).toMatchObject({ kind: 'model-distill', payload: { sessionId: 1, number: 2 } })
  expect(await store.jobs.claim(1)).toMatchObject({ kind: 'read', payload: { path: '/s.jsonl', agent: 'claude-code' } })
  expect(await store.jobs.claim(1)).toBeNull()
  expect(await store.transcripts.checkpoint('/s.jsonl', 'claude-code')).toEqual({ checkpoint: {}, bytes: 7 })
  expect(await store.audit.mark('native memory seen, claude-code')).toBe('{}')
  store.close()
})

test('after an upgrade, filters find memories of earlier versions', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'a.db')
  const db = new Database(path)
  takeOlderSteps(db, 16)
  const sql = (table: string, row: Record<string, string | number>) =>
    db.run(
      `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.values(row).map((value) => JSON.stringify(value).replaceAll('"', "'"))})`,
    )
  const times = { created_at: 1, updated_at: 1 }
  const empty = { machine: '', print: '', supersedes: '[]', unknown: '{}', scope: 'project', project: 'app', confidence: 1, pinned: 0 }
  sql('notes', {
    id: 'n',
    path: 'n.md',
    title: 'Tides',
    body: 'see src/tide.ts',
    ...empty,
    ...times,
    namespace: 'apis',
    type: 'semantic',
    source: 'human',
    tags: '[]',
  })
  sql('documents', { id: 1, kind: 'note', ref: 'n', project: 'app', at: 1 })
  sql('documents', { id: 2, kind: 'summary', ref: '1', project: 'app', at: 1 })
  db.close()
  const store = await openStore(path)
  const nothing = { session: null, paths: [], branches: [], types: [], namespaces: [], tags: [], notTags: [], sources: [], agents: [] }
  const within = { project: asProjectKey('app'), kinds: ['note' as const, 'summary' as const], since: 0, before: 9, limit: 9 }
  const found = async (filter: object) =>
    (await store.documents.newest({ ...within, filter: { ...nothing, ...filter } })).map(({ kind }) => kind)
  for (const filter of [{ paths: ['src/Tide'] }, { sources: ['human'] }, { namespaces: ['apis'] }, { types: ['semantic'] }])
    expect(await found(filter)).toEqual(['note'])
  expect(await found({ sources: ['import'] })).toEqual([])
  expect(await found({})).toEqual(['summary', 'note'])
  store.close()
})

test('a file that is not a database is reported as damaged and can be set aside', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'a.db')
  await Bun.write(path, 'this is not a database, whatever its name says. '.repeat(100))
  await expect(openStore(path)).rejects.toThrow(CorruptDatabase)
  const aside = setAside(path, new Date(0))
  expect(await Bun.file(aside).exists()).toBe(true)
  const store = await openStore(path)
  store.close()
  expect(checkDatabase(path)).toEqual([])
})

test('only one holder has the lock, until it is released', () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'lock')
  const lock = holdLock(path)
  expect(lock).not.toBeNull()
  const other = Bun.spawnSync([process.execPath, '-e', tryLock(path)])
  expect(other.stdout.toString()).toBe('taken')
  lock?.release()
  expect(Bun.spawnSync([process.execPath, '-e', tryLock(path)]).stdout.toString()).toBe('free')
})

test('killing the holder releases the lock', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'lock')
  const holder = Bun.spawn([
    process.execPath,
    '-e',
    `${importLock} while (!(globalThis.lock = holdLock(${JSON.stringify(path)}))) await Bun.sleep(5); setInterval(() => {}, 1000)`,
  ])
  const isTaken = () => {
    const mine = holdLock(path)
    mine?.release()
    return mine === null
  }
  while (!isTaken()) await Bun.sleep(20)
  holder.kill('SIGKILL')
  await holder.exited
  expect(isTaken()).toBe(false)
})

test('SQLite versions with the WAL-reset bug are refused', () => {
  expect(['3.51.2', '3.50.9', '3.46.1'].map(isSafeSqlite)).toEqual([false, false, false])
  expect(['3.51.3', '3.53.0', '4.0.0'].map(isSafeSqlite)).toEqual([true, true, true])
})

function addObservations(store: Store, sessionId: number, titles: string[]) {
  return store.observations.replaceTurn(
    { sessionId, memorySessionId: asMemorySessionId('m1'), number: 1 },
    titles.map((title) => ({ ...observation({ sessionId, title }), key: `${sessionId}:${title}` })),
  )
}

const importLock = `const { holdLock } = await import(${JSON.stringify(join(import.meta.dir, 'lock.ts'))});`
const tryLock = (path: string) => `${importLock} process.stdout.write(holdLock(${JSON.stringify(path)}) ? 'free' : 'taken')`
