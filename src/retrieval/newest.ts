import type { Hit } from '../core/hit.ts'
import type { DocumentFilter, SearchScope, Store, UnansweredPrompts } from '../store/store.ts'
import { describeHit, turnKey } from './hits.ts'
import type { TimeLimits } from './resolve.ts'
import { NO_DOCUMENT_FILTER } from './search-options.ts'

export type ListingScope = SearchScope & { unansweredPrompts: UnansweredPrompts }

/** The newest memories that the filters allow. A turn that is in `listedTurns` gets no prompt or summary, only further observations. */
export async function newestHits(store: Store, scope: ListingScope, listedTurns = new Set<string>()): Promise<Hit[]> {
  const hits: Hit[] = []
  // Hidden notes and listed turns are skipped, so this reads more than it needs, and again more if too few remain.
  for (let seen = 0, maxRead = scope.limit * 5; ; maxRead *= 8) {
    const locations = await store.documents.newest({ ...scope, limit: maxRead })
    for (const location of locations.slice(seen)) {
      const turn = turnKey(location)
      if (turn !== null && listedTurns.has(turn) && location.kind !== 'observation') continue
      const hit = scope.unansweredPrompts.running.has(location.documentId) ? null : await describeHit(store, location)
      if (hit) hits.push(hit)
      if (hit && turn !== null) listedTurns.add(turn)
      if (hits.length >= scope.limit) return hits
    }
    if (locations.length < maxRead) return hits
    seen = locations.length
  }
}

/** The newest work of sessions, not of everyone who commits: observations, summaries and notes first, then prompts of turns without any, and last prompts that no person wrote. */
export async function newestWork(store: Store, scope: ListingScope): Promise<Hit[]> {
  const { kinds, filter = NO_DOCUMENT_FILTER, limit } = scope
  const results = kinds.filter((kind) => kind !== 'prompt' && kind !== 'commit')
  const listedTurns = new Set<string>()
  const hits = results.length > 0 ? await newestHits(store, { ...scope, kinds: results }, listedTurns) : []
  const origins = kinds.includes('prompt') ? ['person', 'machine'].filter((origin) => allowsOrigin(filter, origin)) : []
  for (const origin of origins) {
    if (hits.length >= limit) break
    const prompts: ListingScope = { ...scope, kinds: ['prompt'], filter: { ...filter, sources: [origin] }, limit: limit - hits.length }
    hits.push(...(await newestHits(store, prompts, listedTurns)))
  }
  return hits
}

const allowsOrigin = ({ sources }: DocumentFilter, origin: string) => sources.length === 0 || sources.includes(origin)

/** The open ends that sessions left, the newest first, if that is what a query asks for; otherwise none. */
export async function openEnds(
  store: Store,
  text: string,
  scope: Omit<ListingScope, 'since' | 'before'>,
  window: TimeLimits,
): Promise<Hit[]> {
  if (!asksForOpenEnds(text)) return []
  return newestHits(store, { ...scope, ...window, kinds: ['note'], filter: { ...NO_DOCUMENT_FILTER, namespaces: ['open-ends'] } })
}

/** Whether a query asks what is unfinished: “what is still open”, “anything left to do”. */
const asksForOpenEnds = (query: string) => OPEN_ENDS.test(query)

const OPEN_ENDS =
  /^\s*(?:(?:so|ok(?:ay)?|and),? )?(?:(?:what(?:['’]s| is| are|['’]re)?|which (?:things|tasks|items|points|ends) are|(?:is|are) there|anything|is anything)(?: (?:anything|any|still|else|the|things?))*) (?:open|left|unfinished|outstanding|pending|remaining|to do|todo|not done)(?: (?:ends?|items?|points?|things?|work|tasks?|to do|todo|to be done|here|now|yet|in this project))*\s*[?.!]*\s*$/i
