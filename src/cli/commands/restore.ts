import { shorten } from '../../core/text.ts'
import { formatAge } from '../../core/time-format.ts'
import { call } from '../call.ts'
import { json } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { dim, print, printJson, table } from '../print.ts'

export const command = defineCommand({
  name: 'restore',
  summary: 'bring back what was deleted without --hard',
  usage: `recollect restore <id…> [--json]
recollect restore [--json]

  Without an id, lists what can be restored. A memory that was deleted with its turn or session comes back together with it.`,
  words: '[<id…>]',
  options: { json },
  async run({ values, positionals }) {
    if (positionals.length === 0) return listRestorable(values.json ?? false)
    const report = await call('POST /api/restore', { ids: positionals })
    if (values.json) return printJson(report)
    for (const { id, title } of report.restored) print(`Restored: ${id} ${shorten(title, 90)}`)
    for (const id of report.unchanged) print(`Not deleted, so not changed: ${id}`)
  },
})

async function listRestorable(asJson: boolean): Promise<undefined> {
  const items = await call('GET /api/forgotten', { limit: 200 })
  if (asJson) return printJson(items)
  if (items.length === 0) return print('Nothing that was deleted can be restored.')
  const now = Date.now()
  print(table(items.map(({ id, title, forgottenAt }) => [id, dim(formatAge(forgottenAt, now)), shorten(title, 90)])))
}
