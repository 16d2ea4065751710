/**
 * Retrieval: finding memories again. A question is plain text, never a query language; whatever a person types is legal.
 */
import type { ProjectKey } from '../core/ids.ts'
import { shorten } from '../core/text.ts'
import { countTokens } from '../core/tokens.ts'
import type { DocumentKind, Match, Store } from '../store/store.ts'
import { wordsOf } from './words.ts'

export type Hit = {
  kind: DocumentKind
  id: string
  /** What kind of observation or summary it is. */
  type: string
  title: string
  snippet: string
  project: ProjectKey
  sessionId: number | null
  at: number
  /** Higher is better; only comparable within one answer. */
  score: number
  /** What reading the whole of it costs. */
  tokens: number
}

export type Within = {
  project?: ProjectKey | null
  kind?: DocumentKind | null
  since?: number
  before?: number
  limit?: number
  offset?: number
}

/** What is known about a question, best first. Nothing when no word of it is known. */
export async function search(store: Store, question: string, within: Within = {}): Promise<Hit[]> {
  const words = wordsOf(question)
  const matches = await store.find(words, {
    project: within.project ?? null,
    kind: within.kind ?? null,
    since: within.since ?? 0,
    before: within.before ?? Number.MAX_SAFE_INTEGER,
    limit: within.limit ?? 20,
    offset: within.offset ?? 0,
  })
  const hits: Hit[] = []
  for (const match of matches) {
    const text = await textOf(store, match)
    if (!text) continue
    const whole = [text.title, text.body].join('\n')
    hits.push({
      kind: match.kind,
      id: match.ref,
      type: text.type,
      title: shorten(text.title, 120),
      snippet: around(text.body, words, 200),
      project: match.project,
      sessionId: match.sessionId,
      at: match.at,
      score: match.score,
      tokens: countTokens(whole),
    })
  }
  return hits
}

async function textOf(store: Store, match: Match): Promise<{ type: string; title: string; body: string } | null> {
  const id = Number(match.ref)
  switch (match.kind) {
    case 'observation': {
      const [o] = await store.observations.get([id])
      return o ? { type: o.type, title: o.title, body: [o.subtitle, o.narrative, ...o.facts].filter(Boolean).join('\n') } : null
    }
    case 'summary': {
      const s = await store.summaries.get(id)
      return s
        ? {
            type: s.source,
            title: s.request || 'Summary',
            body: [s.investigated, s.learned, s.completed, s.nextSteps, s.notes].filter(Boolean).join('\n'),
          }
        : null
    }
    case 'prompt': {
      const p = await store.prompts.get(id)
      return p ? { type: p.origin, title: p.text, body: p.answer ?? '' } : null
    }
    case 'note':
      return null
  }
}

/** The part of a text where the first of the words stands. */
function around(text: string, words: string[], max: number): string {
  const lower = text.toLowerCase()
  const found = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0)
  const at = found.length > 0 ? Math.min(...found) : 0
  const from = Math.max(0, at - max / 3)
  return (from > 0 ? '…' : '') + shorten(text.slice(from, from + max * 2), max)
}
