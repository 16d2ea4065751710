import { asProjectKey } from '../src/core/ids.ts'
import { newRankingScore, type RankingScore } from '../src/evaluate/evaluate.ts'
import type { Store } from '../src/store/store.ts'
import { commitRecall, type LocomoConversation, locomo } from './data.ts'
import { type Fed, filledStore, importedStore } from './ingest.ts'
import { transcriptOf } from './transcripts.ts'
import type { Way } from './ways.ts'

/** LoCoMo, answerable questions: which turn answers. A turn is a prompt, a conversation a project. */
export async function scoreLocomo(way: Way, share = 1): Promise<RankingScore> {
  const score = newRankingScore()
  for (const conversation of locomo()) {
    using filled = await filledStore(turnsOf(conversation))
    const find = await way(filled.store)
    const unitOf = await promptIds(
      filled.store,
      conversation.units.map((unit) => unit.id),
    )
    const asked = conversation.questions.filter((q) => q.category <= 4 && q.evidence.length > 0)
    for (const question of someOf(asked, share)) {
      const hits = await find(question.text, { project: LOCOMO, kinds: ['prompt'], limit: 10 })
      score.add(
        hits.map((hit) => unitOf.get(hit.id) ?? ''),
        new Set(question.evidence),
      )
    }
  }
  return score.result()
}

/** LoCoMo, all questions with evidence: in which sessions it stands. Sessions are ranked by their best hit. */
export async function scoreLocomoSessions(way: Way, share = 1): Promise<RankingScore> {
  const score = newRankingScore()
  for (const conversation of locomo()) {
    using filled = await filledStore(turnsOf(conversation))
    const find = await way(filled.store)
    const sessions = sessionNames(filled.store)
    const sessionOf = new Map(conversation.units.map((unit) => [unit.id, nameOf(unit.session)]))
    const asked = conversation.questions.filter((q) => q.evidence.length > 0)
    for (const question of someOf(asked, share)) {
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
 * CommitRecall: which session made the commit. Sessions are ranked by their best hit, whatever kind of memory that is; and, as people see
 * it, row by row, where a session may stand several times. Reading the sessions takes longest, so one store is asked in several ways.
 */
export async function openCommitRecall() {
  const data = commitRecall()
  const project = asProjectKey('commit-recall')
  const filled = await importedStore(data.sessions.map(transcriptOf), project)
  const names = sessionNames(filled.store)
  return {
    score: async (way: Way, share = 1): Promise<{ sessions: RankingScore; rows: RankingScore }> => {
      const find = await way(filled.store)
      const [sessions, rows] = [newRankingScore(), newRankingScore()]
      for (const { query, gold } of someOf(data.questions, share)) {
        const found = (await find(query, { project, limit: 150 })).map((hit) => names.get(hit.sessionId ?? -1) ?? '')
        sessions.add([...new Set(found)], new Set(gold))
        rows.add(found, new Set(gold))
      }
      return { sessions: sessions.result(), rows: rows.result() }
    },
    [Symbol.dispose]: () => filled[Symbol.dispose](),
  }
}

const someOf = <T>(all: T[], share: number) => all.filter((_, i) => i % Math.round(1 / share) === 0)

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
