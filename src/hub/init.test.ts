import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { fakeDatabase } from '../../test/support/fake-database.ts'
import { openPglite } from '../../test/support/pglite-database.ts'
import { type InitReport, initHub, SCHEMA_VERSION } from './init.ts'

const START_TIMEOUT_MS = 300_000
let database: Awaited<ReturnType<typeof openPglite>>
let first: InitReport

const init = (newPassword = false) => initHub(database.as('manager'), { partitions: 2, newPassword })

// As on a managed service: the operator may create roles and owns the database, and is no superuser.
beforeAll(async () => {
  database = await openPglite()
  await database.as('postgres').script('CREATE ROLE manager LOGIN CREATEROLE; ALTER DATABASE postgres OWNER TO manager')
  first = await init()
}, START_TIMEOUT_MS)
afterAll(() => database.close())

test('a database becomes a hub once; repeating it keeps the hub and the password', async () => {
  expect(first).toMatchObject({ from: null, version: SCHEMA_VERSION, hub: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  expect(await init()).toEqual({ ...first, from: SCHEMA_VERSION, password: null })
})

test('the audit trail has a place for entries of this month and the next two', async () => {
  const rows = await database
    .as('postgres')
    .query<{ name: string }>(`SELECT relname::text AS name FROM pg_class WHERE relname ~ '^audit_\\d{4}_\\d{2}$' ORDER BY relname`)
  const now = new Date()
  const month = (later: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later)).toISOString().slice(0, 7)
  expect(rows.map(({ name }) => name)).toEqual([0, 1, 2].map((later) => `audit_${month(later).replace('-', '_')}`))
})

test('the hub logs in with the password it was given, of which PostgreSQL got only the verifier', async () => {
  expect(first.password).toMatch(/^[\w-]{32}$/)
  expect(await passwordFits(first.password)).toBe(true)
  expect(await passwordFits('another password')).toBe(false)
  const { password } = await init(true)
  expect(password).not.toBe(first.password)
  expect(await passwordFits(password)).toBe(true)
})

test('a hub of a newer program is left as it is', async () => {
  const setVersion = (version: number) => database.as('postgres').query('UPDATE recollect.hub SET version = $1', [version])
  await setVersion(SCHEMA_VERSION + 1)
  await expect(init()).rejects.toThrow('install a newer recollect')
  await setVersion(SCHEMA_VERSION)
})

test.each([
  ['an old PostgreSQL', { version: 140_012, encoding: 'UTF8' }, 'PostgreSQL 14 is too old'],
  ['another encoding', { version: 150_000, encoding: 'LATIN1' }, 'has the encoding LATIN1'],
])('%s does not become a hub', async (_, server, reason) => {
  await expect(initHub(fakeDatabase({ server_version_num: [server] }), { partitions: 2, newPassword: false })).rejects.toThrow(reason)
})

/** Checks a password as PostgreSQL does at a login, and the server's own key as the client does (RFC 5802). */
async function passwordFits(password: string | null): Promise<boolean> {
  const [role] = await database
    .as('postgres')
    .query<{ verifier: string }>(`SELECT rolpassword AS verifier FROM pg_authid WHERE rolname = 'recollect_hub'`)
  const [, iterations, salt = '', storedKey, serverKey] = /^SCRAM-SHA-256\$(\d+):([^$]+)\$([^:]+):(.+)$/.exec(role?.verifier ?? '') ?? []
  const salted = pbkdf2Sync(password ?? '', Buffer.from(salt, 'base64'), Number(iterations), 32, 'sha256')
  const key = (name: string) => createHmac('sha256', salted).update(name).digest()
  const sha256 = createHash('sha256').update(key('Client Key')).digest('base64')
  return sha256 === storedKey && key('Server Key').toString('base64') === serverKey
}
