import type { SummaryDraft } from '../../core/memory.ts'

/** An observation as the model wrote it, not checked against the turn yet. */
export type UncheckedObservation = {
  type: string
  title: string
  subtitle: string
  narrative: string
  facts: string[]
  concepts: string[]
  filesRead: string[]
  filesModified: string[]
}

/** `skipped`: the model found nothing worth remembering. `unreadable`: the answer contains none of our tags. */
export type ParsedDistillAnswer =
  | { kind: 'distilled'; observations: UncheckedObservation[]; summary: SummaryDraft | null }
  | { kind: 'skipped' }
  | { kind: 'unreadable' }

const MAX_ANSWER_CHARS = 4 * 1024 * 1024
const MAX_OBSERVATIONS = 20
const MAX_ITEMS_PER_LIST = 40
const MAX_FIELD_CHARS = 20_000
/** Enough for the maximum number of observations with all their items. Later tags are ignored. */
const MAX_TAGS = 5_000

/**
 * Reads a model's answer about a turn:
 *
 *     <observation><type>bugfix</type><title>…</title><facts><fact>…</fact></facts>…</observation>
 *     <summary><request>…</request>…</summary>
 *
 * or `<skip/>`. Models are careless, so this accepts greetings and fences around the answer, tags in capitals or with attributes,
 * missing and reordered parts, and parts without an end tag. A truncated observation counts if it has a title. Any text is read in one pass.
 */
export function parseDistillAnswer(answer: string): ParsedDistillAnswer {
  const text = withoutHalfTag(withoutThoughts(answer.slice(0, MAX_ANSWER_CHARS)))
  const observations: UncheckedObservation[] = []
  let summary: SummaryDraft | null = null
  let skipped = false
  let block: DistillAnswerBlock | null = null
  const finish = () => {
    if (block?.name === 'observation' && observations.length < MAX_OBSERVATIONS) observations.push(...observationIn(block))
    if (block?.name === 'summary') summary ??= summaryIn(block)
    block = null
  }
  for (const tag of tagsIn(text)) {
    if (tag.name === 'skip') skipped ||= block === null
    else if (tag.name === 'observation' || tag.name === 'summary') {
      block?.endPart(tag.start, text)
      finish()
      if (!tag.closes) block = newBlock(tag.name)
    } else block?.tag(tag, text)
  }
  ;(block as DistillAnswerBlock | null)?.endPart(text.length, text)
  finish()
  if (observations.length > 0 || summary) return { kind: 'distilled', observations, summary }
  return skipped ? { kind: 'skipped' } : { kind: 'unreadable' }
}

/** Models put drafts into their thoughts; the answer comes after them. */
function withoutThoughts(answer: string): string {
  const end = answer.lastIndexOf('</think>')
  return end === -1 ? answer : answer.slice(end + '</think>'.length)
}

/** An answer may be truncated in the middle of a tag. */
function withoutHalfTag(text: string): string {
  const last = text.lastIndexOf('<')
  return last !== -1 && text.length - last < 20 && /^<\/?\w*$/.test(text.slice(last)) ? text.slice(0, last) : text
}

const LISTS = ['facts', 'concepts', 'files_read', 'files_modified'] as const
const ITEMS = ['fact', 'concept', 'file']
const FIELDS = ['type', 'title', 'subtitle', 'narrative', 'request', 'investigated', 'learned', 'completed', 'next_steps', 'notes']

// Attributes are short and contain no brackets, so an unclosed tag does not make the pattern scan the rest of the text again.
const TAG = new RegExp(
  `<(/?)\\s{0,9}(observation|summary|skip|${[...LISTS, ...ITEMS, ...FIELDS].join('|')})(?=[\\s/>])([^<>]{0,200})>`,
  'gi',
)

type DistillAnswerTag = { name: string; closes: boolean; start: number; end: number }

function* tagsIn(text: string): Generator<DistillAnswerTag> {
  let left = MAX_TAGS
  for (const match of text.matchAll(TAG)) {
    if (left-- === 0) return
    const name = (match[2] ?? '').toLowerCase()
    yield { name, closes: match[1] === '/', start: match.index, end: match.index + match[0].length }
  }
}

type DistillAnswerBlock = ReturnType<typeof newBlock>

/** Collects the fields and lists of one block. A part ends at its end tag or at the start of the next part. */
function newBlock(name: string) {
  const fields = new Map<string, string>()
  const lists = new Map<string, string[]>()
  let list: string | null = null
  let open: { name: string; from: number } | null = null

  const add = (name: string, item: string) => {
    const items = lists.get(name) ?? []
    lists.set(name, items)
    if (item !== '' && items.length < MAX_ITEMS_PER_LIST) items.push(item)
  }
  /** Ends the open part at this position. */
  const endPart = (end: number, text: string) => {
    if (!open) return
    const content = decodeEntities(text.slice(open.from, Math.min(end, open.from + MAX_FIELD_CHARS)))
    // Some models write a list without item tags: one item per line, or separated by commas.
    if (open.name === list) for (const part of content.split(/\n|(?<=\S),\s(?=\S)/)) add(list, part.replace(/^\s*[-*•]\s*/, '').trim())
    else if (list) add(list, oneLine(content))
    else if (!fields.has(open.name)) fields.set(open.name, oneLine(content))
    open = null
  }
  return {
    name,
    fields,
    lists,
    endPart,
    tag: (tag: DistillAnswerTag, text: string) => {
      const isList = (LISTS as readonly string[]).includes(tag.name)
      // The text between a list tag and its first item is white space, not an item.
      if (open && open.name === list && ITEMS.includes(tag.name)) open = null
      endPart(tag.start, text)
      if (tag.closes) {
        if (isList) list = null
        return
      }
      if (isList) list = tag.name
      else if (!ITEMS.includes(tag.name)) list = null
      else if (list === null) return
      open = { name: tag.name, from: tag.end }
    },
  }
}

function observationIn({ fields, lists }: DistillAnswerBlock): UncheckedObservation[] {
  const title = fields.get('title') ?? ''
  if (title === '') return []
  const list = (name: (typeof LISTS)[number]) => lists.get(name) ?? []
  return [
    {
      type: (fields.get('type') ?? '').toLowerCase(),
      title,
      subtitle: fields.get('subtitle') ?? '',
      narrative: fields.get('narrative') ?? '',
      facts: list('facts'),
      concepts: list('concepts').map((concept) => concept.toLowerCase()),
      filesRead: list('files_read'),
      filesModified: list('files_modified'),
    },
  ]
}

function summaryIn({ fields }: DistillAnswerBlock): SummaryDraft | null {
  const field = (name: string) => fields.get(name) ?? ''
  const draft = {
    request: field('request'),
    investigated: field('investigated'),
    learned: field('learned'),
    completed: field('completed'),
    nextSteps: field('next_steps'),
    notes: field('notes'),
  }
  return Object.values(draft).some((text) => text !== '') ? draft : null
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", amp: '&' }

function decodeEntities(text: string): string {
  return text
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/&(lt|gt|quot|apos|#39|amp);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .trim()
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
