import { fingerprint } from '../core/hash.ts'
import { asNoteId, isNamespace, type Note } from '../core/note.ts'
import { ulid } from '../core/ulid.ts'
import { type NoteDraft, noteOf } from '../notes/notes.ts'
import type { FailureReason, ModelRequest, Usage } from '../providers/text.ts'
import { type ProposedMemory, parseConsolidationAnswer } from './consolidation-answer.ts'
import { whyUngrounded } from './grounding.ts'
import { countNoteTokens, inputRatio, mergeRequest, type NoteBatch, reflectRequest } from './model-requests.ts'
import type { ConsolidationDeps, PlanGroup } from './plan.ts'

/** What a model made of notes; `said` tells what it did not. */
export type ModelProposals = { groups: PlanGroup[]; said: string[]; usage: Usage }

/** As many notes as a question takes; more blur the answer. */
const BATCH_TOKENS = 6000

/** Groups of related notes, each made one note by the model. */
export function proposeMerges(means: ConsolidationDeps, related: Note[][], now: number): Promise<ModelProposals> {
  return askInBatches(means, related, mergeRequest, (batch, memories) => mergedGroups(means, batch, memories, now))
}

/** What lasts of what happened, written by the model. Each batch of sessions is one group: its notes are tagged when it is applied. */
export function proposeReflections(means: ConsolidationDeps, episodics: Note[], now: number): Promise<ModelProposals> {
  const single = episodics.map((note) => [note])
  return askInBatches(means, single, reflectRequest, (batch, memories) => reflectedGroup(means, batch, memories, now))
}

/** Asks batch by batch. What is wrong with an answer, or with the model, is said; nothing is taken from such an answer. */
async function askInBatches(
  means: ConsolidationDeps,
  wanted: Note[][],
  requestFor: (batch: NoteBatch) => ModelRequest,
  read: (batch: NoteBatch, memories: ProposedMemory[]) => PlanGroup[] | string,
): Promise<ModelProposals> {
  const written: ModelProposals = { groups: [], said: [], usage: { input: 0, output: 0, cached: 0 } }
  const { model } = means
  if (!model || wanted.length === 0) return written
  const { batches, thin } = batchesOf(wanted, (batch) => inputRatio(requestFor(batch), batch) <= means.maxInputRatio)
  if (thin > 0) {
    written.said.push(
      `${thin} of ${wanted.length} wait for company: asked alone, the question would be more than ${means.maxInputRatio} times their text (model.max_input_ratio)`,
    )
  }
  if (batches.length > means.maxQuestions)
    written.said.push(`${batches.length - means.maxQuestions} more questions are left for the next time`)
  for (const [index, batch] of batches.slice(0, means.maxQuestions).entries()) {
    means.progress(index, batches.length, `asking ${model.name}`)
    const answer = await model.ask(requestFor(batch), means.signal)
    if (answer.kind === 'failed') {
      written.said.push(`the model is in trouble (${answer.reason}): ${answer.message}`)
      if (FAILURES_THAT_STOP.has(answer.reason)) break
      continue
    }
    written.usage.input += answer.usage.input
    written.usage.output += answer.usage.output
    written.usage.cached += answer.usage.cached
    const groups = answer.stop === 'length' ? 'it was cut off' : groupsFrom(answer.text, batch, read)
    if (typeof groups === 'string') written.said.push(`an answer of ${model.name} was thrown away: ${groups}`)
    else written.groups.push(...groups)
  }
  return written
}

/** Whoever is asked again at once will say the same again. */
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

/** Groups together in one question, up to a size; those that would be too thin alone join the one before. */
function batchesOf(wanted: Note[][], fits: (batch: NoteBatch) => boolean): { batches: NoteBatch[]; thin: number } {
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
    thin: batches.filter((batch) => !fits(batch)).reduce((sum, batch) => sum + batch.groups.length, 0),
  }
}

function toBatch(groups: Note[][]): NoteBatch {
  let count = 0
  return {
    groups: groups.map((notes, index) => ({ name: `g${index + 1}`, notes: notes.map((note) => ({ name: `n${++count}`, note })) })),
  }
}

function mergedGroups(means: ConsolidationDeps, batch: NoteBatch, memories: ProposedMemory[], now: number): PlanGroup[] | string {
  const groups: PlanGroup[] = []
  const answered = new Set<string>()
  for (const memory of memories) {
    const group = batch.groups.find(({ name }) => name === memory.group)
    if (!group || answered.has(memory.group))
      return `a memory is for the group "${memory.group.slice(0, 40)}", which ${group ? 'has one' : 'is none'}`
    answered.add(memory.group)
    const own = new Set(group.notes.map(({ name }) => name))
    if (memory.claims.some((claim) => claim.sources.some((source) => !own.has(source)))) return 'a claim names a source of another group'
    const notes = group.notes.map(({ note }) => note)
    const cited = new Set(memory.claims.flatMap((claim) => claim.sources))
    const silent = group.notes.find(({ name }) => !cited.has(name))
    if (silent) return `no claim names "${silent.note.title.slice(0, 60)}", which would be hidden`
    const [first] = notes
    if (!first) return 'a group is empty'
    const note = noteFromMemory(means, memory, now, {
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
      reason: `${notes.length} notes about the same, put into one by ${note.model}`,
      change: { kind: 'make', notes: [note], reflected: [] },
      refused: null,
    })
  }
  return groups
}

/** A model is not as sure as a person. */
const MAX_REFLECTED_CONFIDENCE = 0.8

function reflectedGroup(means: ConsolidationDeps, batch: NoteBatch, memories: ProposedMemory[], now: number): PlanGroup[] | string {
  const all = batch.groups.flatMap((group) => group.notes)
  const [first] = all
  if (!first) return 'a batch is empty'
  const notes: Note[] = []
  for (const memory of memories) {
    const cited = new Set(memory.claims.flatMap((claim) => claim.sources))
    const sources = all.filter(({ name }) => cited.has(name)).map(({ note }) => note)
    const note = noteFromMemory(means, memory, now, {
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
      reason: notes.length === 0 ? 'nothing in them lasts' : `what lasts of ${all.length === 1 ? 'a session' : `${all.length} sessions`}`,
      change: { kind: 'make', notes, reflected: all.map(({ note }) => note.id) },
      refused: null,
    },
  ]
}

/** The note that a memory becomes: each claim a line of its own. Made of the same answer it has the same id. */
function noteFromMemory(means: ConsolidationDeps, memory: ProposedMemory, now: number, given: Omit<NoteDraft, 'body'>): Note | string {
  const body = memory.claims.length === 1 ? (memory.claims[0]?.text ?? '') : memory.claims.map((claim) => `- ${claim.text}`).join('\n')
  const chance = new Uint8Array(Buffer.from(fingerprint(`${memory.title}\n${body}\n${now}`, 20), 'hex'))
  return noteOf(
    means.book,
    { ...given, body, title: memory.title, type: memory.type, model: means.model?.name ?? null, id: asNoteId(ulid(now, chance)) },
    now,
  )
}
