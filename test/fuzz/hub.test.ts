/** The hub's protocol from both sides: a hub that gets anything from a member, and a laptop that gets anything from a hub. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { asProjectKey } from '../../src/core/ids.ts'
import { saveNote } from '../../src/notes/notes.ts'
import { shareProject } from '../../src/team/team.ts'
import { hub as contract } from '../../src/wire/contract/hub.ts'
import { type RouteOptions, requestFields } from '../../src/wire/contract/route.ts'
import { aLaptop } from '../support/laptop.ts'
import { pgliteLogins } from '../support/pglite.ts'
import { scriptedHub } from '../support/scripted-hub.ts'
import { aMemory, expectOk, startTeam, type Team } from '../support/team.ts'
import { FUZZ_MS, fuzz, fuzzBytes } from './fuzz.ts'

let team: Team
let close: () => Promise<void>
beforeAll(async () => {
  const logins = await pgliteLogins()
  close = logins.close
  team = await startTeam(logins)
}, FUZZ_MS)
afterAll(async () => {
  await team.stop()
  await close()
})

/** Sends bytes as a member does, and returns the status and the answer. */
async function send(route: string, body: Uint8Array<ArrayBuffer> | string | null, token: string, query = '') {
  const [method = '', path = ''] = route.split(' ')
  const answer = await fetch(`${team.base}${path}${query}`, { method, body, headers: { authorization: `Bearer ${token}` } })
  return { status: answer.status, text: await answer.text() }
}

/** The hub refuses or answers; it never fails, and it says so in JSON. */
function expectAnswered(what: unknown, { status, text }: { status: number; text: string }): void {
  expect([what, status, status < 500 ? '' : text]).toEqual([what, status < 500 ? status : 499, ''])
  JSON.parse(text)
}

test(
  'a hub answers any bytes, and stores only memories of the member who sent them',
  async () => {
    const writer = team.member('writer')
    const own = () => ({
      project: 'open',
      memories: [aMemory('fuzzed', { tags: ['a', 'b'], supersedes: ['x'] }), { ...aMemory('gone'), body: null }],
    })
    const samples: [string, string][] = [
      ['POST /v1/push', JSON.stringify(own())],
      ['POST /v1/search', JSON.stringify({ query: 'favourites sqlite', project: 'open', limit: 5 })],
      ['POST /v1/review', JSON.stringify({ project: 'shared', id: 'proposed', hash: 'a'.repeat(64), verdict: 'accepted' })],
      ['POST /v1/own/push', JSON.stringify({ items: [{ id: 'i', keyId: '0'.repeat(16), sealed: 'AAAA', at: 1 }] })],
      ['POST /v1/projects', JSON.stringify({ key: 'open', title: 'Open', review: true })],
      ['PUT /v1/grants', JSON.stringify({ project: 'open', member: 'reader', may: 'curate' })],
    ]
    for (const [route, sample] of samples)
      await fuzzBytes('hub-requests', [sample], async (bytes) => expectAnswered([route, bytes], await send(route, bytes, writer.token)), {
        runs: 60,
      })
    const { memories } = await expectOk(team.member('reader').call('GET /v1/pull', { project: 'open', after: 0, limit: 500, fresh: true }))
    const known = new Set(['author', 'writer'].map((kind) => team.member(kind as 'author').id))
    expect(memories.filter(({ author }) => !known.has(author.id))).toEqual([])
    expect(
      (await expectOk(team.member('author').call('GET /v1/projects', {}))).projects.map(({ key, may }) => `${key} ${may}`).sort(),
    ).toEqual(['open write', 'shared write'])
  },
  FUZZ_MS,
)

