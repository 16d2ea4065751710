import { call } from '../call.ts'
import { json, limit } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { dim, print, printJson, printTable } from '../print.ts'

export const command = defineCommand({
  name: 'audit',
  summary: 'show what was captured, changed, imported and deleted, and when',
  usage: `recollect audit [--since T] [--limit N] [--json]

  Newest first. An entry says what happened and how much, but contains no text of a memory: what was deleted is not in it.`,
  words: null,
  options: {
    since: { type: 'string', value: 'T', about: 'only entries since then: a date, yesterday, 7d' },
    limit: limit('50', 1000),
    json,
  },
  async run({ values }) {
    const entries = await call('GET /api/audit', { limit: values.limit, since: values.since })
    if (values.json) return printJson(entries)
    if (entries.length === 0) return print('Nothing is recorded.')
    printTable(
      entries.map(({ at, action, subject, details }) => [
        dim(new Date(at).toISOString().slice(0, 16).replace('T', ' ')),
        action,
        [subject, detailsText(details)].filter(Boolean).join('  '),
      ]),
    )
  },
})

function detailsText(details: Record<string, unknown>): string {
  const parts = Object.entries(details).flatMap(([name, value]) => (typeof value === 'number' && value > 0 ? [`${name} ${value}`] : []))
  return dim(parts.join(', '))
}
