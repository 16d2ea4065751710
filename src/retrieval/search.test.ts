import { expect, test } from 'bun:test'
import { addObservations, observation, openSession, summary, temporaryStore } from '../../test/support/builders.ts'
import { storeWithChats } from '../../test/support/chats.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Prompt, Session } from '../core/memory.ts'
import type { Store } from '../store/store.ts'
import { search } from './search.ts'
import { WEIGHTS } from './weights.ts'

test('observations, summaries and prompts are found, each with its title, location and cost', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ type: 'bugfix', title: 'Fixed the pelican', narrative: 'It flew away.', at: 5000 })])
  await t.store.summaries.put('k', summary({ request: 'Feed it', learned: 'A pelican eats fish', promptNumber: 2 }))
  const hits = await search(t.store, 'pelican')
  expect(hits.map((hit) => [hit.kind, hit.type, hit.title])).toEqual([
    ['observation', 'bugfix', 'Fixed the pelican'],
    ['summary', 'turn', 'Feed it'],
  ])
  expect(hits[0]).toMatchObject({ id: '1', project: 'app', sessionId: 1, at: 5000 })
  expect(hits.every((hit) => hit.score > 0 && hit.tokens > 0)).toBe(true)
})

test('a prompt is found by its text and by its answer', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  const added = await t.store.prompts.add(session, {
    key: 'k',
    promptId: null,
    uuid: null,
    origin: 'person',
    text: 'where is the heron',
    at: 1,
  })
  if (added) await t.store.prompts.setAnswer(added, 'In the marsh.', 2)
  for (const words of ['heron', 'marsh'])
    expect((await search(t.store, words)).map((hit) => [hit.kind, hit.title])).toEqual([['prompt', 'where is the heron']])
})

test('a reply to a menu is titled by the chosen option, and small talk by its outcome', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  const ask = async (key: string, text: string, answer: string) => {
    const added = await t.store.prompts.add(session, { key, promptId: null, uuid: null, origin: 'person', text, at: 1 })
    if (added) await t.store.prompts.setAnswer(added, answer, 2)
    return added?.number ?? 0
  }
  const number = await ask('menu', '7', 'Removed the heron.')
  await t.store.summaries.put('k', summary({ sessionId: session.id, promptNumber: number, request: '7 (Remove the old heron)' }))
  await ask('small talk', 'commit this', 'Committed the pelican ledger.')
  const titleOf = async (words: string) => (await search(t.store, words, { kinds: ['prompt'], limit: 1 }))[0]?.title
  expect(await titleOf('removed heron')).toBe('7 (Remove the old heron)')
  expect(await titleOf('pelican ledger')).toBe('commit this — Committed the pelican ledger.')
})

test('a word in the title weighs more than one in the text', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'Other', narrative: 'a pelican was near' }),
    observation({ title: 'Pelican', narrative: 'nothing else here' }),
  ])
  expect((await search(t.store, 'pelican')).map((hit) => hit.title)).toEqual(['Pelican', 'Other'])
})

test('neighbouring words of the query weigh more if they are neighbours in the text', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'One', narrative: 'the blank page and then a line was drawn', at: 2 }),
    observation({ title: 'Two', narrative: 'the page was then drawn and a blank line', at: 1 }),
  ])
  expect((await search(t.store, 'blank line')).map((hit) => hit.title)).toEqual(['Two', 'One'])
  expect((await search(t.store, 'line blank')).map((hit) => hit.title)).toEqual(['One', 'Two'])
})

test('an identifier finds its parts as neighbours', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'One', narrative: 'the count was checked before each step', at: 2 }),
    observation({ title: 'Two', narrative: 'the step count was checked before each', at: 1 }),
  ])
  expect((await search(t.store, 'stepCount'))[0]?.title).toBe('Two')
})

