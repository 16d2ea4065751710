import { commitMark } from '../core/commit.ts'
import type { Hit } from '../core/hit.ts'
import { NO_WORDS, type Prompt } from '../core/memory.ts'
import { shortMemoryId } from '../core/memory-kinds.ts'
import { asNoteId, isDeletedOrExpired, type Note } from '../core/note.ts'
import { asksRecollect, queryInPrompt } from '../core/small-talk.ts'
import { shorten } from '../core/text.ts'
import { countTokens } from '../core/tokens.ts'
import { listTitle, turnTitle } from '../core/turn-title.ts'
import { undoneMark } from '../core/work.ts'
import type { DocumentLocation, Store } from '../store/store.ts'
import { isUnspacedScript } from './query-words.ts'
import { isUnknownWord, totalWeight, type WeightedWord } from './word-weights.ts'

/** A document as a hit without a score. Null if it is gone or hidden. */
export async function describeHit(store: Store, location: DocumentLocation): Promise<Hit | null> {
  const text = await documentText(store, location)
  return text ? makeHit(location, text, [], { score: 0, signals: {} }) : null
}

type DocumentText = {
  type: string
  title: string
  body: string
  hash?: string
  /** A prompt without words, or a question to Recollect itself, that has no answer: it answers no query. */
  saysNothing?: boolean
}

export function makeHit(
  location: DocumentLocation,
  text: DocumentText,
  words: WeightedWord[],
  { score, signals }: Pick<Hit, 'score' | 'signals'>,
): Hit {
  const fullText = `${text.title}\n${text.body}`
  return {
    kind: location.kind,
    id: location.ref,
    type: text.type,
    title: listTitle(text.title),
    snippet: snippetAround(text.body, words, 200),
    project: location.project,
    sessionId: location.sessionId,
    turn: location.turn,
    at: location.at,
    score,
    signals,
    ...coverages(fullText, words),
    cosine: null,
    tokens: countTokens(fullText),
    also: [],
  }
}

/** The turn that a document belongs to; null if it belongs to none. */
export const turnKey = ({ sessionId, turn }: DocumentLocation): string | null => (turn === null ? null : `${sessionId} ${turn}`)

/**
 * Whether a document says again what a better hit of its turn says. A prompt or a summary covers its whole turn; an observation covers one
 * part, so several of them may be shown.
 */
export const repeatsTurn = ({ kind }: DocumentLocation, better: DocumentLocation['kind'] | undefined) =>
  better !== undefined && (kind !== 'observation' || better !== 'observation')

/** The most distinctive words say what a long prompt is about; the others only dilute. */
const MAX_COVERAGE_WORDS = 10
const MAX_KNOWN_COVERAGE_WORDS = 8

/** A longer text has words of its own that no memory contains. They say nothing about whether a memory is about the rest. */
const MAX_TYPED_QUERY_WORDS = 12

/** How much of the query a text contains; rare words count more. Words match by their stems. */
export const queryCoverage = (text: string, words: WeightedWord[]): Coverage => coverageOf(foldCase(text), countedWords(words))

type Coverage = Pick<Hit, 'coverage' | 'matched' | 'unlikely'>

function countedWords(words: WeightedWord[]): WeightedWord[] {
  const counted = words.length > MAX_TYPED_QUERY_WORDS ? words.filter((word) => !isUnknownWord(word)) : words
  return counted.slice(0, MAX_COVERAGE_WORDS)
}

function coverages(text: string, words: WeightedWord[]): Coverage & Pick<Hit, 'known'> {
  const lower = foldCase(text)
  const known = words.filter((word, n) => !isUnknownWord(word) && words.findIndex(({ stem }) => stem === word.stem) === n)
  return { ...coverageOf(lower, countedWords(words)), known: coverageOf(lower, known.slice(0, MAX_KNOWN_COVERAGE_WORDS)) }
}

function coverageOf(lower: string, words: WeightedWord[]): Coverage {
  const total = totalWeight(words)
  // A word that no memory contains can only be inside another one: `tall` in `install`.
  const isIn = ({ word, stem }: WeightedWord) =>
    stem.length > 3 ? lower.includes(foldCase(stem)) || lower.includes(foldCase(word)) : isWholeWordIn(lower, foldCase(word))
  // A word that no memory contains can only be inside another one: `tall` in `install`.
  const matched = words.filter((word) => !isUnknownWord(word) && isIn(word))
  const unlikely = totalWeight(matched)
  return { coverage: total === 0 ? 0 : unlikely / total, matched: matched.length, unlikely }
}

/** Without case and accents, like the index. */
const foldCase = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()

/** A short word must be a whole word, apart from a plural s: `sam` is not in `same`. In a script without spaces it may be anywhere. */
function isWholeWordIn(text: string, word: string): boolean {
  if (isUnspacedScript(word)) return text.includes(word)
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!LETTER.test(text[at - 1] ?? ' ') && /^s?(?:[^\p{L}\p{N}]|$)/u.test(text.slice(at + word.length, at + word.length + 2))) return true
  }
  return false
}

const LETTER = /[\p{L}\p{N}]/u

const titleWithAuthor = ({ title, author }: Note) => (author === null ? title : `${title} (by ${shorten(author, 60)})`)

