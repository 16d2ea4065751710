import { createHash, randomBytes } from 'node:crypto'
import { readJsonIfThere, writeFileAtomically } from '../platform/files.ts'

export type Visitors = ReturnType<typeof openVisitors>

/** A link is for the person who just asked for it. */
const LINK_LIFETIME_MS = 30_000
/** How long a browser may stay away before it must be let in again. */
const VISIT_LIFETIME_MS = 7 * 24 * 60 * 60_000
const MAX_LINKS = 20
const MAX_VISITS = 50
/** A visit that goes on is written down anew this often. */
const RENEW_VISIT_AFTER_MS = 60 * 60_000

/**
 * Browsers that were let in. A link is good for one visit within half a minute; what it is exchanged for is a secret that only
 * the browser keeps. We keep hashes, in a file of the owner's, so that a worker that was restarted still knows its visitors.
 */
export function openVisitors(file: string) {
  const links = new Map<string, { until: number; to: string }>()
  const visits = readVisits(file)

  return {
    /** A code that lets one browser in, and where it leads. */
    invite(to: string, now: number): string {
      for (const [code, link] of links) if (link.until <= now || links.size >= MAX_LINKS) links.delete(code)
      const code = secret()
      links.set(hash(code), { until: now + LINK_LIFETIME_MS, to })
      return code
    },
    /** Takes a code back and gives the secret of a visit; null when the code is unknown, too old or used. */
    enter(code: string, now: number): { secret: string; to: string } | null {
      const key = hash(code)
      const link = links.get(key)
      links.delete(key)
      if (!link || link.until <= now) return null
      const made = secret()
      visits.set(hash(made), now + VISIT_LIFETIME_MS)
      keep(now)
      return { secret: made, to: link.to }
    },
    knows(given: string, now: number): boolean {
      const key = hash(given)
      const until = visits.get(key)
      if (until === undefined || until <= now) return false
      if (until < now + VISIT_LIFETIME_MS - RENEW_VISIT_AFTER_MS) {
        visits.set(key, now + VISIT_LIFETIME_MS)
        keep(now)
      }
      return true
    },
  }

  function keep(now: number): void {
    const lasting = [...visits].filter(([, until]) => until > now).sort((a, b) => b[1] - a[1])
    visits.clear()
    for (const [key, until] of lasting.slice(0, MAX_VISITS)) visits.set(key, until)
    writeFileAtomically(file, JSON.stringify([...visits]))
  }
}

export const VISIT_LIFETIME_SECONDS = VISIT_LIFETIME_MS / 1000

const secret = () => randomBytes(32).toString('base64url')

// Looked up by its hash, so that how long the looking takes says nothing about the secret.
const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/** A file that somebody else wrote to lets nobody in. */
function readVisits(file: string): Map<string, number> {
  const rows = readJsonIfThere(file)
  const isVisit = (row: unknown): row is [string, number] =>
    Array.isArray(row) && typeof row[0] === 'string' && /^[0-9a-f]{64}$/.test(row[0]) && typeof row[1] === 'number'
  return new Map(Array.isArray(rows) ? rows.filter(isVisit) : [])
}
