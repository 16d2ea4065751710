import { expect, test } from 'bun:test'
import { aControl } from '../../../test/support/control.ts'
import { someServices } from '../../../test/support/services.ts'
import { openRouter } from '../router.ts'
import { inProcessTransport } from '../server.ts'

test('a note can be saved, read, changed, forgotten, restored and deleted', async () => {
  await using t = await anApi()
  const added = await t.ask('POST', '/api/notes', {
    body: 'We chose [SQLite] for the journal',
    project: 'app',
    tags: ['db'],
    namespace: 'decisions',
  })
  const { note } = added.json
  expect(added.json).toMatchObject({
    kind: 'added',
    note: { scope: 'project', project: 'app', urn: `recollect://project/decisions/${note.id}` },
  })
  expect((await t.ask('GET', '/api/notes?project=app')).json.notes).toMatchObject([{ id: note.id }])
  expect((await t.ask('PATCH', `/api/notes/${note.id}`, { pinned: true, tags: ['db', 'journal'] })).json.note).toMatchObject({
    pinned: true,
  })
  expect((await t.ask('DELETE', `/api/notes/${note.id}`)).json).toMatchObject({ kind: 'updated' })
  expect((await t.ask('GET', '/api/notes?project=app')).json.notes).toEqual([])
  expect((await t.ask('GET', '/api/notes?project=app&hidden=1')).json.notes).toHaveLength(1)
  await t.ask('POST', `/api/notes/${note.id}/restore`, {})
  expect((await t.ask('POST', '/api/memories/batch', { ids: [`N${note.id}`] })).json).toMatchObject([
    { kind: 'note', memory: { tags: ['db', 'journal'] } },
  ])
  expect((await t.ask('DELETE', `/api/notes/${note.id}?hard=1`)).json).toEqual({ kind: 'purged', id: note.id })
  expect((await t.ask('GET', `/api/notes/${note.id}`)).status).toBe(400)
  expect(t.announced()).toEqual(['note-changed', 'note-changed', 'note-changed', 'note-changed', 'note-removed'])
})

test('a note is found by its short id and by any unique beginning of its id', async () => {
  await using t = await anApi()
  const { note } = (await t.ask('POST', '/api/notes', { body: 'Pelicans are fed at dawn', project: 'app' })).json
  const short = note.id.slice(10, 18)
  for (const id of [`N${short}`, short.toLowerCase(), `N${note.id.slice(0, 12)}`, note.id])
    expect((await t.ask('GET', `/api/notes/${id}`)).json.id).toBe(note.id)
  expect((await t.ask('POST', '/api/memories/batch', { ids: [`N${short}`] })).json).toMatchObject([{ memory: { id: note.id } }])
  expect((await t.ask('POST', '/api/timeline', { anchor: `N${short}` })).json.anchor).toBe(`note:${note.id}`)
  expect((await t.ask('GET', `/api/graph?ask=neighbours&ref=note:${short}`)).json.memory.ref).toBe(note.id)
  expect((await t.ask('POST', '/api/forget', { ids: [`N${short}`] })).status).toBe(200)
  expect((await t.ask('POST', '/api/restore', { ids: [`N${short}`] })).json.restored).toMatchObject([{ id: `N${note.id}` }])
})

test('a beginning that several notes share is refused with their ids', async () => {
  await using t = await anApi()
  const ids: string[] = []
  for (const body of ['Pelicans are fed at dawn', 'Herons are fed at noon'])
    ids.push((await t.ask('POST', '/api/notes', { body, project: 'app' })).json.note.id)
  const refused = await t.ask('GET', `/api/notes/${ids[0]?.slice(0, 4)}`)
  expect([refused.status, ids.every((id) => refused.json.error.includes(id))]).toEqual([400, true])
  expect((await t.ask('GET', '/api/notes/N01')).json.error).toContain('no note')
})

