/**
 * The hub on a real PostgreSQL: pushes and pulls with 1, 8 and 64 devices, the first pull of a new laptop, and search in a large table; beside `pgbench` and
 * SQLite's FTS5 in the same run. Everything is on one machine, so the devices, the hub and PostgreSQL share its cores.
 */
import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArguments } from '../scripts/arguments.ts'
import { openDatabase } from '../src/hub/hub.ts'
import { runHubCommand, startHubProcess } from '../test/support/hub-process.ts'
import { findPrograms, startPostgres } from '../test/support/postgres.ts'
import { aMemory, expectOk, type HubClient, hubClient } from '../test/support/team.ts'
import { median } from './measure.ts'

const { values } = parseArguments('bin/with-bun bench/hub.ts [--rows 1000000] [--pull 100000] [--seconds 5] [--queries 25]', {
  rows: { type: 'string', default: '1000000' },
  pull: { type: 'string', default: '100000' },
  seconds: { type: 'string', default: '5' },
  queries: { type: 'string', default: '25' },
})
const [rows, pulled, seconds, queries] = [values.rows, values.pull, values.seconds, values.queries].map(Number) as [
  number,
  number,
  number,
  number,
]
const CLIENTS = [1, 8, 64]
const WORDS_PER_ROW = 40
const VOCABULARY = 60_000
const PROJECTS = 200
/** Sessions that load rows at the same time. */
const LOADERS = 3
const CUMULATIVE = new Float64Array(VOCABULARY)
for (let i = 0, sum = 0; i < VOCABULARY; i++) {
  sum += 1 / (i + 3)
  CUMULATIVE[i] = sum
}
const WORDS = Array.from({ length: VOCABULARY }, (_, n) => word(n))

