/**
 * Reads transcripts that consist of lines of JSON. An agent's reader turns one line into events; this file does what is the same for all: reading in
 * pieces, continuing where the last read stopped, and counting what cannot be read.
 */
import type { AgentName } from '../core/agent.ts'
import type { SessionEvent } from '../core/event.ts'
import { asContentSessionId } from '../core/ids.ts'
import { regularFileBytes } from '../platform/files.ts'
import { parseJson, readTranscriptBytes, splitTranscriptLines } from './claude-code/transcript-lines.ts'
import type { Checkpoint, TranscriptBatch, TranscriptFacts, TranscriptItem } from './transcript.ts'

/** An event of a line. `at` is null when the line has no time of its own. */
export type LineEvent = {
  event: SessionEvent
  at: number | null
  /** The id of the line, and of the line that opened its turn. */
  uuid: string | null
  turn: string | null
}

/** Reads the lines of one transcript in order. It keeps `facts` up to date. */
export type LineReader = {
  /** False for a line that is not one of this agent. */
  read(line: unknown): LineEvent[] | false
  /** The turn that has begun and may go on; null between turns. A later read starts again at the line that began it. */
  openTurn(): object | null
  /** How the open turn would end if nothing more came. */
  provisionalEnds(): LineEvent[]
}

export type OpenLineReader = (facts: TranscriptFacts, path: string) => LineReader

const BATCH_BYTES = 256 * 1024

/** See `Agent.readTranscript`. */
export async function* readLineTranscript(
  agent: AgentName,
  open: OpenLineReader,
  path: string,
  from: Checkpoint | null,
): AsyncGenerator<TranscriptBatch> {
  const size = await regularFileBytes(path)
  if (size === null) return
  const packed = path.endsWith('.gz')
  const continues = from !== null && !packed && from.offset <= size
  const facts: TranscriptFacts = continues ? { ...NO_FACTS, ...from.state.facts } : { ...NO_FACTS }
  const reader = open(facts, path)
  let offset = continues ? from.offset : 0
  let reported = offset
  let unreadable = 0
  let resume = checkpointAt(offset, facts)
  let items: TranscriptItem[] = []
  const batch = (): TranscriptBatch => {
    const done = { items, checkpoint: checkpointAt(offset, facts), resume, facts: { ...facts }, unreadable, bytes: offset - reported }
    items = []
    reported = offset
    return done
  }
  for await (const line of splitTranscriptLines(readTranscriptBytes(path, offset, packed), packed)) {
    const [before, start, factsBefore] = [reader.openTurn(), offset, { ...facts }]
    offset += line.bytes
    if (line.text?.trim() === '') continue
    const value = line.text === null ? undefined : parseJson(line.text)
    const events = value === undefined ? false : reader.read(value)
    if (events === false) unreadable++
    else items.push(...events.map((event) => toItem(agent, facts, event, path, false)))
    const turn = reader.openTurn()
    if (turn === null) resume = checkpointAt(offset, facts)
    else if (turn !== before) resume = checkpointAt(start, factsBefore)
    if (offset - reported >= BATCH_BYTES) yield batch()
  }
  items.push(...reader.provisionalEnds().map((event) => toItem(agent, facts, event, path, true)))
  yield batch()
}

export const NO_FACTS: TranscriptFacts = {
  sessionId: null,
  cwd: null,
  gitBranch: null,
  version: null,
  entrypoint: null,
  title: null,
  firstAt: null,
  lastAt: null,
}

/** A title is text of the session, which must not be stored before it is cleaned. */
const checkpointAt = (offset: number, facts: TranscriptFacts): Checkpoint => ({ offset, state: { facts: { ...facts, title: null } } })

export function toItem(
  agent: AgentName,
  facts: TranscriptFacts,
  { event, at, uuid, turn }: LineEvent,
  path: string,
  provisional: boolean,
): TranscriptItem {
  // A subagent's tool uses belong to the session that started it, so this file is not their transcript.
  const ofSession = event.kind !== 'subagent-ended' && (event.kind !== 'tool-used' || event.agentId === null)
  return {
    event: {
      ...event,
      ...(event.kind === 'tool-used' ? { isComplete: true as const } : {}),
      agent,
      session: asContentSessionId(facts.sessionId ?? nameOf(path)),
      at: at ?? facts.lastAt ?? 0,
      cwd: facts.cwd,
      transcript: ofSession ? path : null,
    },
    uuid,
    turn,
    provisional,
    branch: facts.gitBranch,
  }
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1).replace(/\.jsonl(\.gz)?$/, '')

/** The turn that a reader is in. `prompt` is the id of the line that opened it. */
export type LineTurn = { prompt: string | null; answer: string; at: number | null }

/** Everything from earlier lines that is needed to understand the next one. Readers add to it. */
export type LineState<Turn extends LineTurn = LineTurn> = {
  facts: TranscriptFacts
  turn: Turn | null
  /** The time of the current line. */
  at: number | null
}

export const lineEvent = (s: LineState, event: SessionEvent, uuid: string | null = null): LineEvent => ({
  event,
  at: s.at,
  uuid,
  turn: s.turn?.prompt ?? null,
})

/** The turn ended with its last line, not with the line that shows that it is over. */
export const turnEnd = (of: LineTurn): LineEvent => ({
  event: { kind: 'turn-ended', promptId: null, answer: of.answer },
  at: of.at,
  uuid: null,
  turn: of.prompt,
})

/** Milliseconds of an ISO time; null when it is missing or not one. Also notes the first and the last time of the session. */
export function timeOf(facts: TranscriptFacts, timestamp: string | undefined): number | null {
  const at = timestamp === undefined ? Number.NaN : Date.parse(timestamp)
  if (Number.isNaN(at)) return null
  facts.firstAt = Math.min(facts.firstAt ?? at, at)
  facts.lastAt = Math.max(facts.lastAt ?? at, at)
  return at
}