test('a turn is found by its activity, unless activity is skipped', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  await ask(t.store, session, 1, 'make it faster')
  const warmed = await ask(t.store, session, 2, 'and now the rest')
  await t.store.prompts.setActivity(warmed, 'cache.ts export function warmTideCache() git push --force-with-lease')
  for (const question of ['warmTideCache', 'tide cache', 'force-with-lease']) {
    expect((await search(t.store, question))[0]).toMatchObject({ title: 'and now the rest', signals: { activity: expect.any(Number) } })
    expect((await search(t.store, question, { skipsActivity: true })).map((hit) => hit.signals.activity)).not.toContainEqual(
      expect.any(Number),
    )
  }
  await t.store.prompts.setActivity(warmed, 'nothing of the kind')
  expect(await search(t.store, 'warmTideCache')).toEqual([])
})

test('a name that occurs only in activity finds its turn before turns that contain parts of it', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  await addObservations(
    t.store,
    Array.from({ length: 20 }, (_, n) => observation({ title: `The tide cache, part ${n}` })),
    's2',
  )
  const wrote = await ask(t.store, session, 1, 'go on')
  await t.store.prompts.setActivity(wrote, 'clock.ts function warmTideCache07() {}')
  const hits = await search(t.store, 'why is warmTideCache07 slow')
  expect(hits[0]).toMatchObject({ kind: 'prompt', title: 'go on' })
  expect(Object.values(hits[0]?.signals ?? {}).reduce((a, b) => a + b, 0)).toBeCloseTo(hits[0]?.score ?? 0, 9)
})

test('a word in the activity of hundreds of turns finds none of them', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  await t.store.transaction(async () => {
    for (let n = 1; n <= 510; n++)
      await t.store.prompts.setActivity(await ask(t.store, session, n, `step ${n}`), `git commit ${n === 7 ? 'heron' : ''}`)
  })
  expect(await search(t.store, 'commit')).toEqual([])
  expect((await search(t.store, 'heron commit')).map((hit) => hit.title)).toEqual(['step 7'])
})

test('a session does not rank higher because one turn has three documents', async () => {
  using t = await temporaryStore()
  const told = (turn: number, title: string) => observation({ title, promptNumber: turn })
  const same = [told(1, 'The pelican landed'), told(1, 'Where the pelican sat'), told(1, 'Who fed the pelican')]
  const one = await addObservations(t.store, same, 'one')
  const three = await addObservations(
    t.store,
    [told(1, 'A pelican came'), told(2, 'Two pelican eggs'), told(3, 'Out flew a pelican')],
    'three',
  )
  const lent = new Map((await search(t.store, 'pelican')).map((hit) => [hit.sessionId, hit.signals.session ?? 0]))
  expect(lent.get(three.id)).toBeGreaterThan((lent.get(one.id) ?? 0) * 2)
})

test('a turn is shown once: its summary folds into its prompt, and both into a better observation; further observations stay', async () => {
  using t = await temporaryStore()
  const { id: sessionId } = await addObservations(t.store, [
    observation({ title: 'Fed the pelican', promptNumber: 1 }),
    observation({ title: 'Washed the pelican', promptNumber: 1 }),
  ])
  await t.store.summaries.put(
    'k',
    summary({ sessionId, request: 'Birds', learned: `A pelican ${'and much else '.repeat(30)}`, promptNumber: 1 }),
  )
  const hits = await search(t.store, 'pelican')
  expect(hits.map(({ kind, also }) => [kind, also])).toEqual([
    ['observation', ['summary:1']],
    ['observation', []],
  ])
  const summaries = await search(t.store, 'pelican', { kinds: ['summary'] })
  expect(summaries.map(({ kind }) => kind)).toEqual(['summary'])
})

test('what repeats a turn is listed with the best observation of that turn, not with a later one', async () => {
  using t = await temporaryStore()
  const filler = 'and much else was said about it '
  const { id: sessionId } = await addObservations(t.store, [
    observation({ title: 'Fed the pelican', promptNumber: 1 }),
    observation({ title: 'Washed it', narrative: `the pelican ${filler.repeat(4)}`, promptNumber: 1 }),
  ])
  await t.store.summaries.put('k', summary({ sessionId, request: 'Birds', learned: `${filler.repeat(30)} pelican`, promptNumber: 1 }))
  expect((await search(t.store, 'pelican')).map(({ title, also }) => [title, also])).toEqual([
    ['Fed the pelican', ['summary:1']],
    ['Washed it', []],
  ])
})

