import type { Hit } from '../src/core/hit.ts'
import { asProjectKey } from '../src/core/ids.ts'
import { newScore, type Result } from '../src/evaluate/evaluate.ts'
import { answer, type Wish } from '../src/retrieval/answer.ts'
import type { Meaning } from '../src/retrieval/search.ts'
import type { Store } from '../src/store/store.ts'
import { commitRecall, type LocomoConversation, locomo } from './data.ts'
import { type Fed, filledStore, importedStore } from './ingest.ts'
import { transcriptOf } from './transcripts.ts'

/** Prepares what finds by meaning for a filled store; null where the words decide alone. */
export type Prepare = (store: Store) => Promise<Meaning | null>

/** LoCoMo, answerable questions: which turn answers. A turn is a prompt, a conversation a project. */
export async function scoreLocomo(prepare: Prepare, share = 1): Promise<Result> {
  const score = newScore()
  for (const conversation of locomo()) {
    using filled = await filledStore(turnsOf(conversation))
    const meaning = await prepare(filled.store)
    const unitOf = await promptIds(
      filled.store,
      conversation.units.map((unit) => unit.id),
    )
    const asked = conversation.questions.filter((q) => q.category <= 4 && q.evidence.length > 0)
    for (const question of asked.filter((_, i) => i % Math.round(1 / share) === 0)) {
      const hits = await ask(filled.store, question.text, { project: LOCOMO, kinds: ['prompt'], limit: 10 }, meaning)
      score.add(
        hits.map((hit) => unitOf.get(hit.id) ?? ''),
        new Set(question.evidence),
      )
    }
  }
  return score.result()
}

/** LoCoMo, all questions with evidence: in which sessions it stands. Sessions are ranked by their best hit. */
export async function scoreLocomoSessions(prepare: Prepare): Promise<Result> {
  const score = newScore()
  for (const conversation of locomo()) {
    using filled = await filledStore(turnsOf(conversation))
    const meaning = await prepare(filled.store)
    const sessions = sessionNames(filled.store)
    const sessionOf = new Map(conversation.units.map((unit) => [unit.id, nameOf(unit.session)]))
    for (const question of conversation.questions.filter((q) => q.evidence.length > 0)) {
      const hits = await ask(filled.store, question.text, { project: LOCOMO, kinds: ['prompt'], limit: 300 }, meaning)
      score.add(
        [...new Set(hits.map((hit) => sessions.get(hit.sessionId ?? -1) ?? ''))],
        new Set(question.evidence.map((id) => sessionOf.get(id) ?? '')),
      )
    }
  }
  return score.result()
}

/**
 * CommitRecall: which session made the commit. Sessions are ranked by their best hit, whatever kind of memory that is; and, as people see
 * it, row by row, where a session may stand several times.
 */
export async function scoreCommitRecall(prepare: Prepare): Promise<{ sessions: Result; rows: Result }> {
  const data = commitRecall()
  const project = asProjectKey('commit-recall')
  using filled = await importedStore(data.sessions.map(transcriptOf), project)
  const meaning = await prepare(filled.store)
  const names = sessionNames(filled.store)
  const [sessions, rows] = [newScore(), newScore()]
  for (const { query, gold } of data.questions) {
    const hits = await ask(filled.store, query, { project, limit: 150 }, meaning)
    const found = hits.map((hit) => names.get(hit.sessionId ?? -1) ?? '')
    sessions.add([...new Set(found)], new Set(gold))
    rows.add(found, new Set(gold))
  }
  return { sessions: sessions.result(), rows: rows.result() }
}

/** Asks as a person does, a day after the last that happened. */
async function ask(store: Store, question: string, wish: Omit<Wish, 'offset'>, meaning: Meaning | null): Promise<Hit[]> {
  const last = Math.max(...[...store.sessions.each()].map((session) => session.lastEventAt))
  return (await answer(store, question, { ...wish, offset: 0 }, last + DAY_MS, meaning)).hits
}

const DAY_MS = 86_400_000

/** A conversation as prompts of one project. */
export function* turnsOf(conversation: LocomoConversation): Generator<Fed> {
  for (const { id, session, at, text } of conversation.units) {
    const event = { kind: 'prompt-submitted', promptId: id, origin: 'person', text } as const
    yield { session: nameOf(session), project: LOCOMO, at, event }
  }
}

export const LOCOMO = asProjectKey('locomo')
const nameOf = (session: number) => `session-${session}`

/** How the set calls each stored session. */
export function sessionNames(store: Store): Map<number, string> {
  return new Map([...store.sessions.each()].map((session) => [session.id, session.contentSessionId]))
}

/** Which unit each stored prompt is, by the order they were fed in. */
export async function promptIds(store: Store, units: string[]): Promise<Map<string, string>> {
  const ids = [...store.prompts.each(null)].map((row) => row.id).sort((a, b) => a - b)
  if (ids.length !== units.length) throw new Error(`fed ${units.length} turns and found ${ids.length}`)
  return new Map(ids.map((id, index) => [String(id), units[index] ?? '']))
}
