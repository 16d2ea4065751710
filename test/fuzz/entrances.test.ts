import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { take } from '../../src/capture/capture.ts'
import type { AgentName } from '../../src/core/agent.ts'
import { NotUnderstood } from '../../src/core/event.ts'
import { agents, claudeCode } from '../../src/integrations/agent.ts'
import { openMcp } from '../../src/mcp/server.ts'
import { answerQuery } from '../../src/retrieval/answer.ts'
import { openStore } from '../../src/store/store.ts'
import { contract } from '../../src/wire/contract/contract.ts'
import { type RouteOptions, requestFields } from '../../src/wire/contract/route.ts'
import { ingestDelivery } from '../../src/worker/intake.ts'
import { ingestTranscript } from '../../src/worker/reconcile.ts'
import { openRouter } from '../../src/worker/router.ts'
import { inProcessTransport } from '../../src/worker/server.ts'
import { aHome } from '../faults/home.ts'
import { AGENT_FIXTURES } from '../support/agent-fixtures.ts'
import { event, loginTurn, nowhere, temporaryFolder } from '../support/builders.ts'
import { aControl } from '../support/control.ts'
import { someServices } from '../support/services.ts'
import { FUZZ_MS, fuzz, fuzzBytes } from './fuzz.ts'

const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
let at: Awaited<ReturnType<typeof someServices>>
const emptyHome = temporaryFolder()
const emptyDatabase = join(emptyHome.path, 'empty.db')

beforeAll(async () => {
  ;(await openStore(emptyDatabase)).close()
  at = await someServices({ RECOLLECT_EMBEDDER_PROVIDER: 'none' })
  for (const [i, one] of loginTurn(1).entries())
    await at.store.transaction(() => take(at.store, event(one, { at: 1000 + i }), nowhere, at.desk.rules(claudeCode)))
  await at.desk.queue.drained()
})
afterAll(async () => {
  await at[Symbol.asyncDispose]()
  emptyHome[Symbol.dispose]()
})

const recorded = (agent: AgentName) => {
  const own = AGENT_FIXTURES.find((fixture) => fixture.agent === agent)?.payloads.map((payload) => JSON.stringify(payload)) ?? []
  if (agent !== 'claude-code') return own
  const folder = join(import.meta.dir, '..', 'fixtures', 'hook-payloads')
  return [
    ...own,
    ...readdirSync(folder)
      .filter((name) => name !== 'index.json')
      .map((name) => readFileSync(join(folder, name), 'utf8')),
  ]
}

describe.each(AGENT_FIXTURES.map(({ agent }) => [agent] as const))('%s', (name) => {
  test(
    'a payload in any state is stored or not understood, and answered with an object',
    async () => {
      const agent = await agents[name]()
      await fuzzBytes(`hook-${name}`, recorded(name), async (bytes) => {
        const payload = jsonOrNull(bytes)
        if (payload === null) return
        try {
          const reply = await ingestDelivery(at.desk, { agent, payload, context: nowhere, delivery: null, at: Date.now() })
          expect(typeof reply).toBe('object')
        } catch (cause) {
          if (!(cause instanceof NotUnderstood)) throw cause
        }
      })
    },
    FUZZ_MS,
  )
})

/** OpenCode's is a database; see below. */
const WITH_LINES = AGENT_FIXTURES.filter(({ agent }) => agent !== 'opencode')

describe.each(WITH_LINES.map((fixture) => [fixture.agent, fixture] as const))('%s', (name, fixture) => {
  test(
    'a transcript in any state is read, and reading it again or in two parts adds nothing',
    async () => {
      using folder = temporaryFolder()
      const path = fixture.writeTranscript(folder.path)
      const agent = await agents[name]()
      let count = 0
      await fuzzBytes(
        `transcript-${name}`,
        [readFileSync(path)],
        async (bytes) => {
          // A new session each time, under names of the same length.
          const text = Buffer.from(bytes).toString('latin1').replaceAll(SESSION_ID, String(++count).padStart(36, '0'))
          await using fresh = await transcriptReader()
          const file = join(folder.path, `${count}.jsonl`)
          const target = name === 'gemini' ? path : file
          writeFileSync(target, text, 'latin1')
          const whole = await fresh.read(agent, target)
          expect(await fresh.read(agent, target)).toEqual(whole)
          await using halves = await transcriptReader()
          truncateSync(target, Math.floor(text.length / 2))
          await halves.read(agent, target)
          writeFileSync(target, text, 'latin1')
          expect(await halves.read(agent, target)).toEqual(whole)
        },
        { runs: 40 },
      )
    },
    FUZZ_MS,
  )
})