export async function documentText(store: Store, location: DocumentLocation): Promise<DocumentText | null> {
  const id = Number(location.ref)
  switch (location.kind) {
    case 'observation': {
      const [o] = await store.observations.get([id])
      return o
        ? withMark({ type: o.type, title: o.title, body: [o.subtitle, o.narrative, ...o.facts].filter(Boolean).join('\n') }, o)
        : null
    }
    case 'summary': {
      const s = await store.summaries.get(id)
      const body = s && [s.investigated, s.learned, s.completed, s.nextSteps, s.notes].filter(Boolean).join('\n')
      return s
        ? withMark({ type: s.source, title: turnTitle(s.request, [s.completed, s.learned]) || 'Summary', body: body ?? '' }, s)
        : null
    }
    case 'prompt': {
      const p = await store.prompts.get(id)
      if (!p) return null
      const saysNothing = !p.answer && (p.text === NO_WORDS || asksRecollect(p.text))
      return withMark({ type: p.origin, title: await promptTitle(store, p), body: p.answer ?? '', saysNothing }, p)
    }
    case 'note': {
      const n = await store.notes.get(asNoteId(location.ref))
      if (!n || isDeletedOrExpired(n, Date.now())) return null
      const [newer] = await store.notes.supersededBy(n.id)
      return {
        type: n.namespace,
        title: newer ? `Replaced by ${shortMemoryId('note', newer)}: ${n.title}` : titleWithAuthor(n),
        body: n.body,
      }
    }
    case 'commit': {
      const c = await store.commits.get(id)
      if (!c) return null
      const mark = commitMark(c)
      return {
        type: mark ? (mark.split(/\W/, 1)[0] ?? '') : c.type,
        title: mark ? `[${mark}] ${c.subject}` : c.subject,
        body: c.body,
        hash: c.hash,
      }
    }
  }
}

/** Work that was undone is shown with its mark, like a commit. */
function withMark(text: DocumentText, { undoneBy }: { undoneBy?: string }): DocumentText {
  return undoneBy ? { ...text, type: 'undone', title: `[${undoneMark(undoneBy)}] ${text.title}` } : text
}

const MAX_MENU_REPLY_CHARACTERS = 300

/** A reply to a menu is titled by the chosen option, which its summary contains: "7 (Remove the old provider)". */
async function promptTitle(store: Store, { text, answer, sessionId, number }: Prompt): Promise<string> {
  if (queryInPrompt(text) !== null && text.length > MAX_MENU_REPLY_CHARACTERS) return turnTitle(text, [])
  const summary = await store.summaries.ofTurn(sessionId, number)
  const isMenuReply = queryInPrompt(text) === null && summary !== null && summary.request.length > text.trim().length
  const request = isMenuReply ? summary.request : text
  return turnTitle(request, [summary?.completed ?? null, summary?.learned ?? null, answer])
}

/**
 * The part of a text with the sentence that matched: the one with the most words of the query; the first of those that have equally many.
 * Words match by their stems, as in the index.
 */
function snippetAround(text: string, words: WeightedWord[], max: number): string {
  const at = bestSentence(text, words)
  const from = at.start + at.length <= max ? 0 : at.start
  return (from > 0 ? '…' : '') + shorten(withoutBold(cleanSlice(text, from, from + max * 2)), max)
}

/** Labels of a note are bold in its file; in one line of text the asterisks are noise. `2 ** 3` stays. */
const withoutBold = (text: string) => text.replace(/\*\*([^\s*](?:[^*\n]*[^\s*])?)\*\*/g, '$1')

const cleanSlice = (text: string, from: number, to: number) => text.slice(from, to).toWellFormed().replaceAll('\ufffd', '')

/** The start of the sentence with the most words, or within a very long sentence shortly before the first of them. */
function bestSentence(text: string, words: WeightedWord[]): { start: number; length: number } {
  let best = { start: 0, length: 0, weight: 0 }
  let start = 0
  for (const sentence of text.slice(0, MAX_SNIPPET_SOURCE_CHARACTERS).split(SENTENCE_END)) {
    const lower = foldCase(sentence)
    const found = words.filter(({ word, stem }) => lower.includes(foldCase(stem.length > 3 ? stem : word)))
    const weight = found.reduce((sum, { weight }) => sum + Math.max(weight, MIN_WORD_WEIGHT), 0)
    if (weight > best.weight) {
      const plain = sentence.toLowerCase()
      const first = Math.min(...words.map(({ word }) => plain.indexOf(word)).filter((place) => place >= 0))
      const skipped = first > MAX_LEAD_CHARACTERS && first < sentence.length ? first - LEAD_CHARACTERS : 0
      best = { start: start + skipped, length: sentence.length - skipped, weight }
    }
    start += sentence.length
  }
  return best
}

/** After the mark that ends a sentence, or at the end of a line. */
const SENTENCE_END = /(?<=[.!?。！？]\s|\n|[。！？])/
/** The query's words are looked for in as much of a text as a person would skim. */
const MAX_SNIPPET_SOURCE_CHARACTERS = 20_000
/** In a young store common words weigh nothing, and still tell sentences apart. */
const MIN_WORD_WEIGHT = 0.01
const MAX_LEAD_CHARACTERS = 120
const LEAD_CHARACTERS = 60
