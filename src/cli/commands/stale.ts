import { formatAgo } from '../../core/time-format.ts'
import type { StaleMemory } from '../../wire/contract/code.ts'
import { call } from '../call.ts'
import { json, limit, project } from '../command.ts'
import { currentProject, requireKnownProject } from '../current-project.ts'
import { defineCommand } from '../parse.ts'
import { bold, dim, plural, print, printJson, yellow } from '../print.ts'

export const command = defineCommand({
  name: 'stale',
  summary: 'list memories whose code was changed or deleted since',
  usage: `recollect stale [--project P] [--limit N] [--json]

  Memories about code remember which function, class, test or setting they speak of. This compares them with the files as they are
  now. Descriptions of code that is gone come first; briefs show those last, as history.`,
  words: null,
  options: { project, limit: limit('50', 1000), json },
  async run({ values }) {
    const found = await call('GET /api/stale', { project: values.project ?? currentProject(), limit: values.limit })
    if (found.checked === 0) await requireKnownProject(values)
    if (values.json) return printJson(found)
    if (found.folder === null) return print('No folder of this project is on this machine, so its memories cannot be compared with code.')
    for (const memory of found.memories) printStale(memory)
    return print(dim(`${plural(found.checked, 'memory', 'memories')} compared with ${found.folder}; ${found.memories.length} outdated.`))
  },
})

function printStale({ id, title, at, code, suggestion }: StaleMemory): void {
  print(`${bold(id)}  ${title}  ${dim(formatAgo(at, Date.now()))}`)
  print(`  ${yellow(`[${code.text}]`)}`)
  print(dim(`  ${suggestion}`))
}
