import { expect, test } from 'bun:test'
import { addObservations, note, observation, openSession, summary, temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Store } from '../store/store.ts'
import { answerParsedQuery, answerQuery, parseQuery } from './answer.ts'

const NOW = Date.UTC(2026, 10, 15, 12)
const DAY = 86_400_000
const options = { project: null, limit: 10, offset: 0 }

async function filled() {
  const t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'Fixed the pelican crash', type: 'bugfix', filesModified: ['src/birds/pelican.ts'], at: NOW - DAY }),
    observation({ title: 'Added a pelican page', type: 'feature', filesModified: ['src/pages/pelican.ts'], at: NOW - 40 * DAY }),
    observation({ title: 'Renamed the heron', type: 'refactor', filesModified: ['src/birds/heron.ts'], at: NOW - 2 * DAY }),
  ])
  return t
}

const titles = async (question: string) => {
  using t = await filled()
  return (await answerQuery(t.store, question, options, NOW)).hits.map((hit) => hit.title)
}

test('filters select by type, by file and by time', async () => {
  expect(await titles('pelican type:bugfix')).toEqual(['Fixed the pelican crash'])
  expect(await titles('pelican path:pages')).toEqual(['Added a pelican page'])
  expect(await titles('pelican since:7d')).toEqual(['Fixed the pelican crash'])
})

test('a branch filter matches the branch of the turn, however old it is', async () => {
  using t = await filled()
  const session = { ...(await openSession(t.store, 'old')), branch: 'login' }
  await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'pelican login', at: NOW - 90 * DAY })
  await addObservations(
    t.store,
    Array.from({ length: 80 }, (_, i) => observation({ title: `Chore ${i}`, at: NOW - i })),
    'chores',
  )
  const found = async (question: string) =>
    (await answerQuery(t.store, question, options, NOW)).hits.map((hit) => `${hit.kind} ${hit.title}`)
  expect(await found('pelican branch:login')).toEqual(['prompt pelican login'])
  expect(await found('branch:LOGIN')).toEqual(['prompt pelican login'])
  expect(await found('pelican branch:nowhere')).toEqual([])
})

/** Work on branches, and much work on none. */
async function branched() {
  const t = await temporaryStore()
  const chores = Array.from({ length: 120 }, (_, i) => observation({ title: `The heron of pier ${i}`, at: NOW - i * 1000 }))
  await t.store.transaction(() => addObservations(t.store, chores, 'chores'))
  const work = [
    { branch: 'feature/blue-whale', text: 'count the plankton', at: NOW - 9 * DAY },
    { branch: 'feature/blue-whale', text: 'weigh the heron', at: NOW - 8 * DAY },
    { branch: 'fix/APP-1234', text: 'weigh the anchor', at: NOW - 7 * DAY },
    { branch: 'lighthouse', text: 'paint the door', at: NOW - 6 * DAY },
    { branch: 'main', text: 'sweep the floor', at: NOW - 5 * DAY },
  ]
  for (const [i, { branch, text, at }] of work.entries()) {
    const session = { ...(await openSession(t.store, `on ${i}`)), branch }
    await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text, at })
    await t.store.sessions.complete(session.id, at)
  }
  return t
}

test('work on a branch that the query names ranks higher, and is listed if the query asks for nothing else', async () => {
  using t = await branched()
  const asked = async (question: string) => {
    const { hits, isClose } = await answerQuery(t.store, question, options, NOW)
    return [hits.slice(0, 2).map((hit) => hit.title), isClose]
  }
  const whale = [['weigh the heron', 'count the plankton'], true]
  for (const question of [
    'what did we do on feature/blue-whale',
    'what happened on the `blue-whale` branch?',
    'blue-whale',
    'Feature/Blue-Whale',
  ])
    expect([question, ...(await asked(question))]).toEqual([question, ...whale])
  expect((await asked('heron on origin/feature/blue-whale'))[0]).toEqual(['weigh the heron', expect.stringContaining('The heron')])
  expect((await asked('what did we weigh on app-1234'))[0]).toEqual(['weigh the anchor', 'weigh the heron'])
  const [hit] = (await answerQuery(t.store, 'heron blue-whale', options, NOW)).hits
  expect(hit?.signals.branch).toBeGreaterThan(0)
  expect((await answerQuery(t.store, 'heron blue-whale', options, NOW)).understood).toMatchObject([
    { word: 'blue-whale', at: 6, meaning: 'the branch feature/blue-whale' },
  ])
})

