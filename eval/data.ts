/** The evaluation sets. They are for development only and never part of the product; without them there is nothing to evaluate. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const DATA = join(import.meta.dir, '..', '..', 'shared', 'eval')
export const hasData = existsSync(DATA)

export type LocomoConversation = {
  speakers: string[]
  units: { id: string; session: number; speaker: string; text: string }[]
  questions: { text: string; evidence: string[]; category: number }[]
}

type RawTurn = { speaker: string; dia_id: string; text: string; blip_caption?: string }
type RawQuestion = { question: string; evidence?: string[]; category: number }

/** LoCoMo: long conversations of two people, questions about them, and the turns that answer each. */
export function locomo(): LocomoConversation[] {
  const raw = read('locomo-dev.json.gz') as { conversation: Record<string, unknown>; qa: RawQuestion[] }[]
  return raw.map(({ conversation, qa }) => {
    const units: LocomoConversation['units'] = []
    for (let session = 1; Array.isArray(conversation[`session_${session}`]); session++) {
      for (const turn of conversation[`session_${session}`] as RawTurn[]) {
        const caption = turn.blip_caption ? ` ${turn.blip_caption}` : ''
        units.push({ id: turn.dia_id, session, speaker: turn.speaker, text: `${turn.speaker}: ${turn.text}${caption}` })
      }
    }
    const known = new Set(units.map((unit) => unit.id))
    return {
      speakers: [String(conversation.speaker_a), String(conversation.speaker_b)],
      units,
      questions: qa.map((q) => ({
        text: q.question,
        category: q.category,
        evidence: (q.evidence ?? []).flatMap((e) => e.split(/[;,\s]+/)).filter((id) => known.has(id)),
      })),
    }
  })
}

export type CommitRecall = {
  sessions: { id: string; started: string; exchanges: { prompt: string; answer: string[]; tools: string[] }[] }[]
  questions: { query: string; gold: string[] }[]
}

/** CommitRecall: real sessions of one project; a question is the subject of a commit, the answer the sessions that made it. */
export function commitRecall(): CommitRecall {
  return read('commit-recall-dev.json.gz') as CommitRecall
}

function read(name: string): unknown {
  return JSON.parse(new TextDecoder().decode(Bun.gunzipSync(readFileSync(join(DATA, name)))))
}
