import { afterAll, beforeAll, describe, expect } from 'bun:test'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/hub/hub.ts'
import { SCHEMA_VERSION } from '../../src/hub/init.ts'
import { type HubProcess, runHubCommand, startHubProcess } from '../support/hub-process.ts'
import { findPrograms, type Postgres, postgresOrSkip, startPostgres } from '../support/postgres.ts'
import { aMemory, expectOk, type HubClient, hashOf, hubClient } from '../support/team.ts'

const it = postgresOrSkip()
const TIMEOUT_MS = 300_000

let postgres: Postgres
let home: string
let database: string
let operatorUrl: string
let hubUrl: string

beforeAll(async () => {
  if (!findPrograms()) return
  postgres = await startPostgres(['max_connections=120'])
  home = mkdtempSync(join(tmpdir(), 'recollect-operator-'))
  database = await postgres.newDatabase()
  // As on a managed service: the operator may create roles and owns the database, and is no superuser.
  await openedAs(postgres.url('postgres'), async (query) => {
    await query('CREATE ROLE manager LOGIN CREATEROLE')
    await query(`ALTER DATABASE ${database} OWNER TO manager`)
  })
  operatorUrl = postgres.url(database, 'manager')
  hubUrl = postgres.url(database, 'recollect_hub')
}, TIMEOUT_MS)
afterAll(async () => {
  await postgres?.remove()
  if (home) rmSync(home, { recursive: true, force: true })
})