test('a branch of another project finds no work in this one', async () => {
  using t = await branched()
  const other = await openSession(t.store, 'elsewhere', 1000, asProjectKey('other'))
  await t.store.prompts.add(other, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'feed the cat', at: NOW })
  await t.store.sessions.complete(other.id, NOW)
  const asked = async (question: string) => {
    const { hits, understood } = await answerQuery(t.store, question, { ...options, project: asProjectKey('other') }, NOW)
    return [hits[0]?.title, understood.length]
  }
  expect(await asked('what did we do on blue-whale')).toEqual([undefined, 0])
  await t.store.prompts.add(other, { key: 'm', promptId: null, uuid: null, origin: 'person', text: 'paint the whale', at: NOW - 2 * DAY })
  const { isClose } = await answerQuery(
    t.store,
    'what did we do on feature/blue-whale',
    { ...options, project: asProjectKey('other') },
    NOW,
  )
  expect(isClose).toBe(false)
  await t.store.prompts.add(other, { key: 'l', promptId: null, uuid: null, origin: 'person', text: 'draw a blue-whale', at: NOW - DAY })
  expect(await asked('what did we do about blue-whale')).toEqual(['draw a blue-whale', 0])
})

test('the name of a branch without work is searched as an ordinary word', async () => {
  using t = await branched()
  await t.store.notes.put(
    note({ title: 'The blue-whale rule', body: 'Nobody feeds the blue-whale.', project: asProjectKey('app') }),
    'print',
  )
  const { hits } = await answerQuery(t.store, 'what did we do on blue-whale', { ...options, kinds: ['note'] }, NOW)
  expect(hits.map((hit) => hit.title)).toEqual(['The blue-whale rule'])
})

test('in a search of all projects, work in a project that the query names ranks higher', async () => {
  using t = await branched()
  const work = [
    { project: 'host/team/tide-pool', text: 'feed the heron', at: NOW - 20 * DAY },
    { project: 'host/team/tide-pool', text: 'paint the shed', at: NOW - 30 * DAY },
    { project: 'lagoon-a1b2c3', text: 'count the crabs', at: NOW - 40 * DAY },
    { project: 'host/one/twice-named', text: 'mend the net', at: NOW - 50 * DAY },
    { project: 'host/two/twice-named', text: 'sell the net', at: NOW - 50 * DAY },
  ]
  for (const [i, { project, text, at }] of work.entries()) {
    const session = await openSession(t.store, `in ${i}`, at, asProjectKey(project))
    await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text, at })
    await t.store.sessions.complete(session.id, at)
  }
  expect(await found(t.store, 'what did we do in tide-pool')).toEqual(['feed the heron', 'paint the shed'])
  expect(await found(t.store, 'the last thing we did in the lagoon project')).toEqual(['count the crabs'])
  expect(await found(t.store, 'what happened in tide-pool on october 16')).toEqual(['paint the shed'])
  expect((await found(t.store, 'heron in host/team/tide-pool'))[0]).toBe('feed the heron')
  expect((await found(t.store, 'heron in tide-pool')).length).toBe(10)
  const bare = await answerQuery(t.store, 'tide-pool', options, NOW)
  expect([bare.isClose, bare.hits[0]?.title]).toEqual([true, 'feed the heron'])
  expect(bare.understood).toMatchObject([{ word: 'tide-pool', meaning: 'the project host/team/tide-pool' }])
  // If several projects are named, none is preferred.
  for (const question of ['heron lagoon', 'net of twice-named', 'heron in app', 'what did we do in tide-pool and in lagoon'])
    expect([question, (await answerQuery(t.store, question, options, NOW)).understood]).toEqual([question, []])
  const own = await answerQuery(t.store, 'what did we do in tide-pool', { ...options, project: asProjectKey('host/team/tide-pool') }, NOW)
  expect(own.hits.map((hit) => hit.title)).toEqual(['feed the heron', 'paint the shed'])
  const elsewhere = await answerQuery(t.store, 'heron in tide-pool', { ...options, project: asProjectKey('app') }, NOW)
  expect([elsewhere.understood, elsewhere.hits.some((hit) => hit.signals.project)]).toEqual([[], false])
})