const value = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('open', 'shared', 'author', 'reader', 'accepted', 'curate', '\u0000', '1e999', '-1', crypto.randomUUID()),
  fc.jsonValue({ maxDepth: 2 }),
)
/** An erased person cannot go on, and a code is given away once; both have their own tests. */
const routes = Object.entries<RouteOptions>(contract).filter(([name, { raw }]) => !raw && !/erase|enrol|revoke/.test(name))
const request = fc.constantFrom(...routes).chain(([name, { request }]) =>
  fc.record({
    name: fc.constant(name),
    fields: fc.dictionary(fc.constantFrom(...((request && requestFields(request())) ?? ['project'])), value, { maxKeys: 5 }),
    from: fc.constantFrom('writer', 'reader', 'stranger', 'revoked', 'nobody' as const),
  }),
)

test(
  'every route of a hub answers any fields of any caller with a status below 500',
  () =>
    fuzz(
      request,
      async ({ name, fields, from }) => {
        const isInQuery = name.startsWith('GET ') || name.startsWith('DELETE ')
        const entries = Object.entries(fields).map(
          ([key, one]) => [key, typeof one === 'string' ? one : JSON.stringify(one)] as [string, string],
        )
        const answer = await send(
          name.replaceAll(/:\w+/g, 'x'),
          isInQuery ? null : JSON.stringify(fields),
          team.member(from as 'writer').token,
          isInQuery ? `?${new URLSearchParams(entries)}` : '',
        )
        expectAnswered([name, fields, from], answer)
      },
      { runs: 400 },
    ),
  FUZZ_MS,
)

test(
  'a laptop survives any answer of a hub: its own notes stay as they are, and it goes on when the hub is well',
  async () => {
    using hub = scriptedHub()
    hub.add('ada', { harbour: 'write' })
    hub.add('ben', { harbour: 'write' })
    using ada = await aLaptop(hub, 'ada')
    using ben = await aLaptop(hub, 'ben')
    const harbour = asProjectKey('harbour')
    const write = (laptop: typeof ada, body: string) => saveNote(laptop.book, { body, project: harbour, source: 'human' }, Date.now())
    await write(ada, 'The tide tables come from the harbour master.')
    await shareProject(ada.context, harbour, 'notes', 'Harbour')
    await shareProject(ben.context, harbour, 'notes', 'Harbour')
    await write(ben, 'Berths are counted from the pier.')
    await ada.exchange()
    await ben.exchange()
    const own = () =>
      [...ben.store.notes.each(harbour)].filter(({ author }) => author === null).map(({ id, body, deletedAt }) => ({ id, body, deletedAt }))
    const before = own()
    const answers = {
      'GET /v1/pull': JSON.stringify({ memories: hub.feed('harbour'), head: 2, more: false }),
      'GET /v1/projects': JSON.stringify({
        projects: [{ key: 'harbour', title: 'H', may: 'write', head: 2, review: false, retainDays: null }],
      }),
      'POST /v1/push': JSON.stringify({ results: [{ id: 'x', kind: 'stored', hash: 'h', revision: 1, state: 'accepted' }], head: 3 }),
    }
    for (const [route, sample] of Object.entries(answers)) {
      let number = 0
      await fuzzBytes(
        'hub-answers',
        [sample],
        async (bytes) => {
          hub.play((asked) => (asked === route ? new Response(bytes, { headers: { 'content-type': 'application/json' } }) : undefined))
          if (route === 'POST /v1/push') {
            await write(ben, `Note ${route} ${number++} about berths.`)
            before.splice(0, before.length, ...own())
          }
          expect(['exchanged', 'unreachable', 'refused', 'lost']).toContain((await ben.exchange()).kind)
          expect(own()).toEqual(before)
        },
        { runs: 60 },
      )
    }
    hub.play(() => undefined)
    expect(await ben.exchange()).toMatchObject({ kind: 'exchanged' })
    await ada.exchange()
    const live = (laptop: typeof ada) =>
      [...laptop.store.notes.each(harbour)].filter(({ deletedAt }) => deletedAt === null).map(({ body }) => body)
    expect(new Set(live(ada))).toEqual(new Set(live(ben)))
  },
  FUZZ_MS,
)
