import { NOTE_TYPES, type NoteType } from '../core/note.ts'

/** One sentence, and the sources that the model gives for it. */
export type Claim = { text: string; sources: string[] }
export type ProposedMemory = { group: string; type: NoteType; namespace: string; title: string; claims: Claim[] }
export type ParsedConsolidationAnswer = { kind: 'read'; memories: ProposedMemory[] } | { kind: 'malformed'; reason: string }

/** Longer than any valid answer. */
const MAX_ANSWER_CHARS = 200_000
const MAX_MEMORIES = 50
const MAX_TITLE_CHARS = 200
const MAX_CLAIM_CHARS = 2000

/**
 * Parses a model's answer:
 *
 *     <memory group="g1" type="semantic" namespace="decisions">
 *       <title>…</title>
 *       <claim sources="n1 n2">One sentence.</claim>
 *     </memory>
 *
 * or `<nothing/>`. Text around the memories (a greeting, a code fence, thoughts) is ignored. Inside, a single violation makes the whole answer
 * malformed, because the rest cannot be trusted either. Reads the text once.
 */
export function parseConsolidationAnswer(answer: string): ParsedConsolidationAnswer {
  if (answer.length > MAX_ANSWER_CHARS) return malformed(`it is longer than ${MAX_ANSWER_CHARS} characters`)
  const text = withoutThoughts(answer)
  const memories: ProposedMemory[] = []
  let at = 0
  for (;;) {
    const open = nextTag(text, at, 'memory')
    if (!open) break
    if (memories.length === MAX_MEMORIES) return malformed(`it contains more than ${MAX_MEMORIES} memories`)
    const read = readMemory(text, open)
    if (typeof read === 'string') return malformed(read)
    memories.push(read.memory)
    at = read.end
  }
  if (memories.length === 0 && !/<nothing\s*\/?>/i.test(text)) return malformed('it contains neither a memory nor <nothing/>')
  return { kind: 'read', memories }
}

const malformed = (reason: string): ParsedConsolidationAnswer => ({ kind: 'malformed', reason })

/** Drafts inside a model's thoughts do not count; the answer comes after them. */
function withoutThoughts(answer: string): string {
  const end = answer.lastIndexOf('</think>')
  return end === -1 ? answer : answer.slice(end + '</think>'.length)
}

type ConsolidationAnswerTag = { attributes: Record<string, string>; start: number; end: number }

/** The next tag with this name, and its position. Null if there is none or it is not closed. */
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
    [...text.matchAll(/([a-z]{1,20})\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(([, name, double, single]) => [name, double ?? single ?? '']),
  )
}

/** The text up to the closing tag; null if that is missing. */
function readToClosingTag(text: string, from: number, name: string): { inner: string; end: number } | null {
  const close = text.indexOf(`</${name}>`, from)
  return close === -1 ? null : { inner: text.slice(from, close), end: close + name.length + 3 }
}

function readMemory(text: string, open: ConsolidationAnswerTag): { memory: ProposedMemory; end: number } | string {
  const element = readToClosingTag(text, open.end, 'memory')
  if (!element) return 'a memory is not closed'
  const { inner } = element
  const titleTag = nextTag(inner, 0, 'title')
  const titleElement = titleTag && readToClosingTag(inner, titleTag.end, 'title')
  if (!titleTag || !titleElement) return 'a memory has no title'
  // Text between the elements has no source, so it is not allowed.
  let between = inner.slice(0, titleTag.start)
  let at = titleElement.end
  const claims: Claim[] = []
  for (;;) {
    const claimTag = nextTag(inner, at, 'claim')
    if (!claimTag) break
    const claim = readToClosingTag(inner, claimTag.end, 'claim')
    if (!claim) return 'a claim is not closed'
    between += inner.slice(at, claimTag.start)
    at = claim.end
    const sources = (claimTag.attributes.sources ?? claimTag.attributes.source ?? '').split(/[\s,;]+/).filter(Boolean)
    const sentence = decodeText(claim.inner)
    if (sources.length === 0) return 'a claim names no source'
    if (sentence === '') return 'a claim is empty'
    if (sentence.length > MAX_CLAIM_CHARS) return `a claim is longer than ${MAX_CLAIM_CHARS} characters`
    claims.push({ text: sentence, sources })
  }
  between += inner.slice(at)
  if (between.trim() !== '') return 'a memory contains text outside its claims'
  if (claims.length === 0) return 'a memory has no claims'
  const type = open.attributes.type ?? 'semantic'
  if (!isNoteType(type) || type === 'episodic') return `"${type.slice(0, 40)}" is not a type of a lasting note`
  const title = decodeText(titleElement.inner)
  if (title === '' || title.length > MAX_TITLE_CHARS) return `a title is empty or longer than ${MAX_TITLE_CHARS} characters`
  const { group = '', namespace = '' } = open.attributes
  return { memory: { group, type, namespace, title, claims }, end: element.end }
}

const isNoteType = (text: string): text is NoteType => (NOTE_TYPES as readonly string[]).includes(text)

const ENTITIES: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'", '&#39;': "'", '&amp;': '&' }

const decodeText = (text: string) =>
  text
    .replace(/&(?:lt|gt|quot|apos|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .trim()
