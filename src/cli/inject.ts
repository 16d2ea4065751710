import { memoryId } from '../core/memory-kinds.ts'
import type { RecordedInjection } from '../wire/view.ts'
import { ask, post } from './ask.ts'
import { currentBranch, currentProject, requireKnownProject } from './current-project.ts'
import { parse } from './parse.ts'
import { dim, plural, say, sayJson } from './print.ts'

type CliBriefResponse = {
  project: string
  branch: string | null
  text: string
  tokens: number
  omittedObservations: number
  items: RecordedInjection['items']
  omitted: RecordedInjection['omitted']
  /** Of a prompt: why nothing was even near. */
  message?: string
}

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('inject', args)
  // Where another project is named, the branch here says nothing.
  const branch = values.branch ?? (values.project ? null : currentBranch())
  const question = {
    format: 'json',
    project: values.project ?? currentProject(),
    ...(branch ? { branch } : {}),
    ...(values.brief ? { tokens: 200 } : {}),
    prompt: values.prompt,
  }
  // A prompt may be too long for an address.
  const brief = await ask<CliBriefResponse>('/api/context/inject', post(question))
  if (!brief.text) await requireKnownProject(values)
  if (values.json) return sayJson(brief)
  if (!brief.text)
    say(
      values.prompt === undefined
        ? `Nothing is remembered of ${brief.project} yet.`
        : `With this prompt nothing would be told${brief.message ? `: ${brief.message}` : ''}.`,
    )
  else say(brief.text)
  if (values.explain) explain(brief)
}

/** As many lines as a screen shows, of which some are about what was left out. */
const SCREEN_LINES = 40
const MIN_LEFT_OUT_LINES = 8

function explain({ branch, items, omitted: left, tokens }: CliBriefResponse): void {
  const memories = items.filter(({ kind }) => kind !== 'line').length
  const told = `${tokens} tokens, ${plural(memories, 'memory', 'memories')} told, ${left.length} left out`
  say(dim(`\n${branch ? `On branch ${branch}: ` : ''}${told}`))
  for (const item of items) say(dim(`+ ${String(item.tokens).padStart(4)} ${nameOf(item)}: ${item.why}`))
  const room = Math.max(MIN_LEFT_OUT_LINES, SCREEN_LINES - items.length)
  for (const item of left.slice(0, room)) say(dim(`-      ${nameOf(item)}: ${item.why}`))
  if (left.length > room) say(dim(`-      and ${left.length - room} more, which --json names`))
}

const nameOf = ({ kind, id }: CliBriefResponse['omitted'][number]) => (kind === 'line' ? String(id) : memoryId(kind, id))
