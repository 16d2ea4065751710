import { fingerprint } from '../core/hash.ts'
import type { Observation, Prompt, Summary } from '../core/memory.ts'
import { asNoteId } from '../core/note.ts'
import type { Embedder } from '../providers/embedder.ts'
import type { Store, UnembeddedDocument } from '../store/store.ts'

/** A few milliseconds of work with the built-in word vectors, so that a hook hardly waits. */
const DEFAULT_BATCH_DOCUMENTS = 32

/** More of a long answer would blur its beginning. */
const MAX_GIST_CHARACTERS = 2000
const MAX_ANSWER_CHARACTERS = 700
/** A short turn needs the prompts before and after it as context; a long one does not. */
const MAX_CONTEXT_CHARACTERS = 1500

/** The key of the current embedder and of how far the queue has been refilled for it. */
const EMBEDDER_MARK = 'embedder'

/**
 * Embeds a few documents whose vector is missing, outdated, or from another embedder; an old vector stays until it is replaced. Returns whether
 * more are waiting. A background job calls this repeatedly; a hook never does.
 */
export async function embedBatch(store: Store, embedder: Embedder, signal: AbortSignal): Promise<boolean> {
  const isQueueComplete = await store.transaction(() => refillQueue(store, embedder.name))
  const batchSize = embedder.batchSize ?? DEFAULT_BATCH_DOCUMENTS
  const waiting = await store.vectors.waiting(batchSize)
  const documents = await Promise.all(waiting.map(async (document) => ({ document, text: await embeddingText(store, document) })))
  const stale = documents.filter(({ document, text }) => text !== '' && !isUpToDate(document, text, embedder.name))
  const vectors = await embedder.embed(
    stale.map(({ text }) => text),
    signal,
  )
  const byDocument = new Map(stale.map(({ document }, index) => [document.documentId, vectors[index] as Float32Array]))
  await store.transaction(async () => {
    for (const { document, text } of documents) {
      const vector = byDocument.get(document.documentId)
      if (vector?.some((value) => value !== 0)) await store.vectors.put(document, embedder.name, fingerprint(text), quantizeVector(vector))
      else await store.vectors.skip(document, { forget: text === '' || vector !== undefined })
    }
  })
  return !isQueueComplete || waiting.length === batchSize
}

/** After a change of embedder, queues every document again, slice by slice. Returns whether all are queued. */
async function refillQueue(store: Store, embedder: string): Promise<boolean> {
  const mark = (await store.audit.jsonMark<{ embedder?: string; below?: number }>(EMBEDDER_MARK)) ?? {}
  const below = mark.embedder === embedder ? (mark.below ?? 0) : (await store.vectors.newestDocument()) + 1
  if (below === 0) return true
  const next = await store.vectors.enlistBelow(below)
  await store.audit.setMark(EMBEDDER_MARK, JSON.stringify({ embedder, below: next }))
  return next === 0
}

function isUpToDate(document: UnembeddedDocument, text: string, embedder: string): boolean {
  return document.embedder === embedder && document.fingerprint === fingerprint(text)
}

/** The text that is embedded for a document; empty if it has none. */
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
    case 'commit': {
      // A subject alone is found by its words, and a history has many thousands of them.
      const commit = await store.commits.get(id)
      return commit?.type === 'decision' ? gist([commit.subject, commit.body]) : ''
    }
  }
}

export function gistOfObservation({ title, subtitle, narrative, facts }: Observation): string {
  return gist([title, subtitle, narrative, ...facts])
}

export function gistOfSummary({ request, investigated, learned, completed, nextSteps, notes }: Summary): string {
  return gist([request, learned, completed, investigated, nextSteps, notes])
}

/** People search for the answer to an automatic prompt, not for the prompt. `context` is the text right before and after the turn. */
export function gistOfPrompt({ origin, text, answer }: Prompt, context = ''): string {
  const question = origin === 'person' ? text : ''
  const reply = answer ?? ''
  // Without a text of its own, a turn is not represented by its context.
  if (`${question}${reply}`.trim() === '') return ''
  const contextLength = Math.max(0, MAX_CONTEXT_CHARACTERS - question.length - reply.length)
  return gist([
    question.slice(0, MAX_GIST_CHARACTERS - MAX_ANSWER_CHARACTERS),
    reply.slice(0, MAX_ANSWER_CHARACTERS),
    context.slice(0, contextLength),
  ])
}

function gist(parts: string[]): string {
  return parts
    .filter((part) => part.trim() !== '')
    .join('\n')
    .slice(0, MAX_GIST_CHARACTERS)
}

/** Scales a vector so that its largest number becomes 127. Multiplied by `scale`, the rounded vector has length one again. */
export function quantizeVector(vector: Float32Array): { scale: number; row: Int8Array } {
  const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  const row = Int8Array.from(vector, (value) => Math.round((value / largest) * 127))
  return { scale: 1 / Math.hypot(...row), row }
}