test('a branch in the text excludes nothing, and a plain word is never a branch', async () => {
  using t = await branched()
  const { hits } = await answerQuery(t.store, 'the heron of pier 7 on blue-whale', { ...options, limit: 50 }, NOW)
  expect(hits.map((hit) => hit.title)).toContain('The heron of pier 7')
  for (const question of ['heron main', 'heron lighthouse', 'heron feature', 'heron whale', 'heron blue-whal']) {
    const { hits, understood } = await answerQuery(t.store, question, options, NOW)
    expect([question, understood, hits.some(({ signals }) => signals.branch)]).toEqual([question, [], false])
  }
})

test('branch: accepts the last part of a branch name, unless a branch has exactly that name', async () => {
  using t = await branched()
  const of = async (name: string) => (await found(t.store, `branch:${name}`)).sort()
  expect(await of('blue-whale')).toEqual(['count the plankton', 'weigh the heron'])
  expect(await of('APP-1234')).toEqual(['weigh the anchor'])
  expect(await of('whale')).toEqual([])
  const session = { ...(await openSession(t.store, 'short')), branch: 'blue-whale' }
  await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'another whale', at: NOW })
  await t.store.sessions.complete(session.id, NOW)
  expect(await of('blue-whale')).toEqual(['another whale'])
  const { problems } = await answerQuery(t.store, 'branch:app-1234 type:bugfix', options, NOW)
  expect(problems).toEqual([])
})

test('a project filter decides which project is searched', async () => {
  using t = await filled()
  const named = async (name: string) => (name === 'nowhere' ? { problem: 'no nowhere' } : { project: asProjectKey(name) })
  const inProject = async (question: string) =>
    (await answerQuery(t.store, question, { ...options, resolveProject: named }, NOW)).hits.length
  expect([await inProject('pelican project:app'), await inProject('pelican project:other')]).toEqual([2, 0])
  const nowhere = await answerQuery(t.store, 'pelican project:nowhere', { ...options, resolveProject: named }, NOW)
  expect([nowhere.hits, nowhere.problems]).toEqual([[], [{ word: 'nowhere', at: 16, message: 'no nowhere' }]])
})

test('a filter finds what it allows, however much else matches the words better', async () => {
  using t = await filled()
  const chores = Array.from({ length: 400 }, (_, i) => observation({ title: `Pelican chore ${i}`, at: NOW - i }))
  await t.store.transaction(() => addObservations(t.store, chores, 'chores'))
  const found = async (question: string) => (await answerQuery(t.store, question, options, NOW)).hits.map((hit) => hit.title)
  expect(await found('pelican path:src/pages')).toEqual(['Added a pelican page'])
  expect(await found('pelican session:s1 type:feature')).toEqual(['Added a pelican page'])
  expect(await found('pelican chore session:s1')).toEqual(['Fixed the pelican crash', 'Added a pelican page'])
})

/** Live work, then much older imported work with higher ids, then live work again. */
async function importedLate(imported: number) {
  const t = await temporaryStore()
  const add = (session: string, ...list: Parameters<typeof observation>[0][]) =>
    addObservations(
      t.store,
      list.map((one) => observation({ type: 'bugfix', filesModified: ['src/a.ts'], ...one })),
      session,
    )
  const old = Array.from({ length: imported }, (_, i) => ({ title: `Imported pelican ${i}`, at: NOW - 100 * DAY - i * 1000 }))
  await t.store.transaction(async () => {
    await add('before', { title: 'Live pelican before the import', at: NOW - 2 * DAY })
    await add('imported', ...old)
    await add('after', { title: 'Live heron after the import', at: NOW - DAY })
  })
  return t
}