test('reading a memory in full counts as a use in later searches', async () => {
  await using t = await anApi()
  const { note } = (await t.ask('POST', '/api/notes', { body: 'Pelicans are fed at dawn', project: 'app' })).json
  const found = async () => (await t.ask('GET', '/api/search?query=pelicans')).json.hits[0].signals.use
  expect(await found()).toBeUndefined()
  await t.ask('POST', '/api/memories/batch', { ids: [`N${note.id}`, 'N01J00000000000000000000000'] })
  expect(await found()).toBeGreaterThan(0)
})

test('a note is found by its id with the N that lists print in front', async () => {
  await using t = await anApi()
  const { note } = (await t.ask('POST', '/api/notes', { body: 'Known by its N', project: 'app' })).json
  expect((await t.ask('GET', `/api/notes/N${note.id}`)).json).toMatchObject({ id: note.id })
})

test('a change based on an outdated text is refused, and so is a change of a forgotten note', async () => {
  await using t = await anApi()
  const { note } = (await t.ask('POST', '/api/notes', { body: 'one', project: 'app' })).json
  const change = (body: string, bodyWas: string) => t.ask('PATCH', `/api/notes/${note.id}`, { body, bodyWas })
  expect((await change('one, two', 'one')).status).toBe(200)
  expect(await change('one, three', 'one')).toMatchObject({ status: 409, json: { error: expect.stringContaining('meanwhile') } })
  expect((await t.ask('GET', `/api/notes/${note.id}`)).json.body).toBe('one, two')
  await t.ask('DELETE', `/api/notes/${note.id}`)
  expect((await change('one, two, three', 'one, two')).status).toBe(409)
})

test('a change to nothing but private text is refused, and the note keeps its text', async () => {
  await using t = await anApi()
  const { note } = (await t.ask('POST', '/api/notes', { body: 'one', project: 'app' })).json
  expect((await t.ask('PATCH', `/api/notes/${note.id}`, { body: '<private>two</private>' })).status).toBe(400)
  expect((await t.ask('GET', `/api/notes/${note.id}`)).json.body).toBe('one')
})

test('notes are found by words and by filters, among other memories', async () => {
  await using t = await anApi()
  await t.ask('POST', '/api/notes', { body: 'Deploys go through the blue cluster', project: 'app', namespace: 'config', tags: ['Deploy'] })
  await t.ask('POST', '/api/notes', { body: 'Deploys are frozen in December', project: 'app', namespace: 'decisions' })
  const titles = async (query: string) =>
    ((await t.ask('GET', `/api/search?project=app&query=${encodeURIComponent(query)}`)).json.hits as { title: string }[])
      .map((hit) => hit.title)
      .sort()
  expect(await titles('deploys')).toHaveLength(2)
  expect(await titles('deploys ns:config')).toEqual(['Deploys go through the blue cluster'])
  expect(await titles('deploys tag:deploy')).toEqual(['Deploys go through the blue cluster'])
  expect(await titles('deploys -tag:deploy')).toEqual(['Deploys are frozen in December'])
  expect(await titles('deploys source:import')).toEqual([])
  expect(await titles('ns:decisions')).toEqual(['Deploys are frozen in December'])
})

test('tags are found in upper and lower case, in any alphabet', async () => {
  await using t = await anApi()
  await t.ask('POST', '/api/notes', { body: 'Umläufe gehen über den Kern', project: 'app', tags: ['Über'] })
  await t.ask('POST', '/api/notes', { body: 'Umläufe enden am Abend', project: 'app', tags: ['über', 'Ωμέγα'] })
  const found = async (query: string) =>
    ((await t.ask('GET', `/api/search?project=app&query=${encodeURIComponent(query)}`)).json.hits as { title: string }[]).length
  for (const tag of ['über', 'Über', 'ÜBER'])
    expect([tag, await found(`umläufe tag:${tag}`), await found(`tag:${tag}`)]).toEqual([tag, 2, 2])
  expect(await found('tag:ΩΜΈΓΑ')).toBe(1)
  expect(await found('tag:über tag:ωμέγα')).toBe(1)
  expect(await found('umläufe -tag:ÜBER')).toBe(0)
})

