import { NOTE_TYPES, type NoteType } from '../core/note.ts'

/** One sentence, and the sources that the model says it has it from. */
export type Claim = { text: string; sources: string[] }
export type ProposedMemory = { group: string; type: NoteType; namespace: string; title: string; claims: Claim[] }
export type ParsedConsolidationAnswer = { kind: 'read'; memories: ProposedMemory[] } | { kind: 'malformed'; reason: string }

/** No answer that was asked for is as long as this. */
const MAX_ANSWER_CHARS = 200_000
const MAX_MEMORIES = 50
const MAX_TITLE_CHARS = 200
const MAX_CLAIM_CHARS = 2000

/**
 * Reads what a model answered:
 *
 *     <memory group="g1" type="semantic" namespace="decisions">
 *       <title>…</title>
 *       <claim sources="n1 n2">One sentence.</claim>
 *     </memory>
 *
 * or `<nothing/>`. Tolerant of what stands around it (a greeting, a fence, thoughts), strict inside: one thing that is not as asked spoils
 * the whole answer, because nobody can tell what else is wrong with it. Goes through the text once.
 */
export function parseConsolidationAnswer(answer: string): ParsedConsolidationAnswer {
  if (answer.length > MAX_ANSWER_CHARS) return malformed('it is far too long')
  const text = withoutThoughts(answer)
  const memories: ProposedMemory[] = []
  let at = 0
  for (;;) {
    const open = nextTag(text, at, 'memory')
    if (!open) break
    if (memories.length === MAX_MEMORIES) return malformed(`it holds more than ${MAX_MEMORIES} memories`)
    const read = readMemory(text, open)
    if (typeof read === 'string') return malformed(read)
    memories.push(read.memory)
    at = read.end
  }
  if (memories.length === 0 && !/<nothing\s*\/?>/i.test(text)) return malformed('it holds no memory and does not say that there is none')
  return { kind: 'read', memories }
}

const malformed = (reason: string): ParsedConsolidationAnswer => ({ kind: 'malformed', reason })

/** Models that think aloud put drafts into their thoughts; what counts comes after. */
function withoutThoughts(answer: string): string {
  const end = answer.lastIndexOf('</think>')
  return end === -1 ? answer : answer.slice(end + '</think>'.length)
}

type ConsolidationAnswerTag = { attributes: Record<string, string>; start: number; end: number }

/** The next tag of this name, with where it begins and ends. A tag that never ends is none. */
function nextTag(text: string, from: number, name: string): ConsolidationAnswerTag | null {
  for (let start = text.indexOf(`<${name}`, from); start !== -1; start = text.indexOf(`<${name}`, start + 1)) {
    const after = text[start + name.length + 1]
    if (after !== '>' && !/\s/.test(after ?? '')) continue
    const close = text.indexOf('>', start)
    if (close === -1) return null
    return { attributes: attributesIn(text.slice(start + name.length + 1, Math.min(close, start + 2000))), start, end: close + 1 }
  }
  return null
}

function attributesIn(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([a-z]{1,20})\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, name, one, other]) => [name, one ?? other ?? '']),
  )
}

/** Everything up to the end tag, which must come. */
function readToClosingTag(text: string, from: number, name: string): { inner: string; end: number } | null {
  const close = text.indexOf(`</${name}>`, from)
  return close === -1 ? null : { inner: text.slice(from, close), end: close + name.length + 3 }
}

function readMemory(text: string, open: ConsolidationAnswerTag): { memory: ProposedMemory; end: number } | string {
  const whole = readToClosingTag(text, open.end, 'memory')
  if (!whole) return 'a memory does not end'
  const { inner } = whole
  const title = nextTag(inner, 0, 'title')
  const titled = title && readToClosingTag(inner, title.end, 'title')
  if (!title || !titled) return 'a memory has no title'
  // What stands between the parts belongs to no source.
  let between = inner.slice(0, title.start)
  let at = titled.end
  const claims: Claim[] = []
  for (;;) {
    const claim = nextTag(inner, at, 'claim')
    if (!claim) break
    const said = readToClosingTag(inner, claim.end, 'claim')
    if (!said) return 'a claim does not end'
    between += inner.slice(at, claim.start)
    at = said.end
    const sources = (claim.attributes.sources ?? claim.attributes.source ?? '').split(/[\s,;]+/).filter(Boolean)
    const told = decodeText(said.inner)
    if (sources.length === 0) return 'a claim names no source'
    if (told === '' || told.length > MAX_CLAIM_CHARS) return told === '' ? 'a claim is empty' : 'a claim is far too long'
    claims.push({ text: told, sources })
  }
  between += inner.slice(at)
  if (between.trim() !== '') return 'a memory holds text outside of its claims'
  if (claims.length === 0) return 'a memory makes no claim'
  const type = open.attributes.type ?? 'semantic'
  if (!isNoteType(type) || type === 'episodic') return `"${type.slice(0, 40)}" is no type of a durable note`
  const named = decodeText(titled.inner)
  if (named === '' || named.length > MAX_TITLE_CHARS) return 'a title is empty or far too long'
  const { group = '', namespace = '' } = open.attributes
  return { memory: { group, type, namespace, title: named, claims }, end: whole.end }
}

const isNoteType = (text: string): text is NoteType => (NOTE_TYPES as readonly string[]).includes(text)

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&#39;': "'", '&amp;': '&' }

const decodeText = (text: string) =>
  text
    .replace(/&(?:lt|gt|quot|apos|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