test('a filtered list is ordered by time, not by import', async () => {
  using t = await importedLate(1700)
  const live = ['Live heron after the import', 'Live pelican before the import']
  for (const filter of ['type:bugfix', 'path:src/a.ts', 'source:plain', 'kind:observation']) {
    expect([filter, (await found(t.store, filter)).slice(0, 3)]).toEqual([filter, [...live, 'Imported pelican 0']])
    expect([filter, await found(t.store, `${filter} since:7d`)]).toEqual([filter, live])
  }
})

test('so it is in a large store, however much imported work matches the words or the filter', async () => {
  using t = await importedLate(10_500)
  for (const question of [
    'pelican since:7d',
    'pelican type:bugfix since:7d',
    'pelican path:src/a.ts since:7d',
    'pelican kind:observation since:7d',
  ])
    expect([question, await found(t.store, question)]).toEqual([question, ['Live pelican before the import']])
  const { hits } = await answerQuery(t.store, 'pelican', { ...options, limit: 100 }, NOW)
  expect(hits.map((hit) => hit.title)).toContain('Live pelican before the import')
  const live = ['Live heron after the import', 'Live pelican before the import']
  for (const filter of ['type:bugfix', 'path:src/a.ts', 'source:plain'])
    expect([filter, (await found(t.store, filter)).slice(0, 3)]).toEqual([filter, [...live, 'Imported pelican 0']])
})

test('work on a branch is found however many turns it has and whenever it was recorded', async () => {
  using t = await temporaryStore()
  const at = (i: number) => NOW - (400 - i) * 3_600_000
  // As an import does: first all prompts, then their results.
  await t.store.transaction(async () => {
    for (let i = 0; i < 400; i++) {
      const session = { ...(await openSession(t.store, `s${i}`)), branch: 'main' }
      await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: `number ${i}`, at: at(i) })
    }
    for (let i = 0; i < 400; i++) {
      const one =
        i === 10
          ? observation({ title: 'Fixed the pelican crash', type: 'bugfix', at: at(i) })
          : observation({ title: `Heron ${i}`, at: at(i) })
      await addObservations(t.store, [one], `s${i}`)
    }
  })
  for (const question of ['pelican branch:main', 'crash branch:main', 'branch:main type:bugfix'])
    expect([question, await found(t.store, question)]).toEqual([question, ['Fixed the pelican crash']])
})

test('a session filter takes a number, or at least four characters of an id', async () => {
  using t = await temporaryStore()
  for (const id of ['2b6c0000', '2b6d0000', '12345678', '2'])
    await addObservations(t.store, [observation({ title: `Of ${id}`, at: NOW })], id)
  const of = async (name: string) => (await found(t.store, `session:${name}`)).sort()
  expect(await of('2')).toEqual(['Of 2b6d0000'])
  expect(await of('9')).toEqual([])
  expect(await of('2b')).toEqual([])
  expect(await of('2b6c')).toEqual(['Of 2b6c0000'])
  expect(await of('12345678')).toEqual(['Of 12345678'])
  expect(await of('1234')).toEqual(['Of 12345678'])
})

test('a filter value that no memory has is reported with suggestions if nothing is found', async () => {
  using t = await filled()
  const session = { ...(await openSession(t.store, 'old')), branch: 'feature/login' }
  await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'pelican login', at: NOW })
  const pointed = async (question: string) =>
    (await answerQuery(t.store, question, options, NOW)).problems.map(({ word, message }) => `${word}: ${message}`)
  expect(await pointed('pelican branch:feature/logn')).toEqual(['feature/logn: unknown branch “feature/logn”; did you mean feature/login?'])
  expect(await pointed('pelican branch:x')).toEqual(['x: unknown branch “x”; use one of: feature/login'])
  expect(await pointed('source:plan')).toEqual(['plan: unknown source “plan”; did you mean plain?'])
  expect(await pointed('tag:draft')).toEqual(['draft: unknown tag “draft”; no memory has one yet'])
  expect(await pointed('session:zzzz heron')).toEqual([expect.stringContaining('unknown session “zzzz”')])
  expect(await pointed('session:s1 zzyzx branch:FEATURE/login')).toEqual([])
  expect(await pointed('pelican source:plain')).toEqual([])
})

