/** The evaluation sets. They are for development only and not part of the repository or the product. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const DATA = join(import.meta.dir, '..', '..', 'shared', 'eval')
export const hasData = existsSync(DATA)
export const NO_DATA = 'The evaluation sets are missing: ../shared/eval does not exist.'

export type LocomoConversation = {
  units: { id: string; session: number; at: number; text: string }[]
  questions: { text: string; evidence: string[]; category: number }[]
}

type RawTurn = { speaker: string; dia_id: string; text: string; blip_caption?: string }
type RawQuestion = { question: string; evidence?: string[]; category: number }

/** LoCoMo: long conversations between two people, questions about them, and the turns that answer each question. */
export function locomo(): LocomoConversation[] {
  const raw = readGzippedJson('locomo-dev.json.gz') as { conversation: Record<string, unknown>; qa: RawQuestion[] }[]
  return raw.map(({ conversation, qa }) => {
    const units: LocomoConversation['units'] = []
    for (let session = 1; Array.isArray(conversation[`session_${session}`]); session++) {
      const startedAt = timeOf(String(conversation[`session_${session}_date_time`]))
      for (const [position, turn] of (conversation[`session_${session}`] as RawTurn[]).entries()) {
        const caption = turn.blip_caption ? ` ${turn.blip_caption}` : ''
        units.push({ id: turn.dia_id, session, at: startedAt + position * 60_000, text: `${turn.speaker}: ${turn.text}${caption}` })
      }
    }
    const known = new Set(units.map((unit) => unit.id))
    return {
      units,
      questions: qa.map((q) => ({
        text: q.question,
        category: q.category,
        evidence: (q.evidence ?? []).flatMap((e) => e.split(/[;,\s]+/)).filter((id) => known.has(id)),
      })),
    }
  })
}

/** Parses a time in the set's format: "1:56 pm on 8 May, 2023". */
function timeOf(text: string): number {
  const [, hour, minute, half, date] = /^(\d+):(\d+) (am|pm) on (.+)$/.exec(text) ?? []
  const at =
    Date.parse(`${date?.replace(',', '')} UTC`) + ((Number(hour) % 12) + (half === 'pm' ? 12 : 0)) * 3_600_000 + Number(minute) * 60_000
  if (Number.isNaN(at)) throw new Error(`expected a time such as "1:56 pm on 8 May, 2023", got "${text}"`)
  return at
}

export type CommitRecall = {
  sessions: { id: string; started: string; exchanges: { prompt: string; answer: string[]; tools: string[] }[] }[]
  questions: { query: string; gold: string[] }[]
}

/** CommitRecall: real sessions of one project. A question is the subject of a commit; the answer is the sessions that made it. */
export function commitRecall(): CommitRecall {
  return readGzippedJson('commit-recall-dev.json.gz') as CommitRecall
}

export type DecisionQuestion = { id: string; q: string; policy: string; source: string; gold: string[] }

export type DecisionSet = {
  sessions: { id: string; started: string; exchanges: { prompt: string; answer: string[] }[] }[]
  questions: DecisionQuestion[]
  /** The commits of a project, newest first. */
  commits: { subject: string; body: string; at: string; files: string[] }[]
  /** Commits that settle a rule, and the subject of a later commit to the same file. */
  decisions: { subject: string; body: string; file?: string; later_subject?: string }[]
}

/** sde-bench: chats and commits that settle a rule, among others, and bug reports whose fix depends on the rule. */
export function decisionSet(): DecisionSet {
  return readGzippedJson('sde-dev.json.gz') as DecisionSet
}

export type MemoryCode = {
  dialogues: {
    id: string
    sessions: { id: string; started: string; exchanges: { prompt?: string; answer: string[] }[] }[]
    /** The rules that hold at the end, and those that each replaced. */
    rules: { rule: string; replaces: string[] }[]
  }[]
}

/** MemoryCode: a mentor's words over several sessions, and the coding rules that hold in the end. */
export function memoryCode(): MemoryCode {
  return readGzippedJson('memorycode-dev.json.gz') as MemoryCode
}

function readGzippedJson(name: string): unknown {
  return JSON.parse(new TextDecoder().decode(Bun.gunzipSync(readFileSync(join(DATA, name)))))
}
