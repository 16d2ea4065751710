import { parseMemoryId, shortMemoryId } from '../../core/memory-kinds.ts'
import { formatAge } from '../../core/time-format.ts'
import type { RequestOf } from '../../wire/contract/contract.ts'
import type { GraphNeighbour, GraphRef, GraphResponse, GraphStep, GraphTopic } from '../../wire/contract/graph.ts'
import { call } from '../call.ts'
import { json, limit, project } from '../command.ts'
import { currentProject, requireKnownProject } from '../current-project.ts'
import { notAMemoryId } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { bold, dim, icon, invalidInput, plural, print, printJson, table } from '../print.ts'

export const command = defineCommand({
  name: 'graph',
  summary: 'show related memories, causes, effects and topics',
  usage: `recollect graph [id] [other id] [--causes | --effects] [--project P] [--limit N] [--json]

  Without an id: the topics of this folder's project. With one id: related memories. With two: how they are connected.
  Ids as search prints them: 12 or #12 is an observation, S3 a summary, P7 a prompt, N… a note, C5 a commit.`,
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
    const { limit, json } = values
    const topicsRequest = { ask: 'topics', limit, project: values.project ?? currentProject() } as const
    const response = await call('GET /api/graph', id ? linksRequest(id, other, values) : topicsRequest)
    if (response.ask === 'topics' && response.items.length === 0) await requireKnownProject(values)
    if (json) return printJson(response)
    return response.ask === 'topics' ? printTopics(response) : printLinks(response)
  },
})

type GraphFlags = { causes?: boolean | undefined; effects?: boolean | undefined; limit: number }

function linksRequest(ref: string, to: string | undefined, { causes, effects, limit }: GraphFlags): RequestOf<'GET /api/graph'> {
  return { ask: to ? 'path' : causes ? 'causes' : effects ? 'effects' : 'neighbours', ref, to, limit }
}

/** Accepts an id as search prints it, or `kind:id`. */
function parseRef(word: string): string {
  if (/^(?:observation|prompt|summary|note):\S+$/.test(word)) return word
  const id = parseMemoryId(word)
  if (!id) throw notAMemoryId(word)
  return `${id.kind}:${id.ref}`
}

function printTopics({ project, items: topics }: Extract<GraphResponse, { ask: 'topics' }>): undefined {
  if (topics.length === 0) return print(`No topics yet in ${project}. A topic needs a few observations that mention the same things.`)
  const now = Date.now()
  for (const topic of topics) {
    print(`${bold(topic.name)}  ${dim(`${plural(topic.observations, 'observation')}, ${ageRange(topic, now)}`)}`)
    for (const memory of topic.newest) print(`  ${idOf(memory)}  ${icon(memory.kind, memory.type)}${memory.title}`)
  }
}

type LinksResponse = Exclude<GraphResponse, { ask: 'topics' }>
/** Only causes and effects have a distance. */
type LinkedMemory = GraphNeighbour & Partial<Pick<GraphStep, 'distance' | 'via'>>

function printLinks({ ask, memory, items }: LinksResponse): undefined {
  if (memory) print(`${bold(`${idOf(memory)} ${memory.title}`)}  ${dim(`${memory.type}, ${formatAge(memory.at, Date.now())}`)}\n`)
  if (!items || items.length === 0) return print(NOTHING_FOUND_MESSAGES[ask])
  if (ask === 'path' && items.length === 1) return print('Both ids are the same memory.')
  const now = Date.now()
  // A path starts with the memory itself, which is already in the heading.
  const rows = asTree(items.flatMap((item) => ('relation' in item ? [item] : [])))
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
function asTree(items: LinkedMemory[]): LinkedMemory[] {
  const below = (parent: LinkedMemory): LinkedMemory[] =>
    items
      .filter(({ via, distance = 1 }) => distance > 1 && via?.kind === parent.kind && via.ref === parent.ref)
      .flatMap((item) => [item, ...below(item)])
  const tree = items.filter(({ distance = 1 }) => distance === 1).flatMap((item) => [item, ...below(item)])
  return [...tree, ...items.filter((item) => !tree.includes(item))]
}

const NOTHING_FOUND_MESSAGES: Record<LinksResponse['ask'], string> = {
  neighbours: 'No related memories yet.',
  causes: 'No causes are known.',
  effects: 'No effects are known yet.',
  path: 'No connection between the two was found.',
}

/** How the other memory relates to this one. */
function relationLabel({ relation, side }: LinkedMemory): string {
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

const idOf = ({ kind, ref }: GraphRef) => shortMemoryId(kind, ref)
const indent = ({ distance = 1 }: LinkedMemory) => '· '.repeat(distance - 1)

function ageRange({ since, until }: GraphTopic, now: number): string {
  const [oldest, newest] = [formatAge(since, now), formatAge(until, now)]
  return oldest === newest ? newest : `${oldest} to ${newest}`
}
