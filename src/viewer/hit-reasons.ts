import type { Signal } from '../core/hit.ts'
import type { SearchHit } from '../wire/contract/memories.ts'
import { splitAtHighlights } from './highlight.ts'

/** What each signal means to a reader. Those that always add a little, or only sort equals, are left out. */
const SIGNAL_WORDS: Partial<Record<Signal, string>> = {
  names: 'names a file or symbol of the query',
  activity: 'its code or commands match',
  meaning: 'similar in meaning',
  context: 'the turns around it match',
  session: 'same session as other good hits',
  links: 'linked to a better hit',
  author: 'written by the person you named',
  time: 'from the time you asked for',
  branch: 'on the branch you named',
  project: 'from the project you named',
}

/** A smaller part of the score explains nothing. */
const MIN_SHARE_OF_SCORE = 0.08
/** The numbers name the rest. */
const MAX_SIGNALS_NAMED = 2

/** Why a hit is here, as one sentence: the words it shares with the query, then the signals that added most. */
export function explainHit(hit: SearchHit, words: string[]): string {
  const total = Object.values(hit.signals).reduce((sum, value) => sum + Math.max(0, value), 0)
  const signals = (Object.entries(hit.signals) as [Signal, number][])
    .filter(([, value]) => value > 0 && value >= total * MIN_SHARE_OF_SCORE)
    .sort((a, b) => b[1] - a[1])
    .flatMap(([name]) => SIGNAL_WORDS[name] ?? [])
    .slice(0, MAX_SIGNALS_NAMED)
  const parts = [
    ...describeWords(hit, words),
    ...signals,
    ...(hit.also.length > 0 ? [`stands for ${hit.also.length} more that say the same`] : []),
  ]
  const sentence = parts.join('; ') || 'near in time'
  return `${sentence[0]?.toUpperCase()}${sentence.slice(1)}.`
}

function describeWords({ title, snippet, matched }: SearchHit, words: string[]): string[] {
  if (matched === 0 || words.length === 0) return []
  const seen = words.filter((word) => splitAtHighlights(`${title} ${snippet}`, [word]).some(({ isHit }) => isHit))
  if (seen.length === 0) return [`matches ${matched === 1 ? 'a word' : `${matched} words`} in its full text`]
  if (seen.length === words.length)
    return [words.length === 1 ? `matches ${seen[0]}` : words.length === 2 ? 'matches both words' : `matches all ${words.length} words`]
  const elsewhere = matched - seen.length
  return [`matches ${seen.join(', ')}${elsewhere > 0 ? `, and ${elsewhere} more in its full text` : ''}`]
}

/** Hits of one session together, in the order of their best hit. Hits without a session stand alone. */
export function groupBySession<T extends { sessionId: number | null }>(hits: T[]): { sessionId: number | null; hits: T[] }[] {
  const groups: { sessionId: number | null; hits: T[] }[] = []
  for (const hit of hits) {
    const known = hit.sessionId === null ? undefined : groups.find(({ sessionId }) => sessionId === hit.sessionId)
    if (known) known.hits.push(hit)
    else groups.push({ sessionId: hit.sessionId, hits: [hit] })
  }
  return groups
}
