import { commitMark, type GitCommit, shortHash } from '../../core/commit.ts'
import type { Observation, Prompt, Summary } from '../../core/memory.ts'
import { parseMemoryId, shortMemoryId } from '../../core/memory-kinds.ts'
import { formatAgo } from '../../core/time-format.ts'
import { undoneMark } from '../../core/work.ts'
import { describeOutcome, type WorkOutcome } from '../../core/work-outcome.ts'
import type { MemoryResponse } from '../../wire/contract/memories.ts'
import type { FullNote } from '../../wire/contract/notes.ts'
import { call } from '../call.ts'
import { json } from '../command.ts'
import { notAMemoryId } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { bold, dim, invalidInput, print, printJson, yellow } from '../print.ts'

export const command = defineCommand({
  name: 'get',
  summary: 'print memories in full, by id',
  usage: `recollect get <id…> [--json]

  Ids as search prints them: #12 (or 12) is an observation, S3 a summary, P7 a prompt with its answer, N… a note, C5 a commit; C1a2b3c4 is the commit with that hash.`,
  words: '<id…>',
  options: { json },
  async run({ values, positionals }) {
    if (positionals.length === 0)
      throw invalidInput("which memory? recollect get <id…>, for example 12, S3, P7 or N7F3KQ2BD; 'recollect search' shows ids")
    const wrong = positionals.find((id) => parseMemoryId(id) === null)
    if (wrong !== undefined) throw notAMemoryId(wrong)
    const found = await call('POST /api/memories/batch', { ids: positionals })
    if (values.json)
      printJson(
        found.flatMap(({ kind, title, project, outcome, code, verified, memory }) =>
          memory ? [{ kind, title, project, outcome, code, verified, ...memory }] : [],
        ),
      )
    else found.forEach(printMemory)
    const missing = found.filter((one) => one.memory === null).map((one) => one.id)
    if (missing.length > 0) throw invalidInput(`no memory has the id ${missing.join(', ')}; 'recollect search' shows ids`)
  },
})

function printMemory(found: MemoryResponse): undefined {
  if (!found.memory) return
  if (found.code) print(yellow(`[${found.code.isHistory ? 'history, no longer true of the code; ' : ''}${found.code.text}]`))
  if (found.verified)
    print(
      dim(
        `confirmed ${formatAgo(found.verified.at, Date.now())}${found.verified.commit ? ` at commit ${shortHash(found.verified.commit)}` : ''}`,
      ),
    )
  switch (found.kind) {
    case 'observation':
      return printObservation(found.memory, found.outcome)
    case 'summary':
      return printSummary(found.memory, found)
    case 'prompt':
      return printPrompt(found.memory, found)
    case 'note':
      return printNote(found.memory)
    case 'commit':
      return printCommit(found.memory)
  }
}

const markOf = ({ undoneBy }: { undoneBy?: string }) => (undoneBy ? `, ${undoneMark(undoneBy)}` : '')

function printObservation(o: Observation, outcome: WorkOutcome | null): undefined {
  print(`${bold(`#${o.id} ${o.title}`)}  ${dim(`${o.type}, ${formatAgo(o.at, Date.now())}, ${o.project}, by ${o.model}${markOf(o)}`)}`)
  if (o.subtitle) print(o.subtitle)
  if (o.narrative) print(`\n${o.narrative}`)
  for (const fact of o.facts) print(`  - ${fact}`)
  if (o.tags) print(dim(`  tags: ${o.tags.join(', ')}`))
  if (o.filesModified.length > 0) print(dim(`  changed: ${o.filesModified.join(', ')}`))
  if (o.filesRead.length > 0) print(dim(`  read: ${o.filesRead.join(', ')}`))
  printOutcome(outcome)
  print()
}

function printSummary(s: Summary, { title: listTitle, outcome }: Pick<MemoryResponse, 'title' | 'outcome'>): undefined {
  const title = listTitle ?? (s.request || 'Summary')
  print(`${bold(`S${s.id} ${title}`)}  ${dim(`${s.source}, ${formatAgo(s.at, Date.now())}, ${s.project}, by ${s.model}${markOf(s)}`)}`)
  const fields = {
    Request: s.request === title ? '' : s.request,
    Investigated: s.investigated,
    Learned: s.learned,
    Done: s.completed,
    Next: s.nextSteps,
    Notes: s.notes,
  }
  for (const [label, text] of Object.entries(fields)) if (text) print(`  ${label}: ${text}`)
  printOutcome(outcome)
  print()
}

function printNote(n: FullNote): undefined {
  const facts = [
    n.namespace,
    n.type,
    n.scope === 'project' ? n.project : n.scope,
    formatAgo(n.updatedAt, Date.now()),
    n.author === null ? `from ${n.source}` : `copied from ${n.author}${n.machine ? ` on ${n.machine}` : ''}`,
    ...(n.state === 'proposed' ? ['proposed'] : []),
  ]
  print(
    `${bold(`${shortMemoryId('note', n.id)} ${n.title}`)}  ${dim([...facts, ...n.tags.map((tag) => `#${tag}`)].join(', '))}\n\n${n.body}\n`,
  )
  if (n.deletedAt !== null) print(dim(`Forgotten. To bring it back: recollect restore ${shortMemoryId('note', n.id)}`))
  if (n.supersededBy.length > 0)
    print(
      dim(
        `Replaced by ${n.supersededBy.map((id) => shortMemoryId('note', id)).join(', ')}. To undo that: recollect restore ${shortMemoryId('note', n.id)}`,
      ),
    )
  print(dim(`${n.urn}  ${n.path}`))
  print()
}

function printCommit(c: GitCommit): undefined {
  const facts = [c.type, formatAgo(c.at, Date.now()), c.project, `by ${c.author}`, commitMark(c)].filter(Boolean)
  print(`${bold(`C${c.id} ${c.subject}`)}  ${dim(facts.join(', '))}`)
  if (c.body) print(`\n${c.body}\n`)
  const more = c.fileCount > c.files.length ? `, and ${c.fileCount - c.files.length} more` : ''
  if (c.files.length > 0) print(dim(`  changed: ${c.files.join(', ')}${more}`))
  print(dim(`  commit ${c.hash}, ${new Date(c.at).toISOString().slice(0, 10)}`))
  print()
}

function printPrompt(p: Prompt, { title, project, outcome }: Pick<MemoryResponse, 'title' | 'project' | 'outcome'>): undefined {
  const facts = [p.origin, formatAgo(p.at, Date.now()), ...(project ? [project] : []), ...(p.undoneBy ? [undoneMark(p.undoneBy)] : [])]
  print(`${bold(`P${p.id}${title ? ` ${title}` : ''}`)}  ${dim(facts.join(', '))}`)
  if (p.text !== title) print(p.text)
  if (p.answer) print(`\n${dim('Answer:')}\n${p.answer}`)
  printOutcome(outcome)
  print()
}

function printOutcome(outcome: WorkOutcome | null): void {
  if (outcome) print(`\n→ ${describeOutcome(outcome)}`)
}