const hub = (args: string[], env: Record<string, string> = { RECOLLECT_HUB_DATABASE: operatorUrl }) => runHubCommand(home, args, env)
const hubJson = async (args: string[]) => {
  const { code, stdout, stderr } = await hub([...args, '--json'])
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
const enrol = async (base: string, code: string): Promise<{ token: string; device: string }> => {
  const { token, device } = await expectOk(hubClient(base, null)('POST /v1/enrol', { code, device: 'laptop' }))
  return { token, device: device.id }
}

describe('the operator', () => {
  it(
    'init creates a hub, can be repeated, and writes the password only into a private file',
    async () => {
      const secret = 'sekret-of-the-operator'
      const address = operatorUrl.replace('manager@', `manager:${secret}@`)
      const first = await hub(['init', '--database', address])
      expect([first.code, first.stderr]).toEqual([0, ''])
      const file = join(home, 'recollect', 'hub.env')
      expect(statSync(file).mode & 0o777).toBe(0o600)
      const password = /recollect_hub:([^@]+)@/.exec(readFileSync(file, 'utf8'))?.[1] ?? ''
      expect(password.length).toBeGreaterThan(30)
      const again = await hub(['init', '--database', address, '--json'])
      expect(JSON.parse(again.stdout)).toMatchObject({ from: SCHEMA_VERSION, version: SCHEMA_VERSION, credentials: null })
      for (const text of [first.stdout, again.stdout]) for (const hidden of [secret, password]) expect(text).not.toContain(hidden)
      // PostgreSQL accepts the verifier that we computed.
      const login = openDatabase(hubUrl.replace('recollect_hub@', `recollect_hub:${password}@`), 1)
      expect(await login.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
      await login.close()
      const [stored] = await openedAs(postgres.url('postgres'), (query) =>
        query<{ verifier: string }>(`SELECT rolpassword AS verifier FROM pg_authid WHERE rolname = 'recollect_hub'`),
      )
      expect(stored?.verifier).toStartWith('SCRAM-SHA-256$4096:')
    },
    TIMEOUT_MS,
  )

  it(
    'mistakes get a reason, and no password is printed',
    async () => {
      const secret = 'sekret'
      const cases: [string[], RegExp, number][] = [
        [['init', '--database', `mysql://root:${secret}@h/d`], /must look like postgres:/, 4],
        [['init', '--database', `postgres://nobody:${secret}@127.0.0.1:1/x`], /cannot use PostgreSQL at 127\.0\.0\.1:1\/x as nobody/, 3],
        [['init', '--database', postgres.url('missing')], /has no such database/, 3],
        [['members', '--database', hubUrl], /recollect_hub may not manage the hub/, 3],
        [['members', '--database', postgres.url('postgres')], /this database has no hub/, 3],
        [['start', '--database', operatorUrl], /must not run as manager/, 3],
        [['start', '--database', postgres.url('postgres', 'recollect_hub')], /this database has no hub/, 3],
        [['start', '--database', hubUrl, '--host', '0.0.0.0'], /listens on loopback only/, 4],
        [['start', '--database', hubUrl, '--cert', 'x.pem'], /belong together/, 4],
        [['start', '--database', hubUrl, '--port', String(postgres.port)], /is in use; choose another port/, 1],
        [['start', '--database', hubUrl, '--port', '0', '--metrics', `127.0.0.1:${postgres.port}`], /is in use; choose another port/, 1],
        [['invite'], /pass the name of a new member/, 4],
        [['invite', 'x', '--grant', 'nothing'], /--grant must be/, 4],
        [['invite', 'x', '--grant', 'missing=read'], /there is no project with this key/, 4],
        [['erase', 'nobody', '--yes'], /there is no member with this name/, 4],
        [['grants', 'p', 'm', 'own'], /unknown right "own"/, 4],
        [['revoke'], /either --device or --member/, 4],
        [['revoke', '--device', 'x'], /is not a device id/, 4],
        [['retention', 'p', '0'], /from 1 to 36500/, 4],
        [['dance'], /unknown hub action "dance"/, 4],
        [[], /which action\?/, 4],
      ]
      for (const [args, reason, code] of cases) {
        const result = await hub(args)
        expect([args, result.code, result.stdout]).toEqual([args, code, ''])
        expect(result.stderr).toMatch(reason)
        expect(result.stderr).not.toContain(secret)
      }
      expect((await hub(['members'], {})).stderr).toContain('which hub?')
      expect((await runHubCommand(join(home, '..'), ['start', '--credentials', '/nonexistent/hub.env'])).stderr).toContain('does not exist')
    },
    TIMEOUT_MS,
  )

  it(
    'a schema of another version is refused',
    async () => {
      const setVersion = (version: number) =>
        openedAs(postgres.url(database), (query) => query('UPDATE recollect.hub SET version = $1', [version]))
      await setVersion(99)
      for (const result of [
        await hub(['init', '--database', operatorUrl]),
        await hub(['members']),
        await hub(['start', '--database', hubUrl]),
      ])
        expect([result.code, result.stderr]).toEqual([3, expect.stringContaining('schema version 99')])
      await setVersion(6)
      for (const result of [await hub(['members']), await hub(['start', '--database', hubUrl])])
        expect([result.code, result.stderr]).toEqual([3, expect.stringContaining("run 'recollect hub init")])
      await setVersion(SCHEMA_VERSION)
    },
    TIMEOUT_MS,
  )

  it(
    'manages members, rights and data',
    async () => {
      const running = await startHubProcess(hubUrl)
      const { code } = await hubJson(['invite', 'ann', '--role', 'admin'])
      const ann = await enrol(running.base, code)
      const call = hubClient(running.base, ann.token)
      await expectOk(call('POST /v1/projects', { key: 'p', title: 'P' }))
      const invited = await hubJson(['invite', 'bob', '--grant', 'p=write', '--hours', '2'])
      const bob = await enrol(running.base, invited.code)
      const bobCall = hubClient(running.base, bob.token)
      await expectOk(bobCall('POST /v1/push', { project: 'p', memories: [aMemory('a'), aMemory('b')] }))
      expect((await hub(['members'])).stdout).toContain('ann (admin)')
      expect(await hubJson(['grants'])).toEqual([
        { project: 'p', member: 'ann', may: 'curate' },
        { project: 'p', member: 'bob', may: 'write' },
      ])
      expect((await hub(['handover', 'bob', 'ann', '--dry-run'])).stdout).toContain(
        'Make ann the author of 2 memories of bob. Nothing was changed.',
      )
      expect(await hubJson(['handover', 'bob', 'ann', '--yes'])).toEqual({ memories: 2 })
      expect((await hub(['handover', 'ann', 'bob'])).stderr).toContain('Pass --yes')
      expect(await hubJson(['retention', 'p', '30', '--yes'])).toEqual({ project: 'p', retainDays: 30 })
      expect((await hub(['retention'])).stdout).toContain('30 days')
      await hubJson(['grants', 'p', 'bob', 'none', '--yes'])
      expect((await bobCall('GET /v1/pull', { project: 'p' })).status).toBe(403)
      const second = await hubJson(['invite', '--device-of', 'bob'])
      const other = await enrol(running.base, second.code)
      await hubJson(['revoke', '--device', other.device, '--yes'])
      expect((await hubClient(running.base, other.token)('GET /v1/me', {})).status).toBe(401)
      expect((await bobCall('GET /v1/me', {})).status).toBe(200)
      expect(await hubJson(['revoke', '--member', 'bob', '--yes'])).toEqual({ devices: 1 })
      expect((await bobCall('GET /v1/me', {})).status).toBe(401)
      expect((await hub(['invite', '--device-of', 'bob'])).stderr).toContain('the member is disabled')
      expect(await hubJson(['erase', 'ann', '--dry-run'])).toEqual({ dryRun: true, memories: 2, devices: 1, sealed: 0 })
      expect(await hubJson(['erase', 'ann', '--yes'])).toEqual({ memories: 2, devices: 1, sealed: 0 })
      const entries: { action: string; member: string | null }[] = await hubJson(['audit', '-n', '200'])
      expect(entries.filter(({ member }) => member === null).map(({ action }) => action)).toContain('erase')
      expect((await hub(['audit'])).stdout).toContain('operator')
      expect(await running.stop()).toBe(0)
    },
    TIMEOUT_MS,
  )
})

describe('the server', () => {
  it(
    'offers health, readiness and metrics, logs no text, and stops gracefully',
    async () => {
      const running = await startHubProcess(hubUrl)
      const call = await newMember(running, 'metric')
      await expectOk(call('POST /v1/projects', { key: 'measured', title: '' }))
      await expectOk(call('POST /v1/push', { project: 'measured', memories: [aMemory('a', { text: 'secret of the team' })] }))
      expect(await (await fetch(`${running.base}/health`)).json()).toEqual({ ok: true })
      expect(await (await fetch(`${running.base}/ready`)).json()).toEqual({ ready: true })
      expect((await fetch(`${running.base}/metrics`)).status).toBe(404)
      const metrics = await (await fetch(running.metrics)).text()
      expect(metrics).toContain('recollect_hub_requests_total{route="POST /v1/push",status="200"} 1')
      expect(metrics).toContain('recollect_hub_memories_pushed_total 1')
      expect(metrics).not.toContain('measured')
      const slow = call('POST /v1/push', { project: 'measured', memories: Array.from({ length: 200 }, (_, i) => aMemory(`m${i}`)) })
      await Bun.sleep(30)
      const stopped = running.stop()
      expect((await slow).status).toBe(200)
      expect(await stopped).toBe(0)
      expect(running.log()).not.toContain('secret')
    },
    TIMEOUT_MS,
  )

  it(
    'serves TLS from certificate files',
    async () => {
      const [cert, key] = [join(home, 'cert.pem'), join(home, 'key.pem')]
      const made = Bun.spawnSync([
        'openssl',
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        '-subj',
        '/CN=localhost',
        '-keyout',
        key,
        '-out',
        cert,
      ])
      expect(made.exitCode).toBe(0)
      chmodSync(key, 0o600)
      const running = await startHubProcess(hubUrl, ['--cert', cert, '--key', key])
      expect(running.base).toStartWith('https://')
      const response = await fetch(`${running.base}/health`, { tls: { rejectUnauthorized: false } })
      expect(response.status).toBe(200)
      await running.stop()
    },
    TIMEOUT_MS,
  )

  it(
    "the hub's login cannot become another role, nor keep an identity across transactions of one message",
    async () => {
      const login = openDatabase(hubUrl, 1)
      for (const text of ['SET SESSION AUTHORIZATION postgres', 'SET ROLE recollect_owner'])
        expect(
          await login.query(text).then(
            () => 'allowed',
            (cause) => cause.errno,
          ),
        ).toBe('42501')
      const running = await startHubProcess(hubUrl)
      const { code } = await hubJson(['invite', 'replayed', '--role', 'admin'])
      const { token } = await enrol(running.base, code)
      // Both transactions are in one message, so they begin at the same moment in the same process.
      await login.script(`
      BEGIN; SELECT recollect.identify('${token}'); SELECT set_config('kept.identity', current_setting('recollect.identity'), false);
      SELECT set_config('kept.first', coalesce(recollect.me()::text, 'nobody'), false); COMMIT;
      BEGIN; SELECT set_config('recollect.identity', current_setting('kept.identity'), true);
      SELECT set_config('kept.second', coalesce(recollect.me()::text, 'nobody'), false); COMMIT`)
      const [kept] = await login.query<{ first: string; second: string }>(
        `SELECT current_setting('kept.first') AS first, current_setting('kept.second') AS second`,
      )
      expect(kept?.first).toMatch(/^[0-9a-f-]{36}$/)
      expect(kept?.second).toBe('nobody')
      await login.close()
      await running.stop()
    },
    TIMEOUT_MS,
  )
})

describe('several at once', () => {
  it(
    'a pull during an open push misses nothing afterwards',
    async () => {
      const running = await startHubProcess(hubUrl)
      const call = await newMember(running, 'puller')
      await expectOk(call('POST /v1/projects', { key: 'ordered', title: '' }))
      const { code } = await hubJson(['invite', '--device-of', 'puller'])
      const { token } = await enrol(running.base, code)
      const login = openDatabase(hubUrl, 2)
      const gate = Promise.withResolvers<void>()
      const isOpen = Promise.withResolvers<void>()
      // A push that has its numbers and has not committed.
      const open = login.transaction(async (query) => {
        await query('SELECT recollect.identify($1)', [token])
        await query(`SELECT recollect.lock_feed('ordered', 'write')`)
        await query(`INSERT INTO recollect.memories (project_id, id, kind, author_id, device_id, revision, hash, state, body, seq)
        SELECT id, 'slow', 'note', recollect.me(), recollect.my_device(), 1, '\\x00', 'accepted', '{}', head + 1 FROM recollect.projects WHERE key = 'ordered'`)
        isOpen.resolve()
        await gate.promise
      })
      await isOpen.promise
      const waiting = call('POST /v1/push', { project: 'ordered', memories: [aMemory('fast')] })
      await Bun.sleep(200)
      const first = await expectOk(call('GET /v1/pull', { project: 'ordered' }))
      expect(first.memories).toEqual([])
      gate.resolve()
      await open
      await expectOk(waiting)
      const second = await expectOk(call('GET /v1/pull', { project: 'ordered', after: first.head }))
      expect(second.memories.map(({ id, seq }) => [id, seq])).toEqual([
        ['slow', 1],
        ['fast', 2],
      ])
      await login.close()
      await running.stop()
    },
    TIMEOUT_MS,
  )

  it(
    'two hubs and eight devices push to one project: every number once, every memory once',
    async () => {
      const hubs = await Promise.all([startHubProcess(hubUrl), startHubProcess(hubUrl)])
      const [one, two] = hubs as [HubProcess, HubProcess]
      const call = await newMember(one, 'many')
      await expectOk(call('POST /v1/projects', { key: 'busy', title: '' }))
      const devices: HubClient[] = []
      for (let i = 0; i < 8; i++) {
        const { code } = await hubJson(['invite', '--device-of', 'many'])
        const base = i % 2 === 0 ? one.base : two.base
        devices.push(hubClient(base, (await enrol(base, code)).token))
      }
      let cursor = 0
      const seen: string[] = []
      let isPushing = true
      const pulling = (async () => {
        for (let last = false; !last; ) {
          last = !isPushing
          const page = await expectOk(
            hubClient(two.base, callToken.get('many') ?? '')('GET /v1/pull', { project: 'busy', after: cursor, limit: 500 }),
          )
          seen.push(...page.memories.map(({ id }) => id))
          cursor = page.more ? (page.memories.at(-1)?.seq ?? cursor) : page.head
          if (page.more) last = false
        }
      })()
      await Promise.all(
        devices.map(async (device, d) => {
          for (let i = 0; i < 10; i++) {
            const memories = Array.from({ length: 5 }, (_, j) => aMemory(`d${d}-${i}-${j}`))
            await expectOk(device('POST /v1/push', { project: 'busy', memories }))
            if (i % 3 === 0) await expectOk(device('POST /v1/push', { project: 'busy', memories }))
          }
        }),
      )
      isPushing = false
      await pulling
      expect(seen).toHaveLength(400)
      expect(new Set(seen).size).toBe(400)
      expect(cursor).toBe(400)
      await Promise.all(hubs.map((running) => running.stop()))
    },
    TIMEOUT_MS,
  )

  it(
    'PostgreSQL and a hub are killed during pushes: what was answered is there, and repeating the rest stores it once',
    async () => {
      let running = await startHubProcess(hubUrl)
      await newMember(running, 'unlucky')
      const token = callToken.get('unlucky') ?? ''
      const client = () => hubClient(running.base, token)
      await expectOk(client()('POST /v1/projects', { key: 'crashed', title: '' }))
      const answered: string[] = []
      let isDone = false
      const pushing = (async () => {
        for (let i = 0; !isDone; i++) {
          const memories = Array.from({ length: 5 }, (_, j) => aMemory(`m${i}-${j}`))
          for (;;) {
            const status = await client()('POST /v1/push', { project: 'crashed', memories }).then(
              ({ status }) => status,
              () => 0,
            )
            if (status === 200) break
            expect([0, 503]).toContain(status)
            await Bun.sleep(100)
          }
          answered.push(...memories.map(({ id }) => id))
        }
      })()
      await Bun.sleep(500)
      await postgres.kill()
      expect((await fetch(`${running.base}/health`)).status).toBe(200)
      expect((await fetch(`${running.base}/ready`)).status).toBe(503)
      await postgres.start()
      const afterRestart = answered.length
      for (let i = 0; i < 200 && answered.length < afterRestart + 20; i++) await Bun.sleep(100)
      expect(answered.length).toBeGreaterThanOrEqual(afterRestart + 20)
      await running.kill()
      running = await startHubProcess(hubUrl)
      const afterKill = answered.length
      for (let i = 0; i < 200 && answered.length < afterKill + 20; i++) await Bun.sleep(100)
      isDone = true
      await pushing
      const pulled: string[] = []
      for (let after = 0, more = true; more; ) {
        const page = await expectOk(client()('GET /v1/pull', { project: 'crashed', after, limit: 500 }))
        pulled.push(...page.memories.map(({ id }) => id))
        after = page.memories.at(-1)?.seq ?? page.head
        more = page.more
      }
      expect(pulled.toSorted()).toEqual(answered.toSorted())
      expect(running.log()).not.toContain('Memory m')
      await running.stop()
    },
    TIMEOUT_MS,
  )

  it(
    'erasing a member waits for a push that is still open, and erases what it wrote',
    async () => {
      const running = await startHubProcess(hubUrl)
      const call = await newMember(running, 'leaving')
      await expectOk(call('POST /v1/projects', { key: 'left behind', title: '' }))
      const login = openDatabase(hubUrl, 1)
      const gate = Promise.withResolvers<void>()
      const isOpen = Promise.withResolvers<void>()
      const open = login.transaction(async (query) => {
        await query('SELECT recollect.identify($1)', [callToken.get('leaving')])
        await query(`SELECT recollect.lock_feed('left behind', 'write')`)
        await query(`INSERT INTO recollect.memories (project_id, id, kind, author_id, device_id, revision, hash, state, body, seq)
        SELECT id, 'late', 'note', recollect.me(), recollect.my_device(), 1, '\\x00', 'accepted', '{"title": "personal"}', head + 1 FROM recollect.projects WHERE key = 'left behind'`)
        isOpen.resolve()
        await gate.promise
      })
      await isOpen.promise
      const erasing = hubJson(['erase', 'leaving', '--yes'])
      await Bun.sleep(1500)
      gate.resolve()
      await open
      expect(await erasing).toMatchObject({ memories: 1 })
      const left = await openedAs(postgres.url(database), (query) =>
        query(`SELECT id, body FROM recollect.memories WHERE project_id = (SELECT id FROM recollect.projects WHERE key = 'left behind')`),
      )
      expect(left).toEqual([{ id: 'late', body: null }])
      await login.close()
      await running.stop()
    },
    TIMEOUT_MS,
  )

  it(
    'two devices that change one memory at once both keep their version',
    async () => {
      const running = await startHubProcess(hubUrl)
      const call = await newMember(running, 'twice')
      await expectOk(call('POST /v1/projects', { key: 'race', title: '' }))
      const one = aMemory('a', { text: 'one' })
      await expectOk(call('POST /v1/push', { project: 'race', memories: [one] }))
      const answers = await Promise.all(
        ['left', 'right'].map((text) =>
          expectOk(call('POST /v1/push', { project: 'race', memories: [aMemory('a', { text }, hashOf(one))] })),
        ),
      )
      expect(answers.map(({ results }) => results[0]?.kind).toSorted()).toEqual(['conflict', 'stored'])
      const { memories } = await expectOk(call('GET /v1/pull', { project: 'race' }))
      expect(memories.map(({ body }) => body?.text).toSorted()).toEqual(['left', 'right'])
      await running.stop()
    },
    TIMEOUT_MS,
  )
})

const callToken = new Map<string, string>()

/** Invites a member with an admin's rights to create projects, and returns a client for their first device. */
async function newMember({ base }: HubProcess, name: string): Promise<HubClient> {
  const { code } = await hubJson(['invite', name])
  const { token } = await enrol(base, code)
  callToken.set(name, token)
  return hubClient(base, token)
}

async function openedAs<T>(url: string, work: (query: ReturnType<typeof openDatabase>['query']) => Promise<T>): Promise<T> {
  const login = openDatabase(url, 1)
  try {
    return await work(login.query)
  } finally {
    await login.close()
  }
}