test('a path filter keeps notes that name the path, not notes that contain the word', async () => {
  await using t = await anApi()
  await t.ask('POST', '/api/notes', { body: 'Logins are checked in src/auth/login.ts', project: 'app' })
  await t.ask('POST', '/api/notes', { body: 'Deploys ask auth for a blue token', project: 'app' })
  const found = async (query: string) =>
    ((await t.ask('GET', `/api/search?project=app&query=${encodeURIComponent(query)}`)).json.hits as { title: string }[]).length
  expect([await found('path:src/auth'), await found('path:login.ts'), await found('logins path:src/auth')]).toEqual([1, 1, 1])
  expect([await found('path:auth'), await found('path:"a blue" deploys'), await found('path:src/auth deploys')]).toEqual([0, 0, 0])
})

test.each([
  ['POST', '/api/notes', {}, 'body'],
  ['POST', '/api/notes', { body: 'x', type: 'thought' }, 'type'],
  ['POST', '/api/notes', { body: 'x y', namespace: 'No Such' }, 'namespace'],
  ['POST', '/api/notes', { body: 'x y', supersedes: ['unknown'] }, 'note unknown does not exist'],
  ['POST', '/api/notes', { body: 'x y', scope: 'project' }, 'project is missing'],
  ['PATCH', '/api/notes/unknown', { title: 'x' }, 'no note has the id "unknown"'],
  ['DELETE', '/api/notes/unknown?hard=1', undefined, 'no note has the id "unknown"'],
] as const)('%s %s %j is refused with a reason', async (method, path, body, word) => {
  await using t = await anApi()
  const answer = await t.ask(method, path, body)
  expect(answer.status).toBe(400)
  expect(answer.json.error).toContain(word)
})

test('a replaced note is found below its successor, marked, and can be restored', async () => {
  await using t = await anApi()
  const older = (await t.ask('POST', '/api/notes', { body: 'Use pnpm for installing packages', project: 'app' })).json.note
  const receipt = (await t.ask('POST', '/api/notes', { body: 'Use npm for installing packages', project: 'app' })).json
  expect(receipt).toMatchObject({ kind: 'restated', superseded: [older.id] })
  const { hits } = (await t.ask('POST', '/api/search', { query: 'installing packages', project: 'app' })).json
  expect(hits.map((hit: { title: string }) => hit.title)).toEqual([
    'Use npm for installing packages',
    `Replaced by N${receipt.note.id.slice(10, 18)}: Use pnpm for installing packages`,
  ])
  await t.ask('POST', `/api/notes/${older.id}/restore`, {})
  expect((await t.ask('GET', '/api/notes?project=app')).json.notes).toHaveLength(2)
})

test('a proposed note can be listed and accepted', async () => {
  await using t = await anApi()
  const { note } = (await t.ask('POST', '/api/notes', { body: 'Never push to main', project: 'app', namespace: 'rules' })).json
  expect((await t.ask('GET', '/api/notes?project=app&namespace=rules&state=proposed')).json.notes).toEqual([])
  expect((await t.ask('PATCH', `/api/notes/${note.id}`, { state: 'proposed' })).json.note).toMatchObject({ state: 'proposed' })
  expect((await t.ask('GET', '/api/notes?project=app&namespace=rules&state=proposed')).json.notes).toHaveLength(1)
  expect((await t.ask('PATCH', `/api/notes/${note.id}`, { state: 'accepted', confidence: 1 })).json.note).toMatchObject({
    state: 'accepted',
  })
})

async function anApi() {
  const t = await someServices()
  const send = inProcessTransport(openRouter(t.desk, aControl()), t.desk.log)
  return {
    announced: () => t.announced.map((change) => change.kind),
    // biome-ignore lint/suspicious/noExplicitAny: responses of many routes
    ask: async (method: string, path: string, body?: unknown): Promise<{ status: number; json: any }> => {
      const text = body === undefined ? null : JSON.stringify(body)
      const response = await send({ method, path, body: text, headers: {}, timeoutMs: null, signal: null })
      return { status: response.status, json: await response.json() }
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  }
}
