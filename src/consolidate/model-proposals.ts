import { fingerprint } from '../core/hash.ts'
import { asNoteId, isNamespace, type Note } from '../core/note.ts'
import { ulid } from '../core/ulid.ts'
import { type NoteDraft, noteOf } from '../notes/notes.ts'
import type { FailureReason, ModelRequest, Usage } from '../providers/text.ts'
import { type ProposedMemory, parseConsolidationAnswer } from './consolidation-answer.ts'
import { whyUngrounded } from './grounding.ts'
import { countNoteTokens, inputRatio, mergeRequest, type NoteBatch, reflectRequest } from './model-requests.ts'
import type { ConsolidationDeps, PlanGroup } from './plan.ts'

/** A model's proposals for some notes; `messages` explain what it could not do. */
export type ModelProposals = { groups: PlanGroup[]; messages: string[]; usage: Usage }

/** Maximum tokens of notes in one request; with more, answers get vague. */
const BATCH_TOKENS = 6000

/** Has the model merge each group of related notes into one note. */
export function proposeMerges(deps: ConsolidationDeps, related: Note[][], now: number): Promise<ModelProposals> {
  return askInBatches(deps, related, mergeRequest, (batch, memories) => mergedGroups(deps, batch, memories, now))
}

/** Has the model extract lasting notes from sessions. Each batch of sessions is one group; its session notes are tagged when it is applied. */
export function proposeReflections(deps: ConsolidationDeps, episodics: Note[], now: number): Promise<ModelProposals> {
  const single = episodics.map((note) => [note])
  return askInBatches(deps, single, reflectRequest, (batch, memories) => reflectedGroup(deps, batch, memories, now))
}

/** Sends the notes batch by batch. Invalid answers are dropped whole; they and failures of the model are reported in `messages`. */
async function askInBatches(
  deps: ConsolidationDeps,
  wanted: Note[][],
  requestFor: (batch: NoteBatch) => ModelRequest,
  read: (batch: NoteBatch, memories: ProposedMemory[]) => PlanGroup[] | string,
): Promise<ModelProposals> {
  const proposals: ModelProposals = { groups: [], messages: [], usage: { input: 0, output: 0, cached: 0 } }
  const { model } = deps
  if (!model || wanted.length === 0) return proposals
  const { batches, tooSmall } = batchesOf(wanted, (batch) => inputRatio(requestFor(batch), batch) <= deps.maxInputRatio)
  if (tooSmall > 0) {
    proposals.messages.push(
      `${tooSmall} of ${wanted.length} wait until there are more: sent alone, the request would be more than ${deps.maxInputRatio} times their text (model.max_input_ratio)`,
    )
  }
  if (batches.length > deps.maxQuestions)
    proposals.messages.push(`${batches.length - deps.maxQuestions} more requests are left for the next run`)
  for (const [index, batch] of batches.slice(0, deps.maxQuestions).entries()) {
    deps.progress(index, batches.length, `asking ${model.name}`)
    const answer = await model.ask(requestFor(batch), deps.signal)
    if (answer.kind === 'failed') {
      proposals.messages.push(`the model failed (${answer.reason}): ${answer.message}`)
      if (FAILURES_THAT_STOP.has(answer.reason)) break
      continue
    }
    proposals.usage.input += answer.usage.input
    proposals.usage.output += answer.usage.output
    proposals.usage.cached += answer.usage.cached
    const groups = answer.stop === 'length' ? 'it was cut off' : groupsFrom(answer.text, batch, read)
    if (typeof groups === 'string') proposals.messages.push(`an answer of ${model.name} was discarded: ${groups}`)
    else proposals.groups.push(...groups)
  }
  return proposals
}

/** After these failures the next request would fail as well. */
const FAILURES_THAT_STOP: ReadonlySet<FailureReason> = new Set(['auth', 'quota', 'rate', 'network'])

function groupsFrom(
  text: string,
  batch: NoteBatch,
  read: (batch: NoteBatch, memories: ProposedMemory[]) => PlanGroup[] | string,
): PlanGroup[] | string {
  const answer = parseConsolidationAnswer(text)
  if (answer.kind === 'malformed') return answer.reason
  const notes = new Map(batch.groups.flatMap((group) => group.notes.map(({ name, note }) => [name, note] as const)))
  for (const memory of answer.memories) {
    const reason = whyUngrounded(memory, notes)
    if (reason) return reason
  }
  return read(batch, answer.memories)
}

