import type { QueryTimeReference } from '../core/hit.ts'
import type { ProjectKey } from '../core/ids.ts'
import { isMemoryId, type MemoryKind, memoryId } from '../core/memory-kinds.ts'
import { projectName } from '../core/project.ts'
import { shorten } from '../core/text.ts'
import { clockOf, dayOf } from '../core/time-format.ts'
import { ask, post } from './ask.ts'
import { requireKnownProject, searchScope } from './current-project.ts'
import { parse } from './parse.ts'
import { bold, CliError, dim, EXIT, fitToTerminal, icon, say, sayJson, table, yellow } from './print.ts'

type CliTimelineItem = {
  kind: MemoryKind
  id: string
  type: string
  title: string
  project: ProjectKey
  at: number
  tokens: number
  anchor: boolean
}
type CliTimelineResponse = {
  project: ProjectKey | null
  items: CliTimelineItem[]
  problems: { word: string; message: string }[]
  /** Why a project that the question names is none, or null. */
  projectProblem: string | null
  time: QueryTimeReference | null
  /** That nothing is close to the question, and so nothing shown, or from where it is. */
  message: string
}

/** What happened around a memory, a question's best answer, or a moment. */
export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('timeline', args)
  const anchor = positionals.join(' ')
  const id = positionals.length === 1 && isMemoryId(anchor) ? anchor : null
  if (!anchor && !values.at)
    throw new CliError('around what? recollect timeline 12, recollect timeline "login fails", or --at yesterday', EXIT.invalid)
  const question = {
    depth_before: values.before,
    depth_after: values.after,
    ...(id ? { anchor: id } : anchor ? { query: anchor } : {}),
    ...(values.at ? { at: values.at } : {}),
    ...searchScope(values),
  }
  const {
    project,
    items,
    problems,
    time,
    message: said,
    projectProblem: nowhere,
    ...more
  } = await ask<CliTimelineResponse>('/api/timeline', post(question))
  if (nowhere !== null) throw new CliError(nowhere, EXIT.invalid)
  if (items.length === 0) await requireKnownProject(values)
  if (values.json) return sayJson({ project, items, problems, time, said, ...more })
  for (const problem of problems) say(yellow(`${problem.word}: ${problem.message}`))
  if (items.length === 0) return say(said || `Nothing is remembered ${anchor && !id ? `about “${shorten(anchor, 200)}”` : 'around there'}.`)
  if (time) say(time.kept ? dim(time.said) : yellow(time.said))
  if (said) say(yellow(said))
  const isElsewhere = items.some((item) => item.project !== project)
  const rows = items.map((item) => [
    item.anchor ? bold('►') : ' ',
    memoryId(item.kind, item.id),
    clockOf(item.at),
    `${icon(item.kind, item.type)}${item.type}`,
    dim(`~${item.tokens}t`),
    `${isElsewhere ? dim(`${projectName(item.project)}  `) : ''}${item.anchor ? bold(item.title) : item.title}`,
  ])
  let day = ''
  for (const [index, line] of table(rows).split('\n').entries()) {
    const its = dayOf(items[index]?.at ?? 0)
    // Which project it is, where the lines do not say it, is said once.
    if (its !== day) say(dim(day || isElsewhere || !project ? its : `${its}  ${projectName(project)}`))
    day = its
    say(fitToTerminal(line))
  }
}
