import { asProjectKey } from '../../core/ids.ts'
import { isMemoryId, parseMemoryId } from '../../core/memory-kinds.ts'
import { projectName } from '../../core/project.ts'
import { shorten } from '../../core/text.ts'
import type { ForgetCounts, ForgetPreview, ForgetReport } from '../../wire/contract/forget.ts'
import { call, callLines } from '../call.ts'
import { dryRun, json, yes } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { notAMemoryId } from '../note-command.ts'
import { defineCommand } from '../parse.ts'
import { CliError, dim, invalidInput, plural, print, printJson, progressBar } from '../print.ts'

export const command = defineCommand({
  name: 'forget',
  summary: 'delete memories, turns or sessions; restorable unless --hard',
  usage: `recollect forget <id…> [--hard] [--dry-run] [--yes] [--json]
       recollect forget [--session ID] [--query WORDS] [--since T] [--before T] [--project P] [--hard] [--dry-run] [--yes] [--json]

  Ids are those that search shows: #12, S4, P7, N7F3KQ2BD, C5; of a commit also its hash (C1a2b3c4). A prompt takes its whole turn with it: the
  answer, its tool uses and what was made of them. A session is named by the agent's id, or its first characters. Filters are combined: a
  memory must pass all of them.

  Deleted memories can be restored for 7 days (recollect restore). With --hard they cannot, and no byte of them is left in ~/.recollect; the
  command says where copies remain elsewhere. What was deleted does not come back with an import, a resumed session or a sync.`,
  words: '<id…>',
  options: {
    session: { type: 'string', value: 'ID', about: 'delete a session, or with other filters only in this session' },
    query: { type: 'string', value: 'WORDS', about: 'delete memories that contain all of these words' },
    since: { type: 'string', value: 'T', about: 'delete what happened since then: a date, yesterday, 7d' },
    before: { type: 'string', value: 'T', about: 'delete what happened before then' },
    project: { type: 'string', value: 'P', about: 'delete only in this project; alone, the whole project' },
    hard: { type: 'boolean', about: 'delete for good: no byte is left' },
    'dry-run': dryRun,
    yes,
    json,
  },
  async run({ values, positionals }) {
    const { session, query, since, before, project, hard = false } = values
    const filters = { session, query, since, before, project }
    const isFiltered = Object.values(filters).some((value) => value !== undefined)
    if (positionals.length === 0 && !isFiltered)
      throw invalidInput(
        'delete what? recollect forget <id…>, for example 12 or P7, or one of --session, --query, --since, --before, --project',
      )
    if (positionals.length > 0 && isFiltered) throw invalidInput('pass either ids or filters such as --project, not both')
    for (const word of positionals) if (!isPossibleId(word)) throw notAMemoryId(word)
    const selection = positionals.length > 0 ? { ids: positionals, hard } : { ...filters, hard }
    const preview = await call('POST /api/forget/preview', selection)
    if (values['dry-run']) return values.json ? printJson(preview) : print(planText(preview, 'Would delete'))
    if (isEmpty(preview.counts))
      return values.json ? printJson({ ...preview, restorableUntil: null }) : print('Nothing matches, so nothing was deleted.')
    const mustAsk = (hard || isFiltered) && !values.yes
    const question = hard ? 'Delete it? It cannot be restored.' : 'Delete it?'
    if (mustAsk && !(await confirmed(`${planText(preview, hard ? 'This deletes for good' : 'This deletes')}\n${question}`)))
      return print('Nothing was changed.')
    const report = await carryOut({ ...selection, fingerprint: preview.fingerprint })
    if (values.json) return printJson(report)
    print(mustAsk ? `Deleted: ${countsText(report.counts)}.` : planText(report, 'Deleted'))
    print(hard ? 'No byte of it is left in Recollect.' : dim(`To bring it back: recollect restore ${report.items[0]?.id ?? '<id>'}`))
  },
})

/** A memory's id, or the agent's id of a session. */
const isPossibleId = (word: string) => isMemoryId(word) || parseMemoryId(word) !== null || /^[\w.:-]{6,200}$/.test(word)

async function carryOut(request: Parameters<typeof callLines<'POST /api/forget'>>[1]): Promise<ForgetReport> {
  const bar = progressBar('Deleting')
  try {
    for await (const line of callLines('POST /api/forget', request)) {
      if (line.kind === 'progress') bar.at(line.done, line.of, line.what)
      else if (line.kind === 'failed') throw new CliError(line.error)
      else return line.report
    }
  } finally {
    bar.end()
  }
  throw new CliError("the worker stopped before it was done. A hard deletion continues when it starts again: 'recollect start'.")
}

const MAX_PRINTED_ITEMS = 40

function planText({ items, counts, rewritten, remaining }: Omit<ForgetPreview, 'fingerprint'>, heading: string): string {
  if (isEmpty(counts)) return 'Nothing matches.'
  const chosen = items.filter(({ because }) => because === 'chosen').map(itemLine)
  const derived = items.filter(({ because }) => because === 'derived').map(itemLine)
  const more = chosen.length - MAX_PRINTED_ITEMS
  return [
    `${heading}:`,
    ...chosen.slice(0, MAX_PRINTED_ITEMS),
    ...(more > 0 ? [dim(`  and ${more} more`)] : []),
    ...(derived.length > 0 ? ['and what was made from it:', ...derived.slice(0, MAX_PRINTED_ITEMS)] : []),
    `In all: ${countsText(counts)}.`,
    ...rewritten.map(({ id, title }) => `The note of the session is written again without it: ${id} ${dim(shorten(title, 70))}`),
    ...(remaining.length > 0 ? ['Copies remain elsewhere, where Recollect does not delete:'] : []),
    ...remaining.map(({ what, where, how }) => `  ${what}: ${where}\n    ${dim(how)}`),
  ].join('\n')
}

const itemLine = ({ id, title, project }: ForgetPreview['items'][number]) =>
  `  ${id} ${shorten(title, 90)} ${dim(projectName(asProjectKey(project)))}`

const isEmpty = (counts: ForgetCounts) => Object.values(counts).every((count) => count === 0)

function countsText(counts: ForgetCounts): string {
  const parts = [
    [counts.sessions, 'session'],
    [counts.prompts, 'prompt'],
    [counts.toolUses, 'tool use'],
    [counts.observations, 'observation'],
    [counts.summaries, 'summary', 'summaries'],
    [counts.notes, 'note'],
    [counts.commits, 'commit'],
    [counts.injections, 'record of what was shown', 'records of what was shown'],
  ] as const
  return parts.flatMap(([count, one, many]) => (count > 0 ? [plural(count, one, many)] : [])).join(', ')
}