/** Packs groups into requests up to a size. If the last request would be too small, it joins the one before. */
function batchesOf(wanted: Note[][], fits: (batch: NoteBatch) => boolean): { batches: NoteBatch[]; tooSmall: number } {
  const packs: Note[][][] = []
  let tokens = Number.POSITIVE_INFINITY
  for (const notes of wanted) {
    const own = countNoteTokens(toBatch([notes]))
    if (tokens + own > BATCH_TOKENS) {
      packs.push([])
      tokens = 0
    }
    packs.at(-1)?.push(notes)
    tokens += own
  }
  const last = packs.at(-1)
  if (last && packs.length > 1 && !fits(toBatch(last))) packs.splice(-2, 2, [...(packs.at(-2) ?? []), ...last])
  const batches = packs.map(toBatch)
  return {
    batches: batches.filter(fits),
    tooSmall: batches.filter((batch) => !fits(batch)).reduce((sum, batch) => sum + batch.groups.length, 0),
  }
}

function toBatch(groups: Note[][]): NoteBatch {
  let count = 0
  return {
    groups: groups.map((notes, index) => ({ name: `g${index + 1}`, notes: notes.map((note) => ({ name: `n${++count}`, note })) })),
  }
}

function mergedGroups(deps: ConsolidationDeps, batch: NoteBatch, memories: ProposedMemory[], now: number): PlanGroup[] | string {
  const groups: PlanGroup[] = []
  const answered = new Set<string>()
  for (const memory of memories) {
    const group = batch.groups.find(({ name }) => name === memory.group)
    if (!group || answered.has(memory.group))
      return `a memory is for the group "${memory.group.slice(0, 40)}", which ${group ? 'already has one' : 'does not exist'}`
    answered.add(memory.group)
    const own = new Set(group.notes.map(({ name }) => name))
    if (memory.claims.some((claim) => claim.sources.some((source) => !own.has(source)))) return 'a claim names a source from another group'
    const notes = group.notes.map(({ note }) => note)
    const cited = new Set(memory.claims.flatMap((claim) => claim.sources))
    const uncited = group.notes.find(({ name }) => !cited.has(name))
    if (uncited) return `no claim cites "${uncited.note.title.slice(0, 60)}", so its content would be lost`
    const [first] = notes
    if (!first) return 'a group is empty'
    const note = noteFromMemory(deps, memory, now, {
      project: first.project,
      scope: first.scope,
      namespace: first.namespace,
      source: 'merge',
      tags: [...new Set(notes.flatMap(({ tags }) => tags))],
      confidence: Math.min(...notes.map(({ confidence }) => confidence)),
      supersedes: notes.map(({ id }) => id),
    })
    if (typeof note === 'string') return note
    groups.push({
      how: 'merged',
      project: first.project,
      sources: notes.map(({ id, title }) => ({ id, title })),
      reason: `${notes.length} notes about the same things, merged by ${note.model}`,
      change: { kind: 'make', notes: [note], reflected: [] },
      refused: null,
    })
  }
  return groups
}

/** A model's notes count as less certain than a person's. */
const MAX_REFLECTED_CONFIDENCE = 0.8

function reflectedGroup(deps: ConsolidationDeps, batch: NoteBatch, memories: ProposedMemory[], now: number): PlanGroup[] | string {
  const all = batch.groups.flatMap((group) => group.notes)
  const [first] = all
  if (!first) return 'a batch is empty'
  const notes: Note[] = []
  for (const memory of memories) {
    const cited = new Set(memory.claims.flatMap((claim) => claim.sources))
    const sources = all.filter(({ name }) => cited.has(name)).map(({ note }) => note)
    const note = noteFromMemory(deps, memory, now, {
      project: first.note.project,
      scope: first.note.scope,
      namespace: isNamespace(memory.namespace) ? memory.namespace : 'learnings',
      source: 'reflection',
      confidence: Math.min(MAX_REFLECTED_CONFIDENCE, ...sources.map(({ confidence }) => confidence)),
    })
    if (typeof note === 'string') return note
    notes.push({ ...note, unknown: [`from: ${JSON.stringify(sources.map(({ id }) => id))}`] })
  }
  return [
    {
      how: 'reflected',
      project: first.note.project,
      sources: all.map(({ note: { id, title } }) => ({ id, title })),
      reason:
        notes.length === 0
          ? 'nothing in them is worth keeping'
          : `lasting notes from ${all.length === 1 ? 'a session' : `${all.length} sessions`}`,
      change: { kind: 'make', notes, reflected: all.map(({ note }) => note.id) },
      refused: null,
    },
  ]
}

/** The note for a memory, one line per claim. The id is derived from the content, so the same answer gives the same id. */
function noteFromMemory(deps: ConsolidationDeps, memory: ProposedMemory, now: number, given: Omit<NoteDraft, 'body'>): Note | string {
  const body = memory.claims.length === 1 ? (memory.claims[0]?.text ?? '') : memory.claims.map((claim) => `- ${claim.text}`).join('\n')
  const idBytes = new Uint8Array(Buffer.from(fingerprint(`${memory.title}\n${body}\n${now}`, 20), 'hex'))
  return noteOf(
    deps.book,
    { ...given, body, title: memory.title, type: memory.type, model: deps.model?.name ?? null, id: asNoteId(ulid(now, idBytes)) },
    now,
  )
}
