import { type MemoryKind, memoryId, parseMemoryId } from '../../core/memory-kinds.ts'
import { formatAge } from '../../core/time-format.ts'
import type { GraphAsk } from '../../wire/api.ts'
import { ask } from '../ask.ts'
import { json, limit, project } from '../command.ts'
import { currentProject, requireKnownProject } from '../current-project.ts'
import { notAMemoryId } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { bold, dim, icon, invalidInput, plural, print, printJson, table } from '../print.ts'

type CliGraphMemory = { kind: MemoryKind; ref: string; type: string; title: string; at: number }
type CliGraphItem = CliGraphMemory & {
  relation?: string
  origin?: string
  side?: 'before' | 'after'
  distance?: number
  via?: { kind: MemoryKind; ref: string }
}
type CliGraphTopic = { name: string; observations: number; since: number; until: number; newest: CliGraphMemory[] }

export const command = defineCommand({
  name: 'graph',
  summary: 'show related memories, causes, effects and topics',
  usage: `recollect graph [id] [other id] [--causes | --effects] [--project P] [--limit N] [--json]

  Without an id: the topics of this folder's project. With one id: related memories. With two: how they are connected.
  Ids as search prints them: 12 or #12 is an observation, S3 a summary, P7 a prompt, N… a note.`,
  words: '[<id>] [<other id>]',
  options: {
    causes: { type: 'boolean', about: 'show what led to it' },
    effects: { type: 'boolean', about: 'show what it led to' },
    project,
    limit: limit('12', 100),
    json,
  },
  async run({ values, positionals }) {
    const [id, other, ...more] = positionals.map(parseRef)
    if (more.length > 0) throw invalidInput('too many ids: pass one, or two to see how they are connected')
    if (values.causes && values.effects) throw invalidInput('pass --causes or --effects, not both')
    if ((values.causes || values.effects) && (!id || other))
      throw invalidInput('--causes and --effects need exactly one id: recollect graph 12 --causes')
    const request = { limit: String(values.limit) }
    if (!id) {
      const answer = await askGraph<CliGraphTopic>('topics', { ...request, project: values.project ?? currentProject() })
      if (!answer.items?.length) await requireKnownProject(values)
      return values.json ? printJson(answer) : printTopics(answer)
    }
    const question: GraphAsk = other ? 'path' : values.causes ? 'causes' : values.effects ? 'effects' : 'neighbours'
    const answer = await askGraph<CliGraphItem>(question, { ...request, ref: id, ...(other ? { to: other } : {}) })
    return values.json ? printJson(answer) : printItems(question, answer)
  },
})

type CliGraphResponse<T> = { project?: string; memory?: CliGraphMemory; items: T[] | null }

function askGraph<T>(question: GraphAsk, request: Record<string, string>): Promise<CliGraphResponse<T>> {
  return ask<CliGraphResponse<T>>(`/api/graph?${new URLSearchParams({ ...request, ask: question })}`)
}

/** Accepts an id as search prints it, or `kind:id`. */
function parseRef(word: string): string {
  if (/^(?:observation|prompt|summary|note):\S+$/.test(word)) return word
  const id = parseMemoryId(word)
  if (!id) throw notAMemoryId(word)
  return `${id.kind}:${id.ref}`
}

function printTopics(answer: CliGraphResponse<CliGraphTopic>): undefined {
  const topics = answer.items ?? []
  if (topics.length === 0)
    return print(`No topics yet in ${answer.project}. A topic needs a few observations that mention the same things.`)
  const now = Date.now()
  for (const topic of topics) {
    print(`${bold(topic.name)}  ${dim(`${plural(topic.observations, 'observation')}, ${ageRange(topic, now)}`)}`)
    for (const memory of topic.newest) print(`  ${idOf(memory)}  ${icon(memory.kind, memory.type)}${memory.title}`)
  }
}

function printItems(question: GraphAsk, { memory, items }: CliGraphResponse<CliGraphItem>): undefined {
  if (memory) print(`${bold(`${idOf(memory)} ${memory.title}`)}  ${dim(`${memory.type}, ${formatAge(memory.at, Date.now())}`)}\n`)
  if (!items) return print('No connection between the two was found.')
  if (items.length === 0) return print(NOTHING_FOUND_MESSAGES[question])
  if (question === 'path' && items.length === 1) return print('Both ids are the same memory.')
  const now = Date.now()
  // A path starts with the memory itself, which is already in the heading.
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
    print(line)
    const origin = rows[index]?.origin
    if (origin) print(dim(`      ${origin}`))
  }
}

/** Puts each memory below the one through which it was reached. */
function asTree(items: CliGraphItem[]): CliGraphItem[] {
  const below = (parent: CliGraphMemory): CliGraphItem[] =>
    items
      .filter(({ via, distance = 1 }) => distance > 1 && via?.kind === parent.kind && via.ref === parent.ref)
      .flatMap((item) => [item, ...below(item)])
  const tree = items.filter(({ distance = 1 }) => distance === 1).flatMap((item) => [item, ...below(item)])
  return [...tree, ...items.filter((item) => !tree.includes(item))]
}

const NOTHING_FOUND_MESSAGES: Record<GraphAsk, string> = {
  neighbours: 'No related memories yet.',
  causes: 'No causes are known.',
  effects: 'No effects are known yet.',
  path: '',
  topics: '',
}

/** How the other memory relates to this one. */
function relationLabel({ relation = '', side = 'before' }: CliGraphItem): string {
  return RELATION_LABELS[relation]?.[side] ?? relation
}

const RELATION_LABELS: Record<string, { before: string; after: string }> = {
  asked: { before: 'asked for it', after: 'result of it' },
  follows: { before: 'came before', after: 'came next' },
  'co-changed': { before: 'changed it before', after: 'changed it later' },
  'same-file': { before: 'same file before', after: 'same file later' },
  'failed-then-fixed': { before: 'failed before', after: 'fixed it' },
  mentions: { before: 'mentioned here', after: 'mentions it' },
  supersedes: { before: 'superseded', after: 'supersedes it' },
  'same-turn': { before: 'same turn', after: 'same turn' },
  'same-session': { before: 'same session', after: 'same session' },
  shares: { before: 'mentions the same', after: 'mentions the same' },
}

const idOf = ({ kind, ref }: CliGraphMemory) => memoryId(kind, ref)
const indent = ({ distance = 1 }: CliGraphItem) => '· '.repeat(distance - 1)

function ageRange({ since, until }: CliGraphTopic, now: number): string {
  const [oldest, newest] = [formatAge(since, now), formatAge(until, now)]
  return oldest === newest ? newest : `${oldest} to ${newest}`
}