test('filters alone list what they allow, newest first', async () => {
  expect(await titles('path:birds')).toEqual(['Fixed the pelican crash', 'Renamed the heron'])
})

test('a time in the text ranks memories of that time first, and the answer says whether any match', async () => {
  using t = await filled()
  const asked = async (question: string) => {
    const { hits, time } = await answerQuery(t.store, question, options, NOW)
    return [hits.map((hit) => hit.title), time?.kept, time?.said]
  }
  expect(await asked('pelican')).toEqual([['Fixed the pelican crash', 'Added a pelican page'], undefined, undefined])
  expect(await asked('pelican on october 6')).toEqual([
    ['Added a pelican page', 'Fixed the pelican crash'],
    true,
    'Memories on 2026-10-06 rank higher.',
  ])
  expect(await asked('heron today')).toEqual([['Renamed the heron'], false, 'No match on 2026-11-15; showing results from all times.'])
  expect(await asked('heron today since:7d')).toEqual([
    ['Renamed the heron'],
    false,
    'No match on 2026-11-15; showing results from the time that the filters allow.',
  ])
  expect(await asked('heron')).toEqual([['Renamed the heron'], undefined, undefined])
})

test('a weak match from the mentioned time does not answer a query whose first hits are all from other times', async () => {
  using t = await temporaryStore()
  const add = (session: string, title: string, narrative: string, at: number) =>
    addObservations(t.store, [observation({ title, narrative, at })], session)
  for (let n = 0; n < 6; n++) await add(`s${n}`, `Pelican egg ledger of nest ${n}`, 'The pelican egg ledger.', NOW - (40 + n) * DAY)
  await add('then', 'Painted the fence', `${'We looked around and wrote it down. '.repeat(40)}By the ledger.`, NOW - DAY)
  const { hits, time } = await answerQuery(t.store, 'pelican egg ledger yesterday', options, NOW)
  expect(hits.map((hit) => hit.title).indexOf('Painted the fence')).toBe(6)
  expect(time).toMatchObject({ kept: false, said: 'No match on 2026-11-14; showing results from all times.' })
})

test('a misremembered time excludes nothing', async () => {
  using t = await filled()
  await addObservations(
    t.store,
    [
      observation({ title: 'Removal of the old lanterns', at: NOW - 5 * DAY }),
      observation({ title: 'Pinata removal', narrative: 'the pinata is gone', at: NOW - 90 * DAY }),
    ],
    'party',
  )
  const asked = async (question: string) => {
    const { hits, time } = await answerQuery(t.store, question, options, NOW)
    return [hits.map((hit) => hit.title), time?.kept]
  }
  const [pinata, lanterns] = ['Pinata removal', 'Removal of the old lanterns']
  expect(await asked('pinata removal on november 10')).toEqual([[pinata, lanterns], true])
  expect(await asked('pinata removal on october 10')).toEqual([[pinata, lanterns], false])
  expect(await asked('removal on november 10')).toEqual([[lanterns, pinata], true])
  expect(await asked('removal on august 17')).toEqual([[pinata, lanterns], true])
  expect(await asked('pinata removal since:2026-11-10')).toEqual([[lanterns], undefined])
})

test('pages are slices of one answer, also with a time in the text', async () => {
  using t = await filled()
  const page = async (offset: number) => {
    const { hits, time } = await answerQuery(t.store, 'pelican heron yesterday', { ...options, limit: 1, offset }, NOW)
    return [hits.map((hit) => hit.title), time?.kept]
  }
  const { hits, time } = await answerQuery(t.store, 'pelican heron yesterday', options, NOW)
  for (const [offset, hit] of hits.entries()) expect(await page(offset)).toEqual([[hit.title], time?.kept])
})