const programs = findPrograms()
if (!programs) throw new Error('PostgreSQL is not installed')
const folder = mkdtempSync(join(tmpdir(), 'recollect-bench-hub-'))
const postgres = await startPostgres([
  'fsync=on',
  'max_connections=150',
  'shared_buffers=1GB',
  'max_wal_size=8GB',
  'maintenance_work_mem=512MB',
])
try {
  const database = await postgres.newDatabase()
  const operatorUrl = postgres.url(database)
  const init = await runHubCommand(folder, ['init', '--database', operatorUrl])
  if (init.code !== 0) throw new Error(init.stderr)
  const hub = await startHubProcess(postgres.url(database, 'recollect_hub'), ['--connections', '24'])
  console.log(
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, load ${(await Bun.file('/proc/loadavg').text()).split(' ')[0]}`,
  )
  const devices = await enrolDevices(hub.base, operatorUrl)
  await measurePgbench(database)
  await measurePushes(devices)
  await measurePulls(devices)
  await measureFirstPull(devices[0] as HubClient, operatorUrl)
  await measureSearch(devices[0] as HubClient, hub, operatorUrl)
  await hub.stop()
} finally {
  await postgres.remove()
  rmSync(folder, { recursive: true, force: true })
}

async function enrolDevices(base: string, operatorUrl: string): Promise<HubClient[]> {
  const invite = async (args: string[]) => {
    const { stdout } = await runHubCommand(folder, ['invite', ...args, '--json'], { RECOLLECT_HUB_DATABASE: operatorUrl })
    const { code }: { code: string } = JSON.parse(stdout)
    return hubClient(base, (await expectOk(hubClient(base, null)('POST /v1/enrol', { code, device: 'bench' }))).token)
  }
  const first = await invite(['ann'])
  const all = [first]
  while (all.length < Math.max(...CLIENTS)) {
    const { code } = await expectOk(first('POST /v1/invites', {}))
    all.push(hubClient(base, (await expectOk(hubClient(base, null)('POST /v1/enrol', { code, device: 'bench' }))).token))
  }
  for (let i = 0; i < Math.max(...CLIENTS); i++) await expectOk(first('POST /v1/projects', { key: `p${i}`, title: '' }))
  return all
}

/** How many transactions this machine's PostgreSQL can do at all: five small statements each, with a commit to the disk. */
async function measurePgbench(database: string): Promise<void> {
  const run = async (args: string[]) => {
    const child = Bun.spawn([`${programs}/pgbench`, '-h', '127.0.0.1', '-p', String(postgres.port), '-U', 'postgres', ...args, database], {
      stdout: 'pipe',
      stderr: 'ignore',
    })
    return child.stdout.text()
  }
  await run(['-i', '-q', '-s', '10'])
  for (const clients of CLIENTS) {
    const output = await run(['-c', String(clients), '-j', '2', '-T', String(Math.max(1, Math.round(seconds)))])
    console.log(`pgbench, ${String(clients).padStart(2)} clients: ${Math.round(Number(/tps = ([\d.]+)/.exec(output)?.[1]))} transactions/s`)
  }
}

/** Runs requests of several devices for some seconds. */
async function measureFor(clients: HubClient[], request: (client: HubClient, place: number, round: number) => Promise<void>) {
  const times: number[] = []
  const started = performance.now()
  const until = started + seconds * 1000
  await Promise.all(
    clients.map(async (client, c) => {
      for (let round = 0; performance.now() < until; round++) {
        const sent = performance.now()
        await request(client, c, round)
        times.push(performance.now() - sent)
      }
    }),
  )
  times.sort((a, b) => a - b)
  // The last requests end after the time is over.
  return {
    perSecond: (times.length * 1000) / (performance.now() - started),
    p50: median(times),
    p95: times[Math.floor(times.length * 0.95)] ?? Number.NaN,
  }
}

function speed({ perSecond, p50, p95 }: Awaited<ReturnType<typeof measureFor>>, each: number): string {
  return `${Math.round(perSecond)} requests/s, ${Math.round(perSecond * each)} memories/s, p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`
}

async function measurePushes(devices: HubClient[]): Promise<void> {
  const text = sentence(xorshift(1), WORDS_PER_ROW)
  for (const batch of [1, 50])
    for (const count of CLIENTS)
      for (const spread of count === 1 ? ['one project'] : ['one project', 'a project each']) {
        const run = `${batch}-${count}-${spread.length}`
        const result = await measureFor(devices.slice(0, count), async (client, c, round) => {
          const memories = Array.from({ length: batch }, (_, i) => aMemory(`${run}-${c}-${round}-${i}`, { text }))
          await untilOk(() => client('POST /v1/push', { project: spread === 'one project' ? 'p0' : `p${c}`, memories }))
        })
        console.log(`push, batches of ${batch}, ${String(count).padStart(2)} devices, ${spread}: ${speed(result, batch)}`)
      }
}

/** A project that is too busy answers 503, and a laptop tries again. */
async function untilOk(request: () => Promise<{ status: number; error: string }>): Promise<void> {
  for (;;) {
    const { status, error } = await request()
    if (status === 200) return
    if (status !== 503) throw new Error(`the hub answered ${status}: ${error}`)
  }
}

async function measurePulls(devices: HubClient[]): Promise<void> {
  for (const count of CLIENTS) {
    const result = await measureFor(devices.slice(0, count), async (client) => {
      await expectOk(client('GET /v1/pull', { project: 'p0', after: 0, limit: 200 }))
    })
    console.log(`pull, pages of 200, ${String(count).padStart(2)} devices: ${speed(result, 200)}`)
    const idle = await measureFor(devices.slice(0, count), async (client) => {
      await expectOk(client('GET /v1/pull', { project: 'p0', after: 1_000_000_000 }))
    })
    console.log(`pull, nothing new, ${String(count).padStart(2)} devices: ${speed(idle, 0)}`)
  }
}

/**
 * Fills projects past the protocol, because only reading them is measured: one COPY into tables without WAL, and the index of words is made at the end.
 * `also` receives the rows too, while PostgreSQL works on them.
 */
async function fill(
  operatorUrl: string,
  count: number,
  names: string[],
  choose: () => number,
  prefix: string,
  also: (n: number, text: string) => void = () => {},
): Promise<void> {
  const operator = openDatabase(operatorUrl, 1)
  const known = await operator.query<{ id: number; key: string }>(
    `WITH added AS (INSERT INTO recollect.projects (key) SELECT jsonb_array_elements_text($1::text::jsonb) RETURNING id, key),
       granted AS (INSERT INTO recollect.grants SELECT a.id, d.member_id, 'curate' FROM added a CROSS JOIN (SELECT member_id FROM recollect.devices LIMIT 1) d)
     SELECT id, key FROM added`,
    [JSON.stringify(names)],
  )
  const ids = names.map((name) => known.find(({ key }) => key === name)?.id ?? 0)
  const [device] = await operator.query<{ id: string; member: string }>(
    'SELECT id::text, member_id::text AS member FROM recollect.devices LIMIT 1',
  )
  const tables = await operator.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'recollect'::regnamespace AND relkind = 'r' AND relname LIKE 'memories\\_%'`,
  )
  await operator.script(tables.map(({ name }) => `ALTER TABLE recollect.${name} SET UNLOGGED;`).join('\n'))
  await operator.script('DROP INDEX recollect.memories_words')
  const loaders = Array.from({ length: LOADERS }, () => startPsql(operatorUrl))
  for (const { input } of loaders)
    input.write(`SET session_replication_role = replica;
COPY recollect.memories (project_id, id, kind, author_id, device_id, revision, hash, state, body, seq) FROM STDIN;\n`)
  const random = xorshift(count)
  const heads = names.map(() => 0)
  let lines = ''
  for (let n = 1; n <= count; n++) {
    const text = sentence(random, WORDS_PER_ROW)
    also(n, text)
    const place = choose()
    const seq = (heads[place] ?? 0) + 1
    heads[place] = seq
    const title = text.slice(0, text.indexOf(' '))
    const body = `{"type":"semantic","namespace":"decisions","title":"${title}","text":"${text.slice(title.length + 1)}","tags":[],"supersedes":[],"confidence":1,"createdAt":0,"updatedAt":0,"expiresAt":null}`
    const id = `${prefix}${String(n).padStart(9, '0')}`
    lines += `${ids[place]}\t${id}\tnote\t${device?.member}\t${device?.id}\t1\t\\\\x${n.toString(16).padStart(64, '0')}\taccepted\t${body}\t${seq}\n`
    if (n % 1000 !== 0 && n < count) continue
    const { input } = loaders[Math.floor(n / 1000) % LOADERS] as (typeof loaders)[number]
    input.write(lines)
    await input.flush()
    lines = ''
  }
  for (const [place, { input }] of loaders.entries()) {
    input.write('\\.\n')
    for (const { name } of tables.filter((_, at) => at % LOADERS === place))
      input.write(`CREATE INDEX ON recollect.${name} USING gin (words);\nVACUUM ANALYZE recollect.${name};\n`)
  }
  await Promise.all(loaders.map(({ end }) => end()))
  // It takes over the indexes of the partitions.
  await operator.script('CREATE INDEX memories_words ON recollect.memories USING gin (words)')
  await operator.query(
    'UPDATE recollect.projects p SET head = h.head::bigint FROM jsonb_to_recordset($1::text::jsonb) AS h(id int, head text) WHERE p.id = h.id',
    [JSON.stringify(ids.map((id, place) => ({ id, head: heads[place] })))],
  )
  await operator.close()
}

