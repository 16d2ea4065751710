import { createHash, randomBytes } from 'node:crypto'
import { readJsonIfThere, writeFileAtomically } from '../platform/files.ts'

export type Visitors = ReturnType<typeof openVisitors>

/** A link is opened right after it was created. */
const LINK_LIFETIME_MS = 30_000
/** A browser that was not used for this long must sign in again. */
const VISIT_LIFETIME_MS = 7 * 24 * 60 * 60_000
const MAX_LINKS = 20
const MAX_VISITS = 50
/** How often the expiry of a visit in use is extended on disk. */
const RENEW_VISIT_AFTER_MS = 60 * 60_000

/**
 * Browsers that are signed in to the viewer. A link works once, within half a minute, and is exchanged for a secret that only the browser
 * has. The file stores hashes of the secrets, so that visitors stay signed in when the worker restarts.
 */
export function openVisitors(file: string) {
  const links = new Map<string, { until: number; to: string }>()
  const visits = readVisits(file)

  return {
    /** Creates a code that signs one browser in and opens this page. */
    invite(to: string, now: number): string {
      for (const [code, link] of links) if (link.until <= now || links.size >= MAX_LINKS) links.delete(code)
      const code = newSecret()
      links.set(hash(code), { until: now + LINK_LIFETIME_MS, to })
      return code
    },
    /** Exchanges a code for the secret of a visit; null when the code is unknown, expired or used. */
    enter(code: string, now: number): { secret: string; to: string } | null {
      const key = hash(code)
      const link = links.get(key)
      links.delete(key)
      if (!link || link.until <= now) return null
      const visit = newSecret()
      visits.set(hash(visit), now + VISIT_LIFETIME_MS)
      save(now)
      return { secret: visit, to: link.to }
    },
    knows(secret: string, now: number): boolean {
      const key = hash(secret)
      const until = visits.get(key)
      if (until === undefined || until <= now) return false
      if (until < now + VISIT_LIFETIME_MS - RENEW_VISIT_AFTER_MS) {
        visits.set(key, now + VISIT_LIFETIME_MS)
        save(now)
      }
      return true
    },
  }

  function save(now: number): void {
    const valid = [...visits].filter(([, until]) => until > now).sort((a, b) => b[1] - a[1])
    visits.clear()
    for (const [key, until] of valid.slice(0, MAX_VISITS)) visits.set(key, until)
    writeFileAtomically(file, JSON.stringify([...visits]))
  }
}

export const VISIT_LIFETIME_SECONDS = VISIT_LIFETIME_MS / 1000

const newSecret = () => randomBytes(32).toString('base64url')

// Secrets are looked up by their hash, so the time of a lookup reveals nothing about them.
const hash = (text: string) => createHash('sha256').update(text).digest('hex')

/** Entries that we did not write are ignored. */
function readVisits(file: string): Map<string, number> {
  const rows = readJsonIfThere(file)
  const isVisit = (row: unknown): row is [string, number] =>
    Array.isArray(row) && typeof row[0] === 'string' && /^[0-9a-f]{64}$/.test(row[0]) && typeof row[1] === 'number'
  return new Map(Array.isArray(rows) ? rows.filter(isVisit) : [])
}