test('a query for recent work lists it newest first: results, then prompts, then automatic prompts', async () => {
  using t = await filled()
  const session = await openSession(t.store, 'talk')
  const ask = (key: string, origin: 'person' | 'machine', text: string, at: number) =>
    t.store.prompts.add(session, { key, promptId: null, uuid: null, origin, text, at })
  await ask('k1', 'machine', 'a task is done', NOW - 1)
  await ask('k2', 'person', 'what did the latest session work on', NOW - 2)
  await t.store.summaries.put('k', summary({ request: 'Feed the heron', at: NOW - 3 * DAY, promptNumber: 7 }))
  const made = ['Fixed the pelican crash', 'Renamed the heron', 'Feed the heron', 'Added a pelican page']
  expect(await found(t.store, 'what did I do recently')).toEqual([...made, 'what did the latest session work on', 'a task is done'])
  expect(await found(t.store, 'latest changes type:feature')).toEqual(['Added a pelican page'])
  expect(await found(t.store, 'what happened on november 13')).toEqual(['Renamed the heron'])
  expect(await found(t.store, 'last session source:machine kind:prompt')).toEqual(['a task is done'])
})

test('a query for the latest puts newer memories first among those that match about as well', async () => {
  using t = await filled()
  const [old, newer, other] = ['The ostrich release went out', 'The ostrich release went out to sea', 'The work of a release'] as const
  const add = (session: string, title: string, at: number) => addObservations(t.store, [observation({ title, at })], session)
  await add('old', old, NOW - 30 * DAY)
  await add('new', newer, NOW - 20 * DAY)
  await add('other', other, NOW - DAY)
  const asked = async (question: string) => (await found(t.store, question)).slice(0, 3)
  expect(await asked('the ostrich release')).toEqual([old, newer, other])
  for (const question of ['when did we last release the ostrich', 'the latest ostrich release', 'wann war zuletzt ein ostrich release'])
    expect([question, ...(await asked(question))]).toEqual([question, newer, old, other])
  for (const question of ['the ostrich release of foo@latest', 'ostrich:latest release', 'the ostrich release\nnpm install the latest'])
    expect([question, (await asked(question))[0]]).toEqual([question, old])
  const [first] = (await answerQuery(t.store, 'the latest ostrich release', options, NOW)).hits
  expect(first?.signals.recency).toBeGreaterThan(0.05)
})

test('a prompt is not found while its turn is running, but once its turn or session has ended', async () => {
  using t = await filled()
  const live = await openSession(t.store, 'live', NOW - 5)
  const ask = (key: string, origin: 'person' | 'machine', text: string) =>
    t.store.prompts.add(live, { key, promptId: null, uuid: null, origin, text, at: NOW - 4 })
  const earlier = await ask('k1', 'person', 'who fed the ostrich')
  if (earlier) await t.store.prompts.setAnswer(earlier, 'Nobody did.', NOW - 3)
  const asked = await ask('k2', 'person', 'where does the ostrich sleep')
  await ask('k3', 'machine', 'a task is done')
  expect(await found(t.store, 'ostrich')).toEqual(['who fed the ostrich'])
  expect(await found(t.store, 'session:live')).toEqual(['who fed the ostrich'])
  if (asked) await t.store.prompts.setAnswer(asked, 'On its feet.', NOW - 1)
  expect((await found(t.store, 'ostrich')).length).toBe(2)
  await ask('k4', 'person', 'and the emu')
  expect(await found(t.store, 'emu')).toEqual([])
  await t.store.sessions.complete(live.id, NOW)
  expect((await found(t.store, 'emu'))[0]).toBe('and the emu')
})

const found = async (store: Store, question: string) => (await answerQuery(store, question, options, NOW)).hits.map((hit) => hit.title)

