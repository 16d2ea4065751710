import { shortMemoryId } from '../../core/memory-kinds.ts'
import type { InjectResponse } from '../../wire/contract/inject.ts'
import { call } from '../call.ts'
import { json, project } from '../command.ts'
import { currentBranch, currentProject, requireKnownProject } from '../current-project.ts'
import { defineCommand } from '../parse.ts'
import { dim, plural, print, printJson } from '../print.ts'

export const command = defineCommand({
  name: 'inject',
  summary: 'print what a new session in this folder would be shown',
  usage: 'recollect inject [--project P] [--branch B] [--prompt TEXT] [--explain] [--brief] [--json]',
  words: null,
  options: {
    project,
    branch: { type: 'string', value: 'B', about: 'as if you were on this git branch (default: the current one)' },
    prompt: { type: 'string', value: 'TEXT', about: 'print what this prompt would recall instead' },
    explain: { type: 'boolean', about: 'also print the cost of each line, why it is included, and what was left out' },
    brief: { type: 'boolean', about: 'use at most 200 tokens' },
    json,
  },
  run: ({ values }) => printInjection(values),
})

type InjectionOptions = {
  project?: string | undefined
  branch?: string | undefined
  prompt?: string | undefined
  explain?: boolean | undefined
  brief?: boolean | undefined
  json?: boolean | undefined
}

export async function printInjection({ project, branch, prompt, explain, brief, json }: InjectionOptions): Promise<undefined> {
  // The branch of this folder means nothing for another project.
  const onBranch = branch ?? (project ? null : currentBranch())
  const injection = await call('POST /api/context/inject', {
    format: 'json',
    project: project ?? currentProject(),
    ...(onBranch ? { branch: onBranch } : {}),
    ...(brief ? { tokens: 200 } : {}),
    prompt,
  })
  if (!injection.text) await requireKnownProject({ project })
  if (json) return printJson(injection)
  if (injection.text) print(injection.text)
  else if (prompt === undefined) print(`Nothing is stored for ${injection.project} yet.`)
  else print(`This prompt would recall nothing${injection.message ? `: ${injection.message}` : ''}.`)
  if (explain) printExplanation(injection)
}

/** The explanation fills one screen, and some of its lines are always about memories that were left out. */
const SCREEN_LINES = 40
const MIN_LEFT_OUT_LINES = 8

function printExplanation({ branch, items, omitted, tokens }: InjectResponse): void {
  const memories = items.filter(({ kind }) => kind !== 'line').length
  print(
    dim(
      `\n${branch ? `On branch ${branch}: ` : ''}${tokens} tokens, ${plural(memories, 'memory', 'memories')} shown, ${omitted.length} left out`,
    ),
  )
  for (const item of items) print(dim(`+ ${String(item.tokens).padStart(4)} ${nameOf(item)}: ${item.why}`))
  const lines = Math.max(MIN_LEFT_OUT_LINES, SCREEN_LINES - items.length)
  for (const item of omitted.slice(0, lines)) print(dim(`-      ${nameOf(item)}: ${item.why}`))
  if (omitted.length > lines) print(dim(`-      and ${omitted.length - lines} more; --json lists them`))
}

const nameOf = ({ kind, id }: InjectResponse['omitted'][number]) => (kind === 'line' ? String(id) : shortMemoryId(kind, id))
