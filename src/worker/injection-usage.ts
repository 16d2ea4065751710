import { laterPassages, markRecurring, partWeights, wordsOfAction } from '../evaluate/evaluate.ts'
import type { Store } from '../store/store.ts'
import type { InjectionUsage } from '../wire/contract/memories.ts'
import type { StoredInjection } from './routes/recorded-injection.ts'
import { readActionWith, type Services } from './services.ts'

/**
 * Which lines of an injected text came up again in what its session said and did afterwards. This is the measure of `recollect eval`; words that
 * many sessions use weigh little.
 */
export async function injectionUsage({ store, agents }: Services, injection: StoredInjection): Promise<InjectionUsage> {
  const later = laterPassages(injection.sessionId === null ? [] : await textsAfter(store, agents, injection.sessionId, injection))
  const compared = await recentSessions(store)
  const lines = markRecurring(injection.text, later, partWeights(compared))
  const doubt = later.length === 0 ? 'nothing said since' : compared.length < MIN_COMPARED_SESSIONS ? 'too few sessions' : null
  const counted = lines.filter(({ isUsed }) => isUsed !== null)
  return { lines, counted: counted.length, used: counted.filter(({ isUsed }) => isUsed).length, doubt }
}

const MAX_ROWS_PER_SESSION = 5000
/** A prompt is stored together with what it recalled, which is not compared with that prompt. */
const SAME_PROMPT_MS = 2000

async function textsAfter(store: Store, agents: Services['agents'], sessionId: number, { at, event }: StoredInjection): Promise<string[]> {
  const session = await store.sessions.get(sessionId)
  if (!session) return []
  const readAction = readActionWith(agents)
  const prompts = await store.prompts.ofSession(sessionId)
  const uses = (await store.toolUses.ofSession(sessionId, MAX_ROWS_PER_SESSION)).filter((use) => use.at >= at)
  const promptsFrom = event === 'UserPromptSubmit' ? at + SAME_PROMPT_MS : at
  return [
    ...prompts.filter((prompt) => prompt.at >= promptsFrom).map(({ text }) => text),
    ...prompts.filter(({ answeredAt }) => (answeredAt ?? 0) >= at).map(({ answer }) => answer ?? ''),
    ...(await Promise.all(uses.map(async (use) => wordsOfAction(await readAction(use, session.agent))))),
  ]
}

/** With fewer, no word is rarer than another. */
const MIN_COMPARED_SESSIONS = 6
/** Enough sessions to tell common words from telling ones. */
const MAX_COMPARED_SESSIONS = 60

async function recentSessions(store: Store) {
  const sessions = await store.sessions.recent(null, MAX_COMPARED_SESSIONS)
  return Promise.all(
    sessions.map(async ({ id }) => laterPassages((await store.prompts.ofSession(id)).flatMap(({ text, answer }) => [text, answer ?? '']))),
  )
}