test('an invalid filter value is reported and searched as text', async () => {
  using t = await filled()
  const { hits, problems } = await answerQuery(t.store, 'pelican type:pelicanish', options, NOW)
  expect(hits.length).toBe(2)
  expect(problems[0]?.word).toBe('pelicanish')
})

test('a value that was meant for a filter is not also read as a misspelled word', async () => {
  using t = await filled()
  await addObservations(t.store, [observation({ title: 'The feature list' })], 'list')
  const read = async (question: string) =>
    (await answerQuery(t.store, question, options, NOW)).problems.map(({ word, message }) => `${word}: ${message}`)
  expect(await read('feture')).toEqual(['feture: no memory contains it; searched for feature instead'])
  expect(await read('type:feture')).toEqual(['feture: unknown type “feture”; did you mean feature?'])
})

test('a misspelled filter name is reported and searched as text', async () => {
  using t = await branched()
  const pointed = async (question: string) =>
    (await answerQuery(t.store, question, options, NOW)).problems.map(({ word, at, message }) => `${word} ${at} ${message}`)
  expect(await pointed('heron tpye:bugfix')).toEqual(['tpye: 6 unknown filter tpye:; did you mean type:?'])
  for (const [question, meant] of [
    ['sicne:7d heron', 'since'],
    ['brnach:blue-whale', 'branch'],
    ['porject:app heron', 'project'],
    ['flie:src/a.ts', 'file'],
    ['sesion:12', 'session'],
    ['sorce:person', 'source'],
    ['-tpye:bugfix', 'type'],
    ['Knid:prompt', 'kind'],
  ] as const)
    expect([question, await pointed(question)]).toEqual([question, [expect.stringContaining(`did you mean ${meant}:?`)]])
  for (const question of [
    'http://x',
    'src/a.ts:12',
    'std::vector',
    'TODO: heron',
    'TODO:heron',
    'Error: heron',
    'Error:ENOENT',
    'note: heron',
    'note:bugfix',
  ])
    expect([question, await pointed(question)]).toEqual([question, []])
  for (const question of [
    'tpye:heron',
    'version:12',
    'time:12',
    'brnach:nowhere',
    'tab:heron',
    'fail:src/a.ts',
    'C:\\heron',
    'tpye::bugfix',
    'tpye://bugfix',
    'tpye:bugfix:12',
    // A word that memories contain.
    'here:src/a.ts',
  ])
    expect([question, await pointed(question)]).toEqual([question, []])
  const { hits, isClose } = await answerQuery(t.store, 'tpye:bugfix heron', options, NOW)
  expect([isClose, hits.length]).toEqual([true, 10])
})

test('a turn is listed once, also in lists by filter or by time', async () => {
  using t = await temporaryStore()
  const session = await addObservations(t.store, [observation({ title: 'Fed the pelican', promptNumber: 1, at: NOW - 2000 })])
  await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'feed it', at: NOW - 3000 })
  await t.store.summaries.put('k', summary({ sessionId: session.id, request: 'Feed it', promptNumber: 1, at: NOW - 1000 }))
  expect(await found(t.store, 'since:7d')).toEqual(['Feed it', 'Fed the pelican'])
  expect(await found(t.store, 'what did I do recently')).toEqual(['Feed it', 'Fed the pelican'])
  expect(await found(t.store, 'kind:prompt since:7d')).toEqual(['feed it'])
})

test('whether a memory matches a time does not depend on the page size', async () => {
  using t = await filled()
  const kept = async (limit: number) => (await answerQuery(t.store, 'pelican page yesterday', { ...options, limit }, NOW)).time?.kept
  expect([await kept(1), await kept(2), await kept(10)]).toEqual([await kept(10), await kept(10), await kept(10)])
})

test('punctuation alone finds nothing; next to a filter it is ignored', async () => {
  for (const signs of ['🎉', '"', '\u200b\u200c']) expect(await titles(signs)).toEqual([])
  expect(await titles('🎉 type:bugfix')).toEqual(['Fixed the pelican crash'])
})

