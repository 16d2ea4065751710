import { fingerprint } from '../core/hash.ts'
import { readJsonIfThere, writeFileAtomically } from '../platform/files.ts'

export type Visitors = ReturnType<typeof openVisitors>

/** A link is opened right after it was created. */
const LINK_LIFETIME_MS = 30_000
/** A browser that was not used for this long must sign in again. */
const VISIT_LIFETIME_MS = 7 * 24 * 60 * 60_000
const MAX_LINKS = 20
/** Of browsers, and as many of frames. */
const MAX_VISITS = 50
/** How often the expiry of a visit in use is extended on disk. */
const RENEW_VISIT_AFTER_MS = 60 * 60_000

/**
 * Browsers that are signed in to the viewer. A link works once, within half a minute, and is exchanged for a secret that only the browser
 * has. The file stores hashes of the secrets, so that visitors stay signed in when the worker restarts.
 */
export function openVisitors(file: string) {
  const links = new Map<string, { until: number; to: string; frame: string[] }>()
  const visits = readVisits(file)

  return {
    /** Creates a code that signs one browser in and opens this page; with `frame`, in a frame of pages of these origins. */
    invite(to: string, now: number, frame: string[] = []): string {
      for (const [code, link] of links) if (link.until <= now || links.size >= MAX_LINKS) links.delete(code)
      const code = newSecret()
      links.set(hash(code), { until: now + LINK_LIFETIME_MS, to, frame })
      return code
    },
    /** Exchanges a code for the secret of a visit; null when the code is unknown, expired or used. */
    enter(code: string, now: number): { secret: string; to: string; frame: string[] } | null {
      const key = hash(code)
      const link = links.get(key)
      links.delete(key)
      if (!link || link.until <= now) return null
      const visit = newSecret()
      visits.set(hash(visit), { until: now + VISIT_LIFETIME_MS, frame: link.frame })
      save(now)
      return { secret: visit, to: link.to, frame: link.frame }
    },
    knows(secret: string, now: number): boolean {
      const key = hash(secret)
      const visit = visits.get(key)
      if (visit === undefined || visit.until <= now) return false
      if (visit.until < now + VISIT_LIFETIME_MS - RENEW_VISIT_AFTER_MS) {
        visits.set(key, { ...visit, until: now + VISIT_LIFETIME_MS })
        save(now)
      }
      return true
    },
    /** The origins that may show this visit in a frame; none for an unknown one. */
    frameOf: (secret: string): string[] => visits.get(hash(secret))?.frame ?? [],
  }

  function save(now: number): void {
    const valid = [...visits].filter(([, { until }]) => until > now).sort((a, b) => b[1].until - a[1].until)
    visits.clear()
    // An editor opens a visit for each page that it frames; they must not sign the person's browsers out.
    const [own, framed] = [valid.filter(([, { frame }]) => frame.length === 0), valid.filter(([, { frame }]) => frame.length > 0)]
    for (const [key, visit] of [own, framed].flatMap((list) => list.slice(0, MAX_VISITS))) visits.set(key, visit)
    writeFileAtomically(
      file,
      JSON.stringify([...visits].map(([key, { until, frame }]) => (frame.length > 0 ? [key, until, frame] : [key, until]))),
    )
  }
}

type Visit = { until: number; frame: string[] }

export const VISIT_LIFETIME_SECONDS = VISIT_LIFETIME_MS / 1000

const newSecret = () => crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: 'base64url', omitPadding: true })

// Secrets are looked up by their hash, so the time of a lookup reveals nothing about them.
const hash = (text: string) => fingerprint(text, 64)

/** Entries that we did not write are ignored. */
function readVisits(file: string): Map<string, Visit> {
  const rows = readJsonIfThere(file)
  const isOrigins = (value: unknown): value is string[] => Array.isArray(value) && value.every((one) => typeof one === 'string')
  const visits = (Array.isArray(rows) ? rows : []).flatMap((row): [string, Visit][] => {
    const [key, until, frame = []]: unknown[] = Array.isArray(row) ? row : []
    const isVisit = typeof key === 'string' && /^[0-9a-f]{64}$/.test(key) && typeof until === 'number' && isOrigins(frame)
    return isVisit ? [[key, { until, frame }]] : []
  })
  return new Map(visits)
}
