import { AGENT_NAMES } from '../../core/agent.ts'
import { groupNeighbours } from '../../core/memory-groups.ts'
import { isMemoryId, shortMemoryId } from '../../core/memory-kinds.ts'
import { shorten } from '../../core/text.ts'
import { clockOf } from '../../core/time-format.ts'
import { describeOutcomes } from '../../core/work-outcome.ts'
import type { TimelineResponse } from '../../wire/contract/memories.ts'
import { call } from '../call.ts'
import { json, project } from '../command.ts'
import { projectNamer, requireKnownProject, searchScope } from '../current-project.ts'
import { defineCommand } from '../parse.ts'
import { bold, dim, fitToTerminal, icon, invalidInput, print, printJson, table, yellow } from '../print.ts'

export const command = defineCommand({
  name: 'timeline',
  summary: 'show what happened around a memory, a query or a date',
  usage: 'recollect timeline <id | words…> [--at DATE] [--before N] [--after N] [--project P] [--agent A] [--all] [--json]',
  words: '<id | words…>',
  isQuery: true,
  options: {
    at: { type: 'string', value: 'DATE', about: 'around this time: 2026-03-01, 7d, yesterday, "last week"' },
    before: { type: 'string', value: 'N', range: [0, 200], default: '8', about: 'show N memories before it (default 8)' },
    after: { type: 'string', value: 'N', range: [0, 200], default: '8', about: 'show N memories after it (default 8)' },
    project,
    agent: {
      type: 'string',
      of: AGENT_NAMES,
      value: 'A',
      about: `show only what comes from sessions of this agent: ${AGENT_NAMES.join(', ')}`,
    },
    all: { type: 'boolean', about: 'show all projects' },
    json,
  },
  async run({ values, positionals }) {
    const anchor = positionals.join(' ')
    const isId = positionals.length === 1 && isMemoryId(anchor)
    if (!anchor && !values.at)
      throw invalidInput(
        'around what? Use an id, a query or a date: recollect timeline 12, recollect timeline "login fails", --at yesterday',
      )
    const { projectProblem, ...timeline } = await call('POST /api/timeline', {
      depth_before: values.before,
      depth_after: values.after,
      ...(isId ? { anchor } : anchor ? { query: anchor } : {}),
      ...(values.at ? { at: values.at } : {}),
      agent: values.agent,
      ...searchScope(values),
    })
    if (projectProblem !== null) throw invalidInput(projectProblem)
    if (timeline.items.length === 0) await requireKnownProject(values)
    if (values.json) return printJson(timeline)
    return printTimeline(timeline, isId ? '' : anchor)
  },
})

async function printTimeline(
  { project, items, problems, time, message }: Omit<TimelineResponse, 'projectProblem'>,
  query: string,
): Promise<undefined> {
  for (const problem of problems) print(yellow(`${problem.word}: ${problem.message}`))
  if (items.length === 0) return print(message || (query ? `No memory matches “${shorten(query, 200)}”.` : 'No memories around that time.'))
  if (time) print(time.kept ? dim(time.said) : yellow(time.said))
  if (message) print(yellow(message))
  const nameOf = await projectNamer()
  const isFromOtherProject = items.some((item) => item.project !== project)
  const rows = items.map((item) => [
    item.anchor ? bold('►') : ' ',
    shortMemoryId(item.kind, item.id),
    clockOf(item.at),
    `${icon(item.kind, item.type)}${item.type}`,
    dim(`~${item.tokens}t`),
    `${isFromOtherProject ? dim(`${nameOf(item.project)}  `) : ''}${item.anchor ? bold(item.title) : item.title}`,
  ])
  const outcomes = describeOutcomes(items.map(({ outcome }) => outcome))
  const lines = table(rows).split('\n')
  let lastDay = ''
  for (const { day, file, places } of groupNeighbours(items)) {
    // If the rows do not name the project, the first day does.
    if (day !== lastDay) print(dim(lastDay || isFromOtherProject || !project ? day : `${day}  ${nameOf(project)}`))
    lastDay = day
    if (file !== null) print(dim(fitToTerminal(`  ${file}`)))
    for (const place of places) {
      print(fitToTerminal(lines[place] ?? ''))
      if (outcomes[place]) print(fitToTerminal(`    → ${outcomes[place]}`))
    }
  }
}
