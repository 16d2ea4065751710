import { asProjectKey } from '../src/core/ids.ts'
import { newRankingScore, type RankingScore } from '../src/evaluate/evaluate.ts'
import type { Store } from '../src/store/store.ts'
import { commitRecall, type LocomoConversation, locomo } from './data.ts'
import { type EvalEvent, filledStore, importedStore } from './ingest.ts'
import type { SearchMethod } from './search-methods.ts'
import { transcriptOf } from './transcripts.ts'

/** LoCoMo's answerable questions: is the turn that answers found? A turn is stored as a prompt, a conversation as a project. */
export async function scoreLocomo(method: SearchMethod, share = 1): Promise<RankingScore> {
  const score = newRankingScore()
  for (const conversation of locomo()) {
    using filled = await filledStore(turnsOf(conversation))
    const find = await method(filled.store)
    const unitOf = await promptIds(
      filled.store,
      conversation.units.map((unit) => unit.id),
    )
    const answerable = conversation.questions.filter((q) => q.category <= 4 && q.evidence.length > 0)
    for (const question of sample(answerable, share)) {
      const hits = await find(question.text, { project: LOCOMO, kinds: ['prompt'], limit: 10 })
      score.add(
        hits.map((hit) => unitOf.get(hit.id) ?? ''),
        new Set(question.evidence),
      )
    }
  }
  return score.result()
}

/** LoCoMo's questions with evidence: are the sessions that contain the evidence found? A session ranks by its best hit. */
export async function scoreLocomoSessions(method: SearchMethod, share = 1): Promise<RankingScore> {
  const score = newRankingScore()
  for (const conversation of locomo()) {
    using filled = await filledStore(turnsOf(conversation))
    const find = await method(filled.store)
    const sessions = sessionNames(filled.store)
    const sessionOf = new Map(conversation.units.map((unit) => [unit.id, nameOf(unit.session)]))
    const withEvidence = conversation.questions.filter((q) => q.evidence.length > 0)
    for (const question of sample(withEvidence, share)) {
      const hits = await find(question.text, { project: LOCOMO, kinds: ['prompt'], limit: 300 })
      score.add(
        [...new Set(hits.map((hit) => sessions.get(hit.sessionId ?? -1) ?? ''))],
        new Set(question.evidence.map((id) => sessionOf.get(id) ?? '')),
      )
    }
  }
  return score.result()
}

/**
 * CommitRecall: is the session that made the commit found? `sessions` ranks each session by its best hit of any kind. `rows` takes the hits
 * as people see them, where a session may appear several times. Ingesting takes longest, so all search methods share one store.
 */
export async function openCommitRecall() {
  const data = commitRecall()
  const project = asProjectKey('commit-recall')
  const filled = await importedStore(data.sessions.map(transcriptOf), project)
  const names = sessionNames(filled.store)
  return {
    score: async (method: SearchMethod, share = 1): Promise<{ sessions: RankingScore; rows: RankingScore }> => {
      const find = await method(filled.store)
      const [sessions, rows] = [newRankingScore(), newRankingScore()]
      for (const { query, gold } of sample(data.questions, share)) {
        const found = (await find(query, { project, limit: 150 })).map((hit) => names.get(hit.sessionId ?? -1) ?? '')
        sessions.add([...new Set(found)], new Set(gold))
        rows.add(found, new Set(gold))
      }
      return { sessions: sessions.result(), rows: rows.result() }
    },
    [Symbol.dispose]: () => filled[Symbol.dispose](),
  }
}

const sample = <T>(questions: T[], share: number) => questions.filter((_, i) => i % Math.round(1 / share) === 0)

/** A conversation as prompts of one project. */
export function* turnsOf(conversation: LocomoConversation): Generator<EvalEvent> {
  for (const { id, session, at, text } of conversation.units) {
    const event = { kind: 'prompt-submitted', promptId: id, origin: 'person', text } as const
    yield { session: nameOf(session), project: LOCOMO, at, event }
  }
}

export const LOCOMO = asProjectKey('locomo')
const nameOf = (session: number) => `session-${session}`

/** The set's name of each stored session. */
export function sessionNames(store: Store): Map<number, string> {
  return new Map([...store.sessions.each()].map((session) => [session.id, session.contentSessionId]))
}

/** The set's unit for each stored prompt, assigned in the order in which they were ingested. */
export async function promptIds(store: Store, units: string[]): Promise<Map<string, string>> {
  const ids = [...store.prompts.each(null)].map((row) => row.id).sort((a, b) => a - b)
  if (ids.length !== units.length) throw new Error(`ingested ${units.length} turns but found ${ids.length} prompts`)
  return new Map(ids.map((id, index) => [String(id), units[index] ?? '']))
}
