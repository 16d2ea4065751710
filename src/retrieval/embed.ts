import { fingerprint } from '../core/hash.ts'
import type { Observation, Prompt, Summary } from '../core/memory.ts'
import { asNoteId } from '../core/note.ts'
import type { Embedder } from '../providers/embedder.ts'
import type { Store, UnembeddedDocument } from '../store/store.ts'

/** A few milliseconds of work with the table on this machine, so that a hook that comes in meanwhile hardly waits. */
const DEFAULT_BATCH_DOCUMENTS = 32

/** More of a long answer would blur what it begins with. */
const MAX_GIST_CHARACTERS = 2000
const MAX_ANSWER_CHARACTERS = 700
/** A short turn is about what was said right before and after it; a long one speaks for itself. */
const MAX_CONTEXT_CHARACTERS = 1500

/** Which embedder the vectors are made with, and below which document the list of what is to be made has yet to be filled. */
const EMBEDDER_MARK = 'embedder'

/**
 * Makes the vectors of a few documents that have none, or one that is out of date; those of an earlier embedder among them, whose vectors
 * stay until they are replaced. Returns whether more are waiting. Asked again and again by a background job, never by a hook.
 */
export async function embedBatch(store: Store, embedder: Embedder, signal: AbortSignal): Promise<boolean> {
  const listIsWhole = await store.transaction(() => refillQueue(store, embedder.name))
  const bite = embedder.batchSize ?? DEFAULT_BATCH_DOCUMENTS
  const waiting = await store.vectors.waiting(bite)
  const documents = await Promise.all(waiting.map(async (document) => ({ document, text: await embeddingText(store, document) })))
  const stale = documents.filter(({ document, text }) => text !== '' && !isUpToDate(document, text, embedder.name))
  const vectors = await embedder.embed(
    stale.map(({ text }) => text),
    signal,
  )
  const made = new Map(stale.map(({ document }, index) => [document.documentId, vectors[index] as Float32Array]))
  await store.transaction(async () => {
    for (const { document, text } of documents) {
      const vector = made.get(document.documentId)
      if (vector?.some((value) => value !== 0)) await store.vectors.put(document, embedder.name, fingerprint(text), quantizeVector(vector))
      else await store.vectors.skip(document, { forget: text === '' || vector !== undefined })
    }
  })
  return !listIsWhole || waiting.length === bite
}

/** After a change of embedder every document goes on the list again, slice by slice. True when all of them have been put there. */
async function refillQueue(store: Store, embedder: string): Promise<boolean> {
  const mark = JSON.parse((await store.audit.mark(EMBEDDER_MARK)) ?? '{}') as { embedder?: string; below?: number }
  const below = mark.embedder === embedder ? (mark.below ?? 0) : (await store.vectors.newestDocument()) + 1
  if (below === 0) return true
  const next = await store.vectors.enlistBelow(below)
  await store.audit.setMark(EMBEDDER_MARK, JSON.stringify({ embedder, below: next }))
  return next === 0
}

function isUpToDate(document: UnembeddedDocument, text: string, embedder: string): boolean {
  return document.embedder === embedder && document.fingerprint === fingerprint(text)
}

/** What of a document is embedded; empty when it says nothing. */
async function embeddingText(store: Store, { kind, ref }: UnembeddedDocument): Promise<string> {
  const id = Number(ref)
  switch (kind) {
    case 'observation':
      return (await store.observations.get([id])).map(gistOfObservation).join('')
    case 'summary': {
      const summary = await store.summaries.get(id)
      return summary ? gistOfSummary(summary) : ''
    }
    case 'prompt': {
      const prompt = await store.prompts.get(id)
      return prompt ? gistOfPrompt(prompt, await store.prompts.contextOf(prompt)) : ''
    }
    case 'note': {
      const note = await store.notes.get(asNoteId(ref))
      return note ? gist([note.title, note.body]) : ''
    }
  }
}

export function gistOfObservation({ title, subtitle, narrative, facts }: Observation): string {
  return gist([title, subtitle, narrative, ...facts])
}

export function gistOfSummary({ request, investigated, learned, completed, nextSteps, notes }: Summary): string {
  return gist([request, learned, completed, investigated, nextSteps, notes])
}

/** A machine's notice is not what a person would ask for; the answer to it is. `around` is what was said right before and after. */
export function gistOfPrompt({ origin, text, answer }: Prompt, around = ''): string {
  const asked = origin === 'person' ? text : ''
  const answered = answer ?? ''
  // Where nothing is said, what stands around is not said either.
  if (`${asked}${answered}`.trim() === '') return ''
  const room = Math.max(0, MAX_CONTEXT_CHARACTERS - asked.length - answered.length)
  return gist([
    asked.slice(0, MAX_GIST_CHARACTERS - MAX_ANSWER_CHARACTERS),
    answered.slice(0, MAX_ANSWER_CHARACTERS),
    around.slice(0, room),
  ])
}

function gist(parts: string[]): string {
  return parts
    .filter((part) => part.trim() !== '')
    .join('\n')
    .slice(0, MAX_GIST_CHARACTERS)
}

/** The largest number becomes 127, the others in proportion; the scale is what gives the rounded vector the length one again. */
export function quantizeVector(vector: Float32Array): { scale: number; row: Int8Array } {
  const most = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const row = Int8Array.from(vector, (value) => Math.round((value / most) * 127))
  return { scale: 1 / Math.hypot(...row), row }
}