test('observations of a turn fold into its better summary', async () => {
  using t = await temporaryStore()
  const { id: sessionId } = await addObservations(t.store, [
    observation({ title: 'Fed it', narrative: `a pelican ${'and much else '.repeat(30)}`, promptNumber: 1 }),
    observation({ title: 'Washed it', narrative: 'another turn with a pelican', promptNumber: 2 }),
  ])
  await t.store.summaries.put('k', summary({ sessionId, request: 'Feed the pelican', learned: 'A pelican eats fish', promptNumber: 1 }))
  const hits = await search(t.store, 'pelican')
  expect(hits.map(({ title, also }) => [title, also])).toEqual([
    ['Feed the pelican', ['observation:1']],
    ['Washed it', []],
  ])
})

test('of equal hits, another session comes before a second hit of the same one', async () => {
  using t = await temporaryStore()
  const [first, second] = [observation({ title: 'Pelican one', promptNumber: 1 }), observation({ title: 'Pelican two', promptNumber: 2 })]
  const one = await addObservations(t.store, [first, second], 'one')
  const other = await addObservations(
    t.store,
    [
      { ...first, title: 'Pelican six' },
      { ...second, title: 'Pelican ten' },
    ],
    'other',
  )
  const found = (await search(t.store, 'pelican')).map((hit) => hit.sessionId)
  expect(new Set(found.slice(0, 2))).toEqual(new Set([one.id, other.id]))
  expect(found).toHaveLength(4)
})

test('pages are slices of one list, without repeats or gaps', async () => {
  using t = await temporaryStore()
  for (const name of ['one', 'two', 'three'])
    await addObservations(
      t.store,
      Array.from({ length: 20 }, (_, i) =>
        observation({ title: `Pelican ${name} ${'and more '.repeat(i % 7)}of it ${i}`, promptNumber: i + 1 }),
      ),
      name,
    )
  const pages: string[] = []
  for (let offset = 0; offset < 60; offset += 5)
    pages.push(...(await search(t.store, 'pelican', { limit: 5, offset })).map((hit) => hit.id))
  expect(new Set(pages).size).toBe(60)
  expect(pages).toEqual((await search(t.store, 'pelican', { limit: 60 })).map((hit) => hit.id))
})

test('the signals add up to the score', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'Anna: a pelican', at: 1 }), observation({ title: 'Ben: a pelican egg', at: 9 })])
  for (const hit of await search(t.store, 'pelican of Anna')) {
    expect(Object.values(hit.signals).reduce((a, b) => a + b, 0)).toBeCloseTo(hit.score, 9)
  }
})

test('the fix of a found failure ranks higher, even without any of the words', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'The pelican test fails', promptNumber: 1 }),
    observation({ title: 'Sorted the nests by age', promptNumber: 2 }),
    observation({ title: 'Painted the fence', promptNumber: 3 }),
  ])
  expect((await search(t.store, 'pelican')).map((hit) => hit.title)).toEqual(['The pelican test fails'])
  const [from, to] = [1, 2].map((id) => ({ kind: 'observation' as const, ref: String(id) }))
  if (from && to) await t.store.links.add([{ from, to, relation: 'failed-then-fixed', origin: 'bun test', at: 2 }])
  const hits = await search(t.store, 'pelican')
  expect(hits.map((hit) => hit.title)).toEqual(['The pelican test fails', 'Sorted the nests by age'])
  expect(hits[1]?.signals.links).toBe(0.5)
  expect(await search(t.store, 'pelican', { kinds: ['summary'] })).toEqual([])
})

test('of equal hits, one that was read before comes first', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'A pelican at dawn', at: 5 })], 'one')
  await addObservations(t.store, [observation({ title: 'A pelican at dusk', at: 5 })], 'two')
  const first = async () => (await search(t.store, 'pelican'))[0]
  const other = (await first())?.id === '1' ? '2' : '1'
  await t.store.documents.countUse('observation', other)
  expect(await first()).toMatchObject({ id: other, signals: { use: expect.closeTo(0.0145, 3) } })
})

