import { type MemoryKind, memoryId, parseMemoryId } from '../core/memory-kinds.ts'
import { formatAge } from '../core/time-format.ts'
import type { GraphAsk } from '../wire/api.ts'
import { ask } from './ask.ts'
import { currentProject, requireKnownProject } from './current-project.ts'
import { parse } from './parse.ts'
import { bold, CliError, dim, EXIT, icon, plural, say, sayJson, table } from './print.ts'

type CliGraphMemory = { kind: MemoryKind; ref: string; type: string; title: string; at: number }
type CliGraphItem = CliGraphMemory & {
  relation?: string
  origin?: string
  side?: 'before' | 'after'
  distance?: number
  via?: { kind: MemoryKind; ref: string }
}
type CliGraphTopic = { name: string; observations: number; since: number; until: number; newest: CliGraphMemory[] }

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('graph', args)
  const [id, other, ...more] = positionals.map(parseRef)
  if (more.length > 0) throw new CliError('give one id, or two for the way between them', EXIT.invalid)
  if (values.causes && values.effects) throw new CliError('--causes or --effects, one at a time', EXIT.invalid)
  if ((values.causes || values.effects) && (!id || other))
    throw new CliError('--causes and --effects are of one memory: recollect graph 12 --causes', EXIT.invalid)
  const question = new URLSearchParams({ limit: values.limit })
  if (!id) {
    const answer = await askGraph<CliGraphTopic>('topics', question, { project: values.project ?? currentProject() })
    if (!answer.items?.length) await requireKnownProject(values)
    return sayTopics(answer, values.json ?? false)
  }
  const wanted: GraphAsk = other ? 'path' : values.causes ? 'causes' : values.effects ? 'effects' : 'neighbours'
  const answer = await askGraph<CliGraphItem>(wanted, question, { ref: id, ...(other ? { to: other } : {}) })
  if (values.json) return sayJson(answer)
  sayItems(wanted, answer)
}

type CliGraphResponse<T> = { project?: string; memory?: CliGraphMemory; items: T[] | null }

function askGraph<T>(wanted: GraphAsk, question: URLSearchParams, more: Record<string, string>): Promise<CliGraphResponse<T>> {
  return ask<CliGraphResponse<T>>(`/api/graph?${new URLSearchParams({ ...Object.fromEntries(question), ask: wanted, ...more })}`)
}

/** As search shows it, or with the kind written out. */
function parseRef(word: string): string {
  if (/^(?:observation|prompt|summary|note):\S+$/.test(word)) return word
  const named = parseMemoryId(word)
  if (named) return `${named.kind}:${named.ref}`
  throw new CliError(`"${word}" is no id; search shows them: 12 or #12, S3, P7, N…`, EXIT.invalid)
}

function sayTopics(answer: CliGraphResponse<CliGraphTopic>, json: boolean): undefined {
  if (json) return sayJson(answer)
  const topics = answer.items ?? []
  if (topics.length === 0) return say(`No topics yet in ${answer.project}: they come with a few observations that name the same things.`)
  const now = Date.now()
  for (const topic of topics) {
    say(`${bold(topic.name)}  ${dim(`${plural(topic.observations, 'observation')}, ${span(topic, now)}`)}`)
    for (const memory of topic.newest) say(`  ${idOf(memory)}  ${icon(memory.kind, memory.type)}${memory.title}`)
  }
}

function sayItems(wanted: GraphAsk, { memory, items }: CliGraphResponse<CliGraphItem>): undefined {
  if (memory) say(`${bold(`${idOf(memory)} ${memory.title}`)}  ${dim(`${memory.type}, ${formatAge(memory.at, Date.now())}`)}\n`)
  if (!items) return say('Nothing ties the two together.')
  if (items.length === 0) return say(NOTHING_FOUND_MESSAGES[wanted])
  if (wanted === 'path' && items.length === 1) return say('It is one and the same memory.')
  const now = Date.now()
  // A path begins with the memory itself, which stands above.
  const rows = asTree(items.filter((item) => item.relation !== undefined))
  const lines = table(
    rows.map((item) => [
      idOf(item),
      formatAge(item.at, now),
      relationLabel(item),
      `${indent(item)}${icon(item.kind, item.type)}${item.title}`,
    ]),
  ).split('\n')
  for (const [index, line] of lines.entries()) {
    say(line)
    const origin = rows[index]?.origin
    if (origin) say(dim(`      ${origin}`))
  }
}

/** What was reached through another stands under it. */
function asTree(items: CliGraphItem[]): CliGraphItem[] {
  const under = (parent: CliGraphMemory): CliGraphItem[] =>
    items
      .filter(({ via, distance = 1 }) => distance > 1 && via?.kind === parent.kind && via.ref === parent.ref)
      .flatMap((item) => [item, ...under(item)])
  const tree = items.filter(({ distance = 1 }) => distance === 1).flatMap((item) => [item, ...under(item)])
  return [...tree, ...items.filter((item) => !tree.includes(item))]
}

const NOTHING_FOUND_MESSAGES: Record<GraphAsk, string> = {
  neighbours: 'Nothing is tied to it yet.',
  causes: 'Nothing is known that led to it.',
  effects: 'Nothing has come of it yet.',
  path: '',
  topics: '',
}

/** What the other memory is to this one. */
function relationLabel({ relation = '', side = 'before' }: CliGraphItem): string {
  return RELATION_LABELS[relation]?.[side] ?? relation
}

const RELATION_LABELS: Record<string, { before: string; after: string }> = {
  asked: { before: 'asked for it', after: 'came of it' },
  follows: { before: 'came before', after: 'came next' },
  'co-changed': { before: 'changed it before', after: 'changed it later' },
  'same-file': { before: 'same file before', after: 'same file later' },
  'failed-then-fixed': { before: 'failed before', after: 'fixed it' },
  mentions: { before: 'named here', after: 'names it' },
  supersedes: { before: 'superseded', after: 'supersedes it' },
  'same-turn': { before: 'same turn', after: 'same turn' },
  'same-session': { before: 'same session', after: 'same session' },
  shares: { before: 'names the same', after: 'names the same' },
}

const idOf = ({ kind, ref }: CliGraphMemory) => memoryId(kind, ref)
const indent = ({ distance = 1 }: CliGraphItem) => '· '.repeat(distance - 1)

function span({ since, until }: CliGraphTopic, now: number): string {
  const [first, last] = [formatAge(since, now), formatAge(until, now)]
  return first === last ? last : `${first} to ${last}`
}
