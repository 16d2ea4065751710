import type { Observation, Prompt, Summary } from '../core/memory.ts'
import { parseMemoryId } from '../core/memory-kinds.ts'
import type { Note } from '../core/note.ts'
import { formatAgo } from '../core/time-format.ts'
import { ask, post } from './ask.ts'
import { parse } from './parse.ts'
import { bold, CliError, dim, EXIT, say, sayJson } from './print.ts'

/** `title` is what lists call it; null when it is in none. */
type CliFoundMemory = { id: string; title: string | null; project: string | null } & (
  | { kind: 'observation'; memory: Observation | null }
  | { kind: 'summary'; memory: Summary | null }
  | { kind: 'prompt'; memory: Prompt | null }
  | { kind: 'note'; memory: (Note & { urn: string; supersededBy: string[] }) | null }
)

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('get', args)
  if (positionals.length === 0) throw new CliError('give ids as search shows them: recollect get 12 S3 P7 N01K…', EXIT.invalid)
  const wrong = positionals.find((id) => parseMemoryId(id) === null)
  if (wrong !== undefined) throw new CliError(`"${wrong}" is no id; search shows them: 12 or #12, S3, P7, N…`, EXIT.invalid)
  const found = await ask<CliFoundMemory[]>('/api/memories/batch', post({ ids: positionals }))
  if (values.json) sayJson(found.flatMap(({ kind, title, project, memory }) => (memory ? [{ kind, title, project, ...memory }] : [])))
  else found.forEach(sayMemory)
  const missing = found.filter((one) => one.memory === null)
  if (missing.length > 0) throw new CliError(`nothing is remembered as ${missing.map((one) => one.id).join(', ')}`, EXIT.invalid)
}

function sayMemory(found: CliFoundMemory): undefined {
  if (!found.memory) return
  switch (found.kind) {
    case 'observation':
      return sayObservation(found.memory)
    case 'summary':
      return saySummary(found.memory, found.title)
    case 'prompt':
      return sayPrompt(found.memory, found)
    case 'note':
      return sayNote(found.memory)
  }
}

function sayObservation(o: Observation): undefined {
  say(`${bold(`#${o.id} ${o.title}`)}  ${dim(`${o.type}, ${formatAgo(o.at, Date.now())}, ${o.project}, by ${o.model}`)}`)
  if (o.subtitle) say(o.subtitle)
  if (o.narrative) say(`\n${o.narrative}`)
  for (const fact of o.facts) say(`  - ${fact}`)
  if (o.filesModified.length > 0) say(dim(`  changed: ${o.filesModified.join(', ')}`))
  if (o.filesRead.length > 0) say(dim(`  read: ${o.filesRead.join(', ')}`))
  say()
}

function saySummary(s: Summary, title: string | null): undefined {
  const called = title ?? (s.request || 'Summary')
  say(`${bold(`S${s.id} ${called}`)}  ${dim(`${s.source}, ${formatAgo(s.at, Date.now())}, ${s.project}, by ${s.model}`)}`)
  const fields = {
    Asked: s.request === called ? '' : s.request,
    'Looked at': s.investigated,
    Learned: s.learned,
    Done: s.completed,
    Next: s.nextSteps,
    Notes: s.notes,
  }
  for (const [label, text] of Object.entries(fields)) if (text) say(`  ${label}: ${text}`)
  say()
}

function sayNote(n: Note & { urn: string; supersededBy: string[] }): undefined {
  const facts = [n.namespace, n.type, n.scope === 'project' ? n.project : n.scope, formatAgo(n.updatedAt, Date.now()), `from ${n.source}`]
  say(`${bold(`N${n.id} ${n.title}`)}  ${dim([...facts, ...n.tags.map((tag) => `#${tag}`)].join(', '))}\n\n${n.body}\n`)
  if (n.deletedAt !== null) say(dim('Forgotten; recollect restore brings it back.'))
  if (n.supersededBy.length > 0) say(dim(`Superseded by ${n.supersededBy.map((id) => `N${id}`).join(', ')}.`))
  say(dim(`${n.urn}  ${n.path}`))
  say()
}

function sayPrompt(p: Prompt, { title, project }: Pick<CliFoundMemory, 'title' | 'project'>): undefined {
  const facts = [p.origin, formatAgo(p.at, Date.now()), ...(project ? [project] : [])]
  say(`${bold(`P${p.id}${title ? ` ${title}` : ''}`)}  ${dim(facts.join(', '))}`)
  if (p.text !== title) say(p.text)
  if (p.answer) say(`\n${dim('Answered:')}\n${p.answer}`)
  say()
}