test('of nearly equal hits, the newer comes first', async () => {
  using t = await temporaryStore()
  const long = (words: number) => 'quietly '.repeat(words)
  await addObservations(t.store, [observation({ title: 'A pelican at dawn', narrative: long(300), at: 1 })], 'one')
  await addObservations(t.store, [observation({ title: 'A pelican at dusk', narrative: long(302), at: 9 })], 'two')
  const hits = await search(t.store, 'pelican')
  expect(hits.map(({ title, signals }) => [title, signals.recency])).toEqual([
    ['A pelican at dusk', 0.05],
    ['A pelican at dawn', 0],
  ])
})

test('a person’s name that occurs everywhere is not searched next to other words', async () => {
  using t = await temporaryStore()
  const titles = ['Anna saw the teal pelican', 'Anna slept', 'Anna read', 'A pelican flew', 'A teal egg']
  for (const [n, title] of titles.entries()) await addObservations(t.store, [observation({ title })], `s${n}`)
  const found = async (question: string) => (await search(t.store, question)).map((hit) => hit.title).toSorted()
  expect(await found('when did Anna see a teal pelican')).toEqual(['A pelican flew', 'A teal egg', 'Anna saw the teal pelican'])
  // One other word is not enough.
  expect(await found('who is Anna with the pelican')).toContain('Anna slept')
})

test('a path filter of two letters must match a whole part of a path', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'The pelican page', filesModified: ['src/ui/page.ts'] }),
    observation({ title: 'The pelican build', filesModified: ['src/build.ts'] }),
  ])
  const filter = { session: null, paths: ['ui'], branches: [], types: [], namespaces: [], tags: [], notTags: [], sources: [], agents: [] }
  expect((await search(t.store, 'pelican', { kinds: ['observation'], filter })).map((hit) => hit.title)).toEqual(['The pelican page'])
})

test('activity that a filter allows is found, however low it ranks', async () => {
  using t = await temporaryStore()
  const [crowd, few] = [await openSession(t.store, 'crowd'), await openSession(t.store, 'few')]
  await t.store.transaction(async () => {
    const did = async (session: Session, number: number, activity: string) =>
      t.store.prompts.setActivity(await ask(t.store, session, number, `step ${number}`), activity)
    await did(few, 1, 'heron')
    await did(few, 2, `heron ${'and much more of it '.repeat(50)}`)
    for (let n = 1; n <= 300; n++) await did(crowd, n, 'the heron')
  })
  const filter = { paths: [], branches: [], types: [], namespaces: [], tags: [], notTags: [], sources: [], agents: [] }
  const session = { ids: [few.id], contentIds: ['few'], begins: null }
  expect(await search(t.store, 'heron', { filter: { ...filter, session } })).toHaveLength(2)
})

test('in a large store too, part of a name is found within a filter', async () => {
  using t = await temporaryStore()
  const crowd = Array.from({ length: 8100 }, (_, n) => observation({ title: `pelican ${n}` }))
  await t.store.transaction(async () => {
    await addObservations(t.store, [observation({ title: 'Renamed isControlRune', type: 'decision' })], 'one')
    await addObservations(t.store, crowd, 'crowd')
  })
  const filter = {
    session: null,
    paths: [],
    branches: [],
    types: ['decision'],
    namespaces: [],
    tags: [],
    notTags: [],
    sources: [],
    agents: [],
  }
  const hits = await search(t.store, 'ntrolrun', { kinds: ['observation'], filter })
  expect(hits.map((hit) => [hit.title, hit.signals.words])).toEqual([['Renamed isControlRune', 0.8]])
}, 300_000)

test('words are found in other forms, with and without accents', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'Caching responses' }), observation({ title: 'Résumé upload' })])
  expect((await search(t.store, 'cached response'))[0]?.title).toBe('Caching responses')
  for (const typed of ['resume', 'résumé', 're\u0301sume\u0301', 'RÉSUMÉ'])
    expect((await search(t.store, typed))[0]).toMatchObject({ title: 'Résumé upload', coverage: 1 })
})

test('part of a name is found even if the search by meaning finds something else', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'Renamed isControlRune' }), observation({ title: 'Fed the pelican' })])
  const near = async () => [{ documentId: 2, score: 1, cosine: 0.2 }]
  expect((await search(t.store, 'ntrolrun', {}, near))[0]).toMatchObject({ title: 'Renamed isControlRune', signals: { names: 1.5 } })
})

