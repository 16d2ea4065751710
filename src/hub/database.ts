import { SQL } from 'bun'

/** Runs one statement with `$1`-style parameters and returns its rows. */
export type Query = <Row>(text: string, values?: unknown[]) => Promise<Row[]>

/** A PostgreSQL database. Two kinds exist: a server, through Bun, and PGlite in tests of the SQL. */
export type HubDatabase = {
  query: Query
  /** Runs several statements that take no parameters and return nothing of interest. */
  script(text: string): Promise<void>
  transaction<T>(work: (query: Query, script: HubDatabase['script']) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const CONNECTION_TIMEOUT_SECONDS = 10

/** Connects when the first statement runs. Bun opens connections again that PostgreSQL closed. */
export function openDatabase(url: string, maxConnections: number): HubDatabase {
  const sql = new SQL({ url, max: maxConnections, connectionTimeout: CONNECTION_TIMEOUT_SECONDS, idleTimeout: 300 })
  return {
    query: (text, values = []) => sql.unsafe(text, values),
    script: async (text) => {
      await sql.unsafe(text).simple()
    },
    transaction: (work) =>
      sql.begin((tx) =>
        work(
          (text, values = []) => tx.unsafe(text, values),
          async (text) => {
            await tx.unsafe(text).simple()
          },
        ),
      ),
    close: () => sql.close({ timeout: 5 }),
  }
}

/** Why PostgreSQL did not do what it was asked. */
export type DatabaseFailure =
  /** One of our own functions refused; its code ends with the HTTP status. */
  | { kind: 'refused'; status: number; reason: string }
  /** Row level security or a missing privilege. */
  | { kind: 'forbidden' }
  /** A value that PostgreSQL cannot store, such as a NUL character. */
  | { kind: 'unusable-value' }
  /** No connection, a server that starts or stops, a replica, too many connections, a statement that took too long. Trying again may help. */
  | { kind: 'unavailable'; reason: string }
  | { kind: 'other'; code: string }

/** Null if the error did not come from the database. */
export function databaseFailure(cause: unknown): DatabaseFailure | null {
  if (!(cause instanceof Error)) return null
  const { code = '', errno } = cause as Error & { code?: string; errno?: unknown }
  const state = typeof errno === 'string' && /^[0-9A-Z]{5}$/.test(errno) ? errno : /^[0-9A-Z]{5}$/.test(code) ? code : ''
  const ours = /^RC(\d{3})$/.exec(state)
  if (ours) return { kind: 'refused', status: Number(ours[1]), reason: cause.message }
  if (state === '42501') return { kind: 'forbidden' }
  if (/^22/.test(state)) return { kind: 'unusable-value' }
  if (/^(?:08|53|57|25006|40001|40P01|55P03|58)/.test(state)) return { kind: 'unavailable', reason: `PostgreSQL reported ${state}` }
  if (state) return { kind: 'other', code: state }
  return code.startsWith('ERR_POSTGRES')
    ? { kind: 'unavailable', reason: code.slice('ERR_POSTGRES_'.length).toLowerCase().replaceAll('_', ' ') }
    : null
}
