import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import type { HubDatabase, Query } from './database.ts'
import { HUB_ROLE, OWNER_ROLE, PERMISSIONS, STEPS } from './schema.ts'

/** Below this, PostgreSQL lacks something that the schema uses or is no longer maintained. */
const MIN_POSTGRES = 15

export const SCHEMA_VERSION = STEPS.length

export type InitReport = {
  /** The version before; null if there was no hub in this database. */
  from: number | null
  version: number
  hub: string
  /** The new password of the hub's role, or null if the role existed and keeps its own. Only ever written to a private file. */
  password: string | null
}

/** The database cannot become a hub, or the hub in it is not one that this program understands. The message says what to do. */
export class UnusableDatabase extends Error {}

/**
 * Creates the roles, the schema and its partitions, or brings an older schema up to date. It can be repeated, and several can run at once. A new
 * hub role gets a random password. PostgreSQL receives only its SCRAM verifier, so the server's logs do not contain it.
 */
export async function initHub(database: HubDatabase, options: { partitions: number; newPassword: boolean }): Promise<InitReport> {
  await requirePostgres(database.query)
  return database.transaction(async (query, script) => {
    await query('SELECT pg_advisory_xact_lock($1)', [INIT_LOCK])
    const password = await makeRoles(query, script, options.newPassword)
    const from = await schemaVersion(query)
    if (from !== null && from > SCHEMA_VERSION) throw new UnusableDatabase(newerSchema(from))
    if (from === null) await script(`CREATE SCHEMA IF NOT EXISTS recollect AUTHORIZATION ${OWNER_ROLE}`)
    await script(`SET LOCAL ROLE ${OWNER_ROLE}; SET LOCAL search_path = recollect, pg_temp`)
    for (const step of STEPS.slice(from ?? 0)) await script(step(options.partitions))
    await script(`${PERMISSIONS} UPDATE recollect.hub SET version = ${SCHEMA_VERSION}`)
    await query('SELECT recollect.make_audit_partitions()')
    const [hub] = await query<{ id: string }>('SELECT id::text AS id FROM recollect.hub')
    return { from, version: SCHEMA_VERSION, hub: hub?.id ?? '', password }
  })
}

/** Two operators who run `hub init` at the same time wait for each other. */
const INIT_LOCK = 7_265_636_1

export const newerSchema = (version: number) =>
  `the hub in this database has schema version ${version}, and this program knows only ${SCHEMA_VERSION}; install a newer recollect`

async function requirePostgres(query: Query): Promise<void> {
  const [server] = await query<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding`,
  )
  const major = Math.floor((server?.version ?? 0) / 10_000)
  if (major < MIN_POSTGRES) throw new UnusableDatabase(`PostgreSQL ${major} is too old; the hub needs ${MIN_POSTGRES} or newer`)
  if (server?.encoding !== 'UTF8')
    throw new UnusableDatabase(
      `the database has the encoding ${server?.encoding}; create it with: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    )
}

/** The version of the schema in this database; null if there is none. */
export async function schemaVersion(query: Query): Promise<number | null> {
  const [table] = await query<{ exists: boolean }>(`SELECT to_regclass('recollect.hub') IS NOT NULL AS exists`)
  if (!table?.exists) return null
  const [hub] = await query<{ version: number }>('SELECT version FROM recollect.hub')
  return hub?.version ?? null
}

async function makeRoles(query: Query, script: HubDatabase['script'], newPassword: boolean): Promise<string | null> {
  const roles = await query<{ rolname: string; unsafe: boolean }>(
    `SELECT rolname::text, rolsuper OR rolbypassrls OR rolcreaterole AS unsafe FROM pg_roles WHERE rolname IN ($1, $2)`,
    [OWNER_ROLE, HUB_ROLE],
  )
  const hubRole = roles.find(({ rolname }) => rolname === HUB_ROLE)
  if (hubRole?.unsafe)
    throw new UnusableDatabase(
      `the role ${HUB_ROLE} could bypass row level security; run: ALTER ROLE ${HUB_ROLE} NOSUPERUSER NOBYPASSRLS NOCREATEROLE`,
    )
  if (!roles.some(({ rolname }) => rolname === OWNER_ROLE)) await script(`CREATE ROLE ${OWNER_ROLE} NOLOGIN`)
  await script(`GRANT ${OWNER_ROLE} TO CURRENT_USER`)
  if (hubRole && !newPassword) return null
  const password = randomBytes(24).toString('base64url')
  await script(`${hubRole ? 'ALTER' : 'CREATE'} ROLE ${HUB_ROLE} LOGIN PASSWORD '${scramVerifier(password)}'`)
  // A hub that hangs must not hold a project's lock for long.
  for (const setting of [`statement_timeout = '30s'`, `idle_in_transaction_session_timeout = '30s'`, `lock_timeout = '15s'`])
    await script(`ALTER ROLE ${HUB_ROLE} SET ${setting}`)
  return password
}

const SCRAM_ITERATIONS = 4096

/** What PostgreSQL stores instead of a password (RFC 5803). */
function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, SCRAM_ITERATIONS, 32, 'sha256')
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${storedKey}:${hmac('Server Key').toString('base64')}`
}