const openCodeFixture = AGENT_FIXTURES.find(({ agent }) => agent === 'opencode')

test(
  'messages in any state in the database of OpenCode are read, and reading them again adds nothing',
  async () => {
    using folder = temporaryFolder()
    const agent = await agents.opencode()
    const path = openCodeFixture?.writeTranscript(folder.path) ?? ''
    const [file = ''] = path.split('#')
    const { n: rows } = withDatabase(file, (db) => db.query('SELECT count(*) AS n FROM part').get() as { n: number })
    const samples = withDatabase(file, (db) => db.query('SELECT data FROM part').all() as { data: string }[])
    let count = 0
    await fuzzBytes(
      'transcript-opencode',
      samples.map(({ data }) => data),
      async (bytes) => {
        openCodeFixture?.writeTranscript(folder.path)
        const damaged = decode(bytes)
        withDatabase(file, (db) => {
          db.run('UPDATE part SET data = ? WHERE rowid = ?', [damaged, 1 + (count % rows)])
          if (count++ % 3 === 0) db.run('UPDATE message SET data = ? WHERE rowid = 1', [damaged])
        })
        await using reader = await transcriptReader()
        const whole = await reader.read(agent, path)
        expect(await reader.read(agent, path)).toEqual(whole)
      },
      { runs: 40 },
    )
  },
  FUZZ_MS,
)

test(
  'a damaged database of OpenCode is read or refused, and what is stored stays',
  async () => {
    using folder = temporaryFolder()
    const agent = await agents.opencode()
    const path = openCodeFixture?.writeTranscript(folder.path) ?? ''
    const [file = ''] = path.split('#')
    const intact = readFileSync(file)
    await fuzzBytes(
      'database-opencode',
      [intact],
      async (bytes) => {
        writeFileSync(file, intact)
        await using reader = await transcriptReader()
        const whole = await reader.read(agent, path)
        expect(whole.length).toBeGreaterThan(0)
        writeFileSync(file, bytes)
        const again = await reader.read(agent, path).catch((cause: Error) => cause.message)
        if (typeof again !== 'string') expect(again).toEqual(expect.arrayContaining(whole))
        writeFileSync(file, intact)
        expect(await reader.read(agent, path)).toEqual(expect.arrayContaining(whole))
      },
      { runs: 40 },
    )
  },
  FUZZ_MS,
)

function withDatabase<T>(file: string, work: (db: Database) => T): T {
  using db = new Database(file)
  return work(db)
}

const SESSION_ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