test('slightly similar memories are left out if the best hit contains the words, and shown if none does', async () => {
  using t = await temporaryStore()
  for (const [n, title] of ['A teal pelican', 'Painted the fence', 'Mowed the lawn'].entries())
    await addObservations(t.store, [observation({ title, at: 5 })], `s${n}`)
  const near = (score: number) => async () => [
    { documentId: 2, score, cosine: 0.2 },
    { documentId: 3, score: 1, cosine: 0.5 },
  ]
  const titles = async (question: string, score: number) => (await search(t.store, question, {}, near(score))).map((hit) => hit.title)
  expect(await titles('teal', 0.2)).toEqual(['A teal pelican', 'Mowed the lawn'])
  expect(await titles('teal', 0.99)).toEqual(['A teal pelican', 'Mowed the lawn', 'Painted the fence'])
  expect(await titles('cyan', 0.01)).toEqual(['Mowed the lawn', 'Painted the fence'])
  const [from, to] = [1, 2].map((id) => ({ kind: 'observation' as const, ref: String(id) }))
  if (from && to) await t.store.links.add([{ from, to, relation: 'failed-then-fixed', origin: 'bun test', at: 2 }])
  // A link with the best hit is a reason to keep it.
  expect(await titles('teal', 0.01)).toEqual(['A teal pelican', 'Mowed the lawn', 'Painted the fence'])
})

test('leaving out weak hits leaves no gaps between pages', async () => {
  using t = await temporaryStore()
  const faint = (n: number) =>
    observation({ title: `Work ${n}`, narrative: `${'We looked around and wrote it down. '.repeat(20)}By the pier.`, at: n })
  await addObservations(t.store, [observation({ title: 'A teal pier', at: 500 })], 'best')
  for (let n = 0; n < 30; n++) await addObservations(t.store, [observation({ title: `Fence ${n}`, at: n })], `fence ${n}`)
  for (let n = 0; n < 30; n++) await addObservations(t.store, [faint(n)], `faint ${n}`)
  const near = async () => Array.from({ length: 30 }, (_, n) => ({ documentId: n + 2, score: 0.5 - n / 1000, cosine: 0.4 }))
  const page = async (offset: number, limit: number) => (await search(t.store, 'teal pier', { offset, limit }, near)).map((hit) => hit.id)
  const all = await page(0, 200)
  const pages = await Promise.all(Array.from({ length: 10 }, (_, n) => page(n * 3, 3)))
  expect(all.length).toBeGreaterThan(30)
  expect(pages.flat()).toEqual(all.slice(0, 30))
})

test('a one-word reply to an automatic prompt is found by its words, not by meaning alone', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  const answered = async (number: number, origin: 'person' | 'machine', text: string, answer: string) => {
    const added = await t.store.prompts.add(session, { key: `k${number}`, promptId: null, uuid: null, origin, text, at: number })
    if (added) await t.store.prompts.setAnswer(added, answer, number)
  }
  await answered(1, 'machine', 'Agent "Trim the hedge" finished', 'Ack, hedge 9/18.')
  await answered(2, 'machine', 'Agent "Mow the lawn" finished', `All of it is done. ${'The lawn is even. '.repeat(15)}`)
  await answered(3, 'person', 'paint the fence', 'Done.')
  await t.store.summaries.put('k', summary({ sessionId: session.id, promptNumber: 1, request: 'A report', completed: 'Acknowledged' }))
  const near = async () => [1, 2, 3, 4].map((documentId) => ({ documentId, score: 1, cosine: 0.2 }))
  const found = (question: string) => search(t.store, question, {}, near)
  const titles = async (question: string) => (await found(question)).map((hit) => hit.title)
  expect((await titles('ostrich')).toSorted()).toEqual([
    expect.stringContaining('Mow the lawn'),
    expect.stringContaining('paint the fence'),
  ])
  const hedge = (await found('hedge')).find((hit) => hit.title.includes('Trim the hedge'))
  expect(hedge?.signals.meaning).toBe(0.6)
})

