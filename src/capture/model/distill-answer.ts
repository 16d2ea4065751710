import type { SummaryDraft } from '../../core/memory.ts'

/** An observation as a model wrote it: every word still its own, nothing of it checked. */
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

/** `skipped` is an answer: the model found nothing worth keeping. `unreadable` is one that says nothing in our words. */
export type ParsedDistillAnswer =
  | { kind: 'told'; observations: UncheckedObservation[]; summary: SummaryDraft | null }
  | { kind: 'skipped' }
  | { kind: 'unreadable' }

/** No answer that was asked for is as long as this. */
const MAX_ANSWER_CHARS = 4 * 1024 * 1024
const MAX_OBSERVATIONS = 20
const MAX_ITEMS_PER_LIST = 40
const MAX_FIELD_CHARS = 20_000
/** Twenty observations with all their items have fewer; behind them nothing is read. */
const MAX_TAGS = 5_000

/**
 * Reads what a model answered about a turn:
 *
 *     <observation><type>bugfix</type><title>…</title><facts><fact>…</fact></facts>…</observation>
 *     <summary><request>…</request>…</summary>
 *
 * or `<skip/>`. Tolerant, because models are careless: greetings and fences around it, tags in capitals or with attributes, parts that
 * are missing or out of order, a part that the next one ends. A block that was cut off counts when it has a title. It goes through the
 * text once, whatever stands there.
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
      block?.at(tag.start, text)
      finish()
      if (!tag.closes) block = newBlock(tag.name)
    } else block?.tag(tag, text)
  }
  ;(block as DistillAnswerBlock | null)?.at(text.length, text)
  finish()
  if (observations.length > 0 || summary) return { kind: 'told', observations, summary }
  return skipped ? { kind: 'skipped' } : { kind: 'unreadable' }
}

/** Models that think aloud put drafts into their thoughts; what counts comes after. */
function withoutThoughts(answer: string): string {
  const end = answer.lastIndexOf('</think>')
  return end === -1 ? answer : answer.slice(end + '</think>'.length)
}

/** An answer may be cut in the middle of a tag. */
function withoutHalfTag(text: string): string {
  const last = text.lastIndexOf('<')
  return last !== -1 && text.length - last < 20 && /^<\/?\w*$/.test(text.slice(last)) ? text.slice(0, last) : text
}

const LISTS = ['facts', 'concepts', 'files_read', 'files_modified'] as const
const ITEMS = ['fact', 'concept', 'file']
const FIELDS = ['type', 'title', 'subtitle', 'narrative', 'request', 'investigated', 'learned', 'completed', 'next_steps', 'notes']

// Attributes end at the next bracket and are short, so that a tag which never ends costs no second look at what follows it.
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

/** What stands between the tags of one block. A part ends where its end tag, or the next part, begins. */
function newBlock(name: string) {
  const fields = new Map<string, string>()
  const lists = new Map<string, string[]>()
  let list: string | null = null
  let open: { name: string; from: number } | null = null

  const add = (to: string, said: string) => {
    const items = lists.get(to) ?? []
    lists.set(to, items)
    if (said !== '' && items.length < MAX_ITEMS_PER_LIST) items.push(said)
  }
  /** The part that is open ends here. */
  const at = (end: number, text: string) => {
    if (!open) return
    const said = decodeEntities(text.slice(open.from, Math.min(end, open.from + MAX_FIELD_CHARS)))
    // A list without items is one item a line, or one with commas: some models write it so.
    if (open.name === list) for (const part of said.split(/\n|(?<=\S),\s(?=\S)/)) add(list, part.replace(/^\s*[-*•]\s*/, '').trim())
    else if (list) add(list, oneLine(said))
    else if (!fields.has(open.name)) fields.set(open.name, oneLine(said))
    open = null
  }
  return {
    name,
    fields,
    lists,
    at,
    tag: (tag: DistillAnswerTag, text: string) => {
      const isList = (LISTS as readonly string[]).includes(tag.name)
      // What stands between a list and its first item is white space, not an item.
      if (open && open.name === list && ITEMS.includes(tag.name)) open = null
      at(tag.start, text)
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
  const of = (name: (typeof LISTS)[number]) => lists.get(name) ?? []
  return [
    {
      type: (fields.get('type') ?? '').toLowerCase(),
      title,
      subtitle: fields.get('subtitle') ?? '',
      narrative: fields.get('narrative') ?? '',
      facts: of('facts'),
      concepts: of('concepts').map((concept) => concept.toLowerCase()),
      filesRead: of('files_read'),
      filesModified: of('files_modified'),
    },
  ]
}

function summaryIn({ fields }: DistillAnswerBlock): SummaryDraft | null {
  const said = (name: string) => fields.get(name) ?? ''
  const draft = {
    request: said('request'),
    investigated: said('investigated'),
    learned: said('learned'),
    completed: said('completed'),
    nextSteps: said('next_steps'),
    notes: said('notes'),
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
