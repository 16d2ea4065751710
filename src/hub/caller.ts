import type { HubDatabase, Query } from './database.ts'

/** Who asks, proven to PostgreSQL for the transaction in which `query` runs. */
export type HubCaller = {
  query: Query
  hub: string
  member: { id: string; name: string; role: 'member' | 'admin' }
  device: { id: string; name: string }
}

/** The hub refuses a request for a reason that the caller can act on. */
export class HubRefusal extends Error {
  constructor(
    readonly status: 400 | 401 | 403 | 409 | 410,
    reason: string,
  ) {
    super(reason)
  }
}

export type IdentityRow = {
  hub: string
  member: string
  member_name: string
  member_role: 'member' | 'admin'
  device: string
  device_name: string
}

/** Runs work in one transaction as the member whose device has this token. */
export async function asMember<T>(database: HubDatabase, token: string | null, work: (caller: HubCaller) => Promise<T>): Promise<T> {
  // A text that cannot be a token does not reach the database.
  if (token === null || !TOKEN.test(token)) throw new HubRefusal(401, 'the request has no valid device token')
  return database.transaction(async (query) => {
    const [row] = await query<IdentityRow>('SELECT * FROM recollect.identify($1)', [token])
    if (!row) throw new HubRefusal(401, 'the token is unknown or revoked')
    return work({ query, ...identityOf(row) })
  })
}

export const identityOf = (row: IdentityRow): Omit<HubCaller, 'query'> => ({
  hub: row.hub,
  member: { id: row.member, name: row.member_name, role: row.member_role },
  device: { id: row.device, name: row.device_name },
})

const TOKEN = /^rch_[A-Za-z0-9_-]{43}$/

export const newToken = () => `rch_${randomText(32)}`

const randomText = (bytes: number) => Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('base64url')

/** PostgreSQL stores neither NUL characters nor halves of surrogate pairs. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, part]) => isStorable(key) && isStorable(part))
}