test('a document with a name that the query has half of comes first, whatever its separators', async () => {
  using t = await temporaryStore()
  const others = Array.from({ length: 10 }, (_, n) => observation({ title: `A manual commit, a commit by hand ${n}`, promptNumber: n + 1 }))
  await addObservations(t.store, others, 'one')
  await addObservations(t.store, [observation({ title: 'manual_commit_git.go: edited' })], 'two')
  for (const typed of ['manual_commit_g', 'manual-commit-gi', 'manualCommitGi', 'the manual commit of manual_commit_g'])
    expect((await search(t.store, typed, { isTyped: true }))[0]).toMatchObject({
      title: 'manual_commit_git.go: edited',
      signals: { names: 1.5 },
    })
  expect((await search(t.store, 'manual_commit_git', { isTyped: true }))[0]?.signals.names).toBeUndefined()
  // For a prompt this search would take too long in a large store.
  expect((await search(t.store, 'manual_commit_g'))[0]?.signals.names).toBeUndefined()
})

test('the extension of an unknown file name is not searched', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'Edited a.ts' }),
    observation({ title: 'Moved to ts', filesModified: ['src/b.ts'] }),
  ])
  expect(await search(t.store, 'ostrich.ts')).toEqual([])
  expect(await search(t.store, 'b.ts')).toHaveLength(2)
})

test('in a conversation with names, the turns of the named person come first', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  for (const [n, text] of ['Ben: a pelican landed', 'Anna: a pelican landed here too', 'Ben: good'].entries())
    await ask(t.store, session, n + 1, text)
  const found = async (question: string) => (await search(t.store, question)).map(({ title, signals }) => [title, signals.author])
  const author = expect.any(Number)
  expect((await found('where did the pelican of Anna go'))[0]).toEqual(['Anna: a pelican landed here too', author])
  expect((await found('where did the pelican of Ben go'))[0]).toEqual(['Ben: a pelican landed', author])
  // The first word of a query may have a capital.
  expect((await found('Anna and the pelican')).map(([, given]) => given)).not.toContainEqual(author)
})

test('of two memories that match alike, the one that was read in full before comes first', async () => {
  using t = await temporaryStore()
  await addObservations(
    t.store,
    ['a', 'b', 'c'].map((letter) => observation({ title: `The pelican of harbour ${letter}`, at: 1000 })),
  )
  const uses = async () => new Map((await search(t.store, 'pelican')).map(({ id, signals }) => [id, signals.use]))
  expect([...(await uses()).values()]).toEqual([undefined, undefined, undefined])
  await t.store.documents.countUse('observation', '1')
  for (let n = 0; n < 30; n++) await t.store.documents.countUse('observation', '2')
  const [first] = await search(t.store, 'pelican')
  expect(first?.id).toBe('2')
  const given = await uses()
  expect(given.get('3')).toBeUndefined()
  // Reading a memory often does not raise it without end.
  expect(given.get('1')).toBeGreaterThan(0)
  expect(given.get('2')).toBe(WEIGHTS.use)
})

test('a word with a colon is not an author if its neighbours have no names, all share one, or it starts a paste', async () => {
  using t = await temporaryStore()
  const conversations = [
    ['look at the parser', 'Heron: cannot find module pelican', 'go on'],
    ['Heron: one pelican', 'Heron: cannot find module pelican', 'Heron: two'],
    ['Warning: deprecated', 'Error: cannot find module pelican', 'Note: it is the parser'],
    ['Heron: cannot find module pelican'],
  ]
  for (const [n, texts] of conversations.entries()) {
    const session = await openSession(t.store, `s${n}`)
    for (const [i, text] of texts.entries()) await ask(t.store, session, i + 1, text)
  }
  const hits = await search(t.store, 'which pelican has the Heron or the Error')
  expect(hits.length).toBeGreaterThanOrEqual(4)
  expect(hits.map((hit) => hit.signals.author)).not.toContainEqual(expect.any(Number))
})

