import { databaseFailure, type HubDatabase, OperationRefused, openDatabase, UnusableDatabase } from '../hub/hub.ts'
import { CliError, EXIT, invalidInput } from './print.ts'

/** The parts of a database address that may be shown. */
function describeAddress(address: string): string {
  const { hostname, port, pathname, username } = new URL(address)
  return `${hostname || 'localhost'}:${port || 5432}${pathname} as ${decodeURIComponent(username) || 'the default role'}`
}

export function requireAddress(address: string | null | undefined, missing: string): string {
  if (!address) throw invalidInput(missing)
  const url = URL.parse(address)
  // The text may contain a password, so it is not repeated.
  if (!url || !/^postgres(?:ql)?:$/.test(url.protocol))
    throw invalidInput('the database address must look like postgres://user:password@host/database')
  return address
}

/** Opens the database for some work, and turns its failures into sentences without the address's password. */
export async function withDatabase<T>(address: string, connections: number, work: (database: HubDatabase) => Promise<T>): Promise<T> {
  const database = openDatabase(address, connections)
  try {
    return await work(database)
  } catch (cause) {
    throw explain(cause, address)
  } finally {
    await database.close().catch(() => {})
  }
}

export function explain(cause: unknown, address: string): unknown {
  if (cause instanceof CliError) return cause
  if (cause instanceof UnusableDatabase) return new CliError(cause.message, EXIT.database)
  if (cause instanceof OperationRefused) return invalidInput(cause.message)
  const failed = databaseFailure(cause)
  if (!failed) return cause
  const where = describeAddress(address)
  switch (failed.kind) {
    case 'unavailable':
      return new CliError(`cannot use PostgreSQL at ${where}: ${failed.reason}`, EXIT.database)
    case 'forbidden':
      return new CliError(`the role may not do this at ${where}; it needs CREATEROLE, and CREATE on the database`, EXIT.database)
    case 'refused':
      return invalidInput(failed.reason)
    case 'unusable-value':
      return invalidInput('a value cannot be stored')
    case 'other':
      return new CliError(`PostgreSQL at ${where} ${REASONS[failed.code] ?? `reported the error ${failed.code}`}`, EXIT.database)
  }
}

const REASONS: Record<string, string> = {
  '28P01': 'refused the password',
  '28000': 'refused the login',
  '3D000': 'has no such database; create it first: createdb',
}