function startPsql(operatorUrl: string) {
  const child = Bun.spawn([`${programs}/psql`, '-q', '-v', 'ON_ERROR_STOP=1', operatorUrl], {
    stdin: 'pipe',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const end = async () => {
    await child.stdin.end()
    const problem = await child.stderr.text()
    if ((await child.exited) !== 0) throw new Error(problem)
  }
  return { input: child.stdin, end }
}

async function measureFirstPull(client: HubClient, operatorUrl: string): Promise<void> {
  await fill(operatorUrl, pulled, ['first'], () => 0, 'f')
  const started = performance.now()
  let count = 0
  for (let after = 0, more = true; more; ) {
    const page = await expectOk(client('GET /v1/pull', { project: 'first', after, limit: 500, fresh: true }))
    count += page.memories.length
    after = page.memories.at(-1)?.seq ?? page.head
    more = page.more
  }
  console.log(`first pull of ${count.toLocaleString('en')} memories: ${((performance.now() - started) / 1000).toFixed(1)} s`)
}

async function measureSearch(client: HubClient, hub: { base: string }, operatorUrl: string): Promise<void> {
  const random = xorshift(3)
  const filled = performance.now()
  const lite = new Database(join(folder, 'fts.db'))
  lite.run('PRAGMA journal_mode=OFF')
  lite.run('PRAGMA synchronous=OFF')
  lite.run(`CREATE VIRTUAL TABLE f USING fts5 (body, content='', tokenize='porter unicode61')`)
  const insert = lite.prepare('INSERT INTO f (rowid, body) VALUES (?, ?)')
  lite.run('BEGIN')
  await fill(
    operatorUrl,
    rows,
    Array.from({ length: PROJECTS }, (_, place) => `team${place}`),
    () => Math.floor(random() ** 3 * PROJECTS),
    's',
    (n, text) => insert.run(n, text),
  )
  lite.run('COMMIT')
  const operator = openDatabase(operatorUrl, 1)
  const [size] = await operator.query<{ total: string }>(
    `SELECT pg_size_pretty(sum(pg_total_relation_size(c.oid))) AS total FROM pg_class c WHERE c.relnamespace = 'recollect'::regnamespace AND c.relkind = 'r' AND c.relname LIKE 'memories\\_%'`,
  )
  await operator.close()
  console.log(
    `filled ${rows.toLocaleString('en')} rows (without WAL) in ${Math.round((performance.now() - filled) / 1000)} s; table and indexes ${size?.total}`,
  )
  const bm25 = lite.prepare<{ rowid: number }, [string]>('SELECT rowid FROM f WHERE f MATCH ? ORDER BY bm25(f), rowid DESC LIMIT 20')
  const kinds: Record<string, () => string[]> = {
    '7 ordinary words': () => Array.from({ length: 7 }, () => word(zipf(random))),
    '3 common words': () =>
      [0, 1, 2, 3, 5, 8]
        .sort(() => random() - 0.5)
        .slice(0, 3)
        .map(word),
    '3 middling words': () => Array.from({ length: 3 }, () => word(200 + Math.floor(random() * 5000))),
  }
  await expectOk(client('POST /v1/search', { query: word(300) }))
  for (const [kind, make] of Object.entries(kinds)) {
    const times: Record<string, number[]> = { hub: [], 'hub, one project': [], 'FTS5, bm25': [] }
    const timed = async <T>(name: string, ask: () => Promise<T> | T): Promise<T> => {
      const started = performance.now()
      const answer = await ask()
      times[name]?.push(performance.now() - started)
      return answer
    }
    let shared = 0
    let wanted = 0
    for (let q = 0; q < queries; q++) {
      const words = make()
      const query = words.join(' ')
      const { hits } = await timed('hub', () => expectOk(client('POST /v1/search', { query, limit: 20 })))
      await timed('hub, one project', () => expectOk(client('POST /v1/search', { query, limit: 20, project: 'team0' })))
      const truth = new Set(
        (await timed('FTS5, bm25', () => bm25.all(words.map((text) => `"${text}"`).join(' OR ')))).map(
          ({ rowid }) => `s${String(rowid).padStart(9, '0')}`,
        ),
      )
      shared += hits.filter(({ memory }) => truth.has(memory.id)).length
      wanted += truth.size
    }
    const found = `share of BM25's best 20: ${(shared / Math.max(1, wanted)).toFixed(2)}`
    console.log(
      `search, ${kind}: ${Object.entries(times)
        .map(([name, list]) => `${name} p50 ${median(list).toFixed(0)} ms`)
        .join(', ')}; ${found}`,
    )
  }
  lite.close()
  console.log(`hub at the end: ${(await fetch(`${hub.base}/ready`)).status}`)
}

/** Words as frequent as in a language: the second is half as frequent as the first, the third a third. */
function zipf(random: () => number): number {
  const wanted = random() * (CUMULATIVE.at(-1) ?? 1)
  let [low, high] = [0, VOCABULARY - 1]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((CUMULATIVE[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** A word that no stemmer shortens, the same for the same number. */
function word(n: number): string {
  let [text, rest] = ['', n + 40]
  for (; rest > 0; rest = Math.floor(rest / 60)) text += `${'bdfgklmnprtv'[rest % 12]}${'aeiou'[Math.floor(rest / 12) % 5]}`
  return `${text}k`
}

function sentence(random: () => number, words: number): string {
  let text = WORDS[zipf(random)] ?? ''
  for (let i = 1; i < words; i++) text += ` ${WORDS[zipf(random)]}`
  return text
}

function xorshift(seed: number): () => number {
  let state = seed * 2_654_435_761 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