test('a search stays within its project, kind and time', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'pelican one', at: 1000 }),
    observation({ title: 'pelican two', at: 2000, project: asProjectKey('other') }),
  ])
  const found = async (within: Parameters<typeof search>[2]) => (await search(t.store, 'pelican', within)).map((hit) => hit.title)
  expect(await found({ project: asProjectKey('other') })).toEqual(['pelican two'])
  expect(await found({ since: 1500 })).toEqual(['pelican two'])
  expect(await found({ before: 2000 })).toEqual(['pelican one'])
  expect(await found({ kinds: ['summary'] })).toEqual([])
  expect(await found({ limit: 1 })).toHaveLength(1)
  expect(await found({ offset: 2 })).toEqual([])
  expect(await found({ limit: 0 })).toEqual([])
})

test('a short word matches only as a whole word', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'The same pelican' }),
    observation({ title: 'Sam and the pelican' }),
    observation({ title: 'SAMs pelican_sam' }),
  ])
  const held = new Map((await search(t.store, 'sam pelican')).map((hit) => [hit.title, hit.matched]))
  expect(Object.fromEntries(held)).toEqual({ 'The same pelican': 1, 'Sam and the pelican': 2, 'SAMs pelican_sam': 2 })
})

test('an empty query and unknown words find nothing', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'pelican' })])
  for (const question of ['', '   ', '!?', 'ostrich']) expect(await search(t.store, question)).toEqual([])
})

test('a word that was searched in vain is found as soon as a memory contains it', async () => {
  using t = await temporaryStore()
  await addObservations(
    t.store,
    Array.from({ length: 50 }, (_, n) => observation({ title: `pelican ${n}` })),
  )
  expect(await search(t.store, 'ostrich')).toEqual([])
  await addObservations(t.store, [observation({ title: 'an ostrich' })], 's2')
  expect((await search(t.store, 'ostrich')).map((hit) => hit.title)).toEqual(['an ostrich'])
})

test('any input is valid', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'pelican' })])
  const odd = ['"', '""', "'; DROP TABLE observations; --", 'a AND', 'NEAR(', '*', 'title:', '{', '^', '-x +', '\ud83d', 'x'.repeat(10_000)]
  for (const typed of odd) expect((await search(t.store, `${typed} pelican ${typed}`)).map((hit) => hit.title)).toEqual(['pelican'])
  expect(await search(t.store, '\0pelican')).toHaveLength(1)
})

test('a snippet shows the matching words and stays short', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'Long', narrative: `${'before 😀 '.repeat(500)}the pelican landed ${'after '.repeat(500)}` }),
  ])
  const [hit] = await search(t.store, 'pelican')
  expect(hit?.snippet).toContain('pelican')
  expect(hit?.snippet.length).toBeLessThanOrEqual(202)
  expect(hit?.snippet.isWellFormed()).toBe(true)
})

async function ask(store: Store, session: Session, number: number, text: string): Promise<Prompt> {
  const added = await store.prompts.add(session, { key: `k${number}`, promptId: null, uuid: null, origin: 'person', text, at: number })
  if (!added) throw new Error('it was there already')
  return added
}

test('a snippet contains the sentence with the most words of the query, not the first with one', async () => {
  using t = await temporaryStore()
  const narrative = `The ledger was opened in March. ${'Something else happened here. '.repeat(20)}Pelican invoices take their number from the ledger. ${'And more. '.repeat(40)}`
  await addObservations(t.store, [observation({ title: 'x', narrative })])
  const [hit] = await search(t.store, 'which number do pelican invoices get from the ledger')
  expect(hit?.snippet).toStartWith('…Pelican invoices take their number from the ledger.')
})

test('a question that was asked before never outranks its answer', async () => {
  using t = await storeWithChats(
    [
      [
        'where is the retry logic?',
        'Retries are in `src/retry.ts`: four tries with full jitter. Every request is wrapped in it, and tests fake the clock.',
      ],
    ],
    [['where is the retry logic', '']],
    [['where is the retry logic again?', 'See above.']],
    ...Array.from({ length: 30 }, (_, i): [string, string][] => [[`paint pier ${i}`, `Pier ${i} is painted.`]]),
  )
  const [first] = await search(t.store, 'where is the retry logic', { limit: 5, isTyped: true })
  expect(first?.snippet).toContain('src/retry.ts')
})