/** Reads transcripts into a home of its own, and returns what was stored. */
async function transcriptReader() {
  const home = await someServices({ RECOLLECT_EMBEDDER_PROVIDER: 'none' }, (database) => copyFileSync(emptyDatabase, database))
  await home.desk.queue.stop()
  return {
    read: async (agent: Parameters<typeof ingestTranscript>[1], path: string) => {
      await ingestTranscript(home.desk, agent, path)
      const sessions = await home.store.sessions.recent(null, 50)
      const prompts = (await Promise.all(sessions.map(({ id }) => home.store.prompts.ofSession(id)))).flat()
      return prompts.map(({ text, answer }) => `${text} → ${answer}`).sort()
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  }
}

test(
  'a search for any text answers',
  () =>
    fuzzBytes(
      'searches',
      ['login test -tag:draft', 'type:change path:src/auth.ts since:7d', '"exp is in seconds" OR NEAR(a b)', 'what failed last week?'],
      async (bytes) => {
        const { hits } = await answerQuery(at.store, decode(bytes), { project: null, limit: 5, offset: 0 }, Date.now())
        expect(Array.isArray(hits)).toBe(true)
      },
    ),
  FUZZ_MS,
)

describe('over HTTP', () => {
  const routes = Object.entries<RouteOptions>(contract).filter(
    ([name, { raw }]) => !raw && !name.includes('/shutdown') && !name.includes('/import'),
  )
  const value = fc.oneof(
    fc.string({ maxLength: 30 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom('P1', '#1', 'S1', 'all', 'app', '01ARZ3NDEKTSV4RRFFQ69G5FAV', '7d', '-1', '1e9'),
    fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const request = fc.constantFrom(...routes).chain(([name, { request }]) => {
    const fields = (request && requestFields(request())) ?? ['query', 'id']
    return fc.record({
      name: fc.constant(name),
      fields: fc.dictionary(fc.constantFrom(...(fields.length > 0 ? fields : ['none'])), value, { maxKeys: 5 }),
      id: value,
    })
  })

  test(
    'every route answers any parameters with a status below 500',
    async () => {
      const transport = inProcessTransport(openRouter(at.desk, aControl()), at.desk.log)
      await fuzz(
        request,
        async ({ name, fields, id }) => {
          const [method = 'GET', pattern = ''] = name.split(' ')
          const path = pattern.replaceAll(/:\w+/g, () => encodeURIComponent(String(id)) || 'x')
          const isInQuery = method === 'GET' || method === 'DELETE'
          const query = new URLSearchParams(
            Object.entries(fields).map(([key, one]) => [key, typeof one === 'string' ? one : JSON.stringify(one)] as [string, string]),
          )
          const answer = await transport({
            method,
            path: isInQuery ? `${path}?${query}` : path,
            body: isInQuery ? null : JSON.stringify(fields),
            headers: {},
            timeoutMs: 5000,
            signal: null,
          })
          const text = await answer.text()
          expect([name, fields, answer.status, answer.status < 500 ? '' : text]).toEqual([
            name,
            fields,
            answer.status < 500 ? answer.status : 499,
            '',
          ])
        },
        { runs: 400 },
      )
    },
    FUZZ_MS,
  )
})

describe('over MCP', () => {
  test(
    'any message is answered with JSON-RPC or ignored, and the server goes on',
    async () => {
      const transport = inProcessTransport(openRouter(at.desk, aControl()), at.desk.log)
      const sent: string[] = []
      const connection = openMcp({ transport }).connect('app', (message) => sent.push(message))
      const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message })
      const initialize = line({
        id: 0,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'f', version: '1' } },
      })
      connection.receive(initialize)
      connection.receive(line({ method: 'notifications/initialized' }))
      const call = (name: string, args: object) => line({ id: 1, method: 'tools/call', params: { name, arguments: args } })
      const samples = [
        call('memory_recall', { query: 'login', limit: 3 }),
        call('memory_get', { ids: ['P1'] }),
        call('memory_timeline', { around: 'P1' }),
        call('memory_capture', { text: 'x', scope: 'project' }),
        call('memory_update', { id: 'N1', text: 'y' }),
        call('memory_graph', { id: 'P1' }),
        call('memory_status', {}),
        call('memory_verify', { id: 'P1', verdict: 'holds' }),
        line({ id: 2, method: 'resources/list' }),
        line({ id: 3, method: 'resources/read', params: { uri: 'recollect://brief' } }),
        line({ id: 4, method: 'prompts/list' }),
        line({ id: 5, method: 'ping' }),
      ]
      await fuzzBytes(
        'mcp',
        samples,
        async (bytes) => {
          connection.receive(decode(bytes))
          await Bun.sleep(0)
          for (const text of sent.splice(0)) expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0' })
        },
        { runs: 300 },
      )
      await Bun.sleep(200)
      sent.length = 0
      connection.receive(line({ id: 'last', method: 'tools/list' }))
      for (const until = Date.now() + 20_000; Date.now() < until && !sent.some((text) => text.includes('"last"')); ) await Bun.sleep(20)
      expect(sent.find((text) => text.includes('"last"'))).toContain('memory_recall')
      connection.close()
    },
    FUZZ_MS,
  )
})

test(
  'the hook process prints an object and exits with 0 for any bytes',
  async () => {
    await using home = aHome()
    await home.run('', 'start')
    const samples = [...recorded('claude-code').slice(0, 20), new Uint8Array([0xff, 0xfe, 0, 1])]
    await fuzzBytes(
      'hook-process',
      samples,
      async (bytes) => {
        const { code, stdout, stderr } = await home.run(bytes, 'hook', 'claude-code')
        expect([code, stderr, typeof JSON.parse(stdout)]).toEqual([0, '', 'object'])
      },
      { runs: 12 },
    )
    expect((await home.run('', 'status')).code).toBe(0)
  },
  FUZZ_MS,
)

function jsonOrNull(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decode(bytes))
  } catch {
    return null
  }
}
