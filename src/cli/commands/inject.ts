import { jsonFields } from '../../core/json-object.ts'
import { shortMemoryId } from '../../core/memory-kinds.ts'
import { projectKey } from '../../core/project.ts'
import { isFolder } from '../../platform/files.ts'
import { findProject } from '../../platform/project.ts'
import type { InjectResponse } from '../../wire/contract/inject.ts'
import { call } from '../call.ts'
import { json, project } from '../command.ts'
import { currentBranch, currentProject, requireKnownProject } from '../current-project.ts'
import { defineCommand } from '../parse.ts'
import { dim, plural, print, printExactly, printJson, printNotice } from '../print.ts'

export const command = defineCommand({
  name: 'inject',
  summary: 'print what a new session in this folder would be shown',
  usage: `recollect inject [--project P] [--branch B] [--k N] [--prompt TEXT] [--explain] [--brief] [--json]

  A hook's payload on stdin names the folder whose project is meant.`,
  words: null,
  options: {
    project,
    branch: { type: 'string', value: 'B', about: 'as if you were on this git branch (default: the current one)' },
    k: {
      type: 'string',
      value: 'N',
      range: [0, 200],
      default: '8',
      about: 'show N notes of the project (default 8); global notes come on top',
    },
    prompt: { type: 'string', value: 'TEXT', about: 'print what this prompt would recall instead' },
    explain: { type: 'boolean', about: 'also print the cost of each line, why it is included, and what was left out' },
    brief: { type: 'boolean', about: 'use at most 200 tokens' },
    json,
  },
  run: ({ values: { brief, ...values } }) => printInjection({ ...values, tokens: brief ? 200 : undefined }),
})

type InjectionOptions = {
  project?: string | undefined
  branch?: string | undefined
  k?: number | undefined
  prompt?: string | undefined
  explain?: boolean | undefined
  tokens?: number | undefined
  json?: boolean | undefined
  /** For scripts: if no memory fits, or the folder has no memories yet, print nothing. */
  quiet?: boolean | undefined
}

export async function printInjection({
  project: named,
  branch,
  k,
  prompt,
  explain,
  tokens,
  json,
  quiet,
}: InjectionOptions): Promise<undefined> {
  const folder = named === undefined ? await folderInPayload() : null
  const project = named ?? (folder === null ? undefined : projectKey(findProject(folder)))
  // The branch of this folder means nothing for another project.
  const onBranch = branch ?? (folder ? findProject(folder).branch : project ? null : currentBranch())
  const injection = await call('POST /api/context/inject', {
    format: 'json',
    project: project ?? currentProject(),
    ...(onBranch ? { branch: onBranch } : {}),
    ...(tokens === undefined ? {} : { tokens }),
    ...(k === undefined ? {} : { k }),
    prompt,
  })
  if (!injection.text && !(quiet && project === undefined)) await requireKnownProject({ project })
  if (json) return printJson(injection)
  if (!injection.text && quiet) return
  if (injection.text) printExactly(injection.text)
  // Not on stdout: a hook that calls this would hand it to the model.
  else if (prompt === undefined) printNotice(`No memories to show for ${injection.project} yet.`)
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

/** The folder in a hook's payload; null if nothing is piped in, or something else. */
async function folderInPayload(): Promise<string | null> {
  if (process.stdin.isTTY) return null
  const text = await pipedText(MAX_PAYLOAD_WAIT_MS)
  try {
    const { cwd } = jsonFields(JSON.parse(text))
    return typeof cwd === 'string' && isFolder(cwd) ? cwd : null
  } catch {
    return null
  }
}

const MAX_PAYLOAD_WAIT_MS = 300

/** Reads standard input until it is closed or the time is up: a caller without a payload may leave the pipe open. */
async function pipedText(maxMs: number): Promise<string> {
  const reader = Bun.stdin.stream().getReader()
  const decoder = new TextDecoder()
  let text = ''
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), maxMs)
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += decoder.decode(part.value, { stream: true })
  } catch {
    // Nothing is piped in.
  } finally {
    clearTimeout(timer)
  }
  return text
}