test('if nothing is close, at most twenty that have something in common are shown as such', async () => {
  using t = await temporaryStore()
  await addObservations(
    t.store,
    Array.from({ length: 120 }, (_, i) => observation({ title: `The pelican of pier ${i}` })),
  )
  const near = (cosine: number) => async () =>
    Array.from({ length: 25 }, (_, i) => ({ documentId: i + 1, score: 1 - i / 25, cosine: cosine - i / 200 }))
  const answer = async (text: string, cosine: number) => {
    const { isClose, hits } = await answerQuery(t.store, text, { ...options, limit: 30 }, NOW, near(cosine))
    return [isClose, hits.length]
  }
  expect(await answer('who won the world cup', 0.3)).toEqual([false, 0])
  expect(await answer('who won the world cup', 0.6)).toEqual([false, 20])
  expect(await answer('who won the world cup', 0.7)).toEqual([true, 25])
  expect((await answer('pelican of a pier', 0.3))[0]).toBe(true)
})

test('a question about another topic is not answered by parts of names, by parts of words, or by one word of code', async () => {
  using t = await temporaryStore()
  const bundles = ['installDoRetry', 'howToFolder', 'entireMount', 'bakedInKey'].map((name) => observation({ title: `Renamed ${name}` }))
  const others = Array.from({ length: 200 }, (_, i) => observation({ title: `The heron of pier ${i}` }))
  await addObservations(t.store, [...bundles, ...others])
  const session = await openSession(t.store, 'code', NOW)
  const prompt = await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'go on', at: NOW })
  if (prompt) t.store.documents.putActivity(prompt.id, 'const red = 1')
  await t.store.sessions.complete(session.id, NOW)
  const isClose = async (text: string) => (await answerQuery(t.store, text, options, NOW)).isClose
  for (const text of [
    'how do I bake bread',
    'how tall is a bicycle tire',
    'where did I fold the paper',
    'why was the elasticsearch cluster red',
  ])
    expect([text, await isClose(text)]).toEqual([text, false])
  for (const text of ['ntireMoun', 'where is installDoRet', 'red', 'the heron of a pier'])
    expect([text, await isClose(text)]).toEqual([text, true])
})

test('an invalid filter value, or one misspelled word, does not make a good answer count as not close', async () => {
  using t = await temporaryStore()
  const piers = Array.from({ length: 120 }, (_, i) =>
    observation({ title: i < 4 ? `The staging of pier ${i}` : `The pelican of pier ${i}` }),
  )
  await addObservations(t.store, piers)
  const close = async (question: string) => {
    const { isClose, hits } = await answerQuery(t.store, question, options, NOW)
    return [question, isClose, hits.length]
  }
  for (const question of ['staging', 'type:bugfx staging', 'kind:zebra staging', 'bugfx staging'])
    expect(await close(question)).toEqual([question, true, 4])
  // If most words are known, a misspelled one is not replaced.
  expect((await close('pelicna staging pier'))[1]).toBe(true)
  for (const question of ['type:bugfx', 'quark neutrino boson lepton staging', 'kubernetes cluster staging'])
    expect((await close(question))[1]).toBe(false)
})

test('any text is a valid query', async () => {
  using t = await filled()
  for (const text of [
    '',
    ' ',
    '"',
    'type:',
    '-tag:',
    ':::',
    'AND OR NOT',
    '(((',
    '\0',
    'since:never',
    '💥'.repeat(500),
    "'; DROP TABLE observations; --",
  ]) {
    expect(Array.isArray((await answerQuery(t.store, text, options, NOW)).hits)).toBe(true)
  }
})

test('a parsed query can be answered several times with the same result', async () => {
  using t = await branched()
  const parsed = parseQuery('heron blue-whale tpye:bugfix last week', NOW)
  const first = await answerParsedQuery(t.store, parsed, options)
  expect(await answerParsedQuery(t.store, parsed, options)).toEqual(first)
  expect(first.understood.length).toBe(2)
})
