import type { Action } from '../../core/action.ts'
import { firstLine } from '../../core/text.ts'
import { isRecord } from './payload.ts'

/** The file that a tool's input names. Editors report a file that was saved as `path`, which is a folder in the input of a search. */
export function fileOf(input: unknown): string | null {
  const fields = fieldsOf(input)
  const saved = isRecord(input) && !Object.hasOwn(input, 'pattern') ? fields('path') : ''
  return fields('file_path') || fields('notebook_path') || saved || null
}

/** Translates a stored tool use of Claude Code. */
export const readAction = (use: StoredUse): Action => readActionOf(TOOLS, use, fileOf)

/** A tool use as it is stored. */
export type StoredUse = { tool: string; input: string; output: string | null; error: string | null }

/** How to read the uses of each tool. Null when the input lost the field without which the use says nothing. */
export type ToolReaders = Record<string, (call: StoredCall) => Action | null>

/**
 * Translates a stored tool use. The stored JSON may have been clipped in the middle, so this reads what it can and never throws. A tool we
 * do not know, or one whose input lost the field that matters, becomes `other` with the text of its result.
 */
export function readActionOf(tools: ToolReaders, use: StoredUse, fileOfInput: (input: unknown) => string | null): Action {
  const input = parseStoredJson(use.input)
  const output = use.output === null ? null : parseStoredJson(use.output)
  const call = { input, output, error: use.error, field: fieldsOf(input), outputField: fieldsOf(output), file: fileOfInput(input) }
  const read = Object.hasOwn(tools, use.tool) ? tools[use.tool] : undefined
  return read?.(call) ?? { kind: 'other', text: Bun.stripANSI(use.error ?? textOf(output)) }
}

export type StoredCall = {
  input: unknown
  /** Null while the tool runs, or when it failed. */
  output: unknown
  error: string | null
  /** A text field of the input; empty when it is missing. */
  field(name: string): string
  outputField(name: string): string
  file: string | null
}

const TOOLS: ToolReaders = {
  Read: readFile,
  NotebookRead: readFile,
  Edit: ({ file, field, output }) =>
    file ? { kind: 'edit', file, removed: field('old_string'), added: field('new_string'), patch: patchOf(output) } : null,
  MultiEdit: ({ file, input, output }) => {
    const edits = listOf(input, 'edits').map(fieldsOf)
    const joined = (name: string) => edits.map((field) => field(name)).join('\n')
    return file ? { kind: 'edit', file, removed: joined('old_string'), added: joined('new_string'), patch: patchOf(output) } : null
  },
  NotebookEdit: ({ file, field }) => (file ? { kind: 'edit', file, removed: '', added: field('new_source'), patch: [] } : null),
  Write: ({ file, field, output, outputField }) => {
    // Some clients keep only the text for the model, which says whether the file is new.
    const created = outputField('type') === 'create' || (typeof output === 'string' && output.startsWith('File created'))
    return file ? { kind: 'write', file, content: field('content'), created, patch: patchOf(output) } : null
  },
  FileSave: ({ file, field, output }) =>
    file
      ? { kind: 'edit', file, removed: field('old_string'), added: field('new_string') || field('content'), patch: patchOf(output) }
      : null,
  Diagnostics: readDiagnostics,
  Bash: readCommand,
  PowerShell: readCommand,
  Grep: readSearch,
  Glob: readSearch,
  LS: ({ field }) => ({ kind: 'search', pattern: '*', where: field('path') || null }),
  Task: readDelegation,
  Agent: readDelegation,
  WebFetch: ({ field, output, outputField }) => ({ kind: 'fetch', target: field('url'), answer: outputField('result') || textOf(output) }),
  WebSearch: ({ field, output }) => ({ kind: 'fetch', target: field('query'), answer: webSearchText(output) }),
  ExitPlanMode: ({ field, outputField }) => ({ kind: 'plan', text: field('plan') || outputField('plan') }),
}

export function readFile({ file }: StoredCall): Action | null {
  return file ? { kind: 'read', file } : null
}

export function readCommand({ field, output, error }: StoredCall): Action | null {
  const command = field('command')
  if (!command) return null
  const result = error === null ? commandOutput(output) : commandFailure(error)
  return { kind: 'command', command, purpose: field('description') || null, ...result }
}

export function readSearch({ field }: StoredCall): Action | null {
  const pattern = field('pattern')
  return pattern ? { kind: 'search', pattern, where: field('path') || field('glob') || null } : null
}

/** An editor's list of problems in a file: a check that passes when the list is empty. */
function readDiagnostics({ file, error, output }: StoredCall): Action | null {
  if (!file) return null
  const command = `problems ${/^[\w@%+=:,./-]+$/.test(file) ? file : `'${file.replaceAll("'", '')}'`}`
  return { kind: 'command', command, purpose: null, ...(error === null ? commandOutput(output) : commandFailure(error)) }
}

function readDelegation({ field, output, error }: StoredCall): Action {
  const task = field('description') || firstLine(field('prompt'), 200)
  return { kind: 'delegate', task, agentType: field('subagent_type') || null, answer: error === null ? reportOf(output) : null }
}

/** Parses stored JSON; of clipped JSON, the string fields that are left. Text that is not JSON is returned as it is. */
function parseStoredJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    const start = json.trimStart()
    if (start.startsWith('"')) return unescapeJsonText(start.slice(1).replace(/"$/, ''))
    return start.startsWith('{') || start.startsWith('[') ? stringsIn(json) : json
  }
}

/** `"name":"text"` pairs, the first of each name. The fields that matter come before the long ones, and so before the cut. */
function stringsIn(json: string): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const [, name, escaped] of json.matchAll(/"(\w{1,64})":\s*"([^"\\]*(?:\\[\s\S][^"\\]*)*)/g)) {
    if (name && escaped !== undefined && !Object.hasOwn(found, name)) found[name] = unescapeJsonText(escaped)
  }
  return found
}

/** The text of a JSON string, even when the cut went through an escape or left a bare newline. */
function unescapeJsonText(escaped: string): string {
  const plain: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }
  return escaped.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, code: string | undefined, char: string) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : (plain[char] ?? char),
  )
}

/** Returns a function that reads a value's text fields; a field that is missing or not text is empty. */
export function fieldsOf(value: unknown): (name: string) => string {
  return (name) => {
    const field = isRecord(value) && Object.hasOwn(value, name) ? value[name] : ''
    return typeof field === 'string' ? field : ''
  }
}

function listOf(value: unknown, name: string): unknown[] {
  const field = isRecord(value) ? value[name] : null
  return Array.isArray(field) ? field : []
}

/** The lines of a patch with their context, hunk after hunk, each with its leading `+`, `-` or space. */
function patchOf(answer: unknown): string[] {
  return listOf(answer, 'structuredPatch')
    .flatMap((hunk) => listOf(hunk, 'lines'))
    .filter((line) => typeof line === 'string')
}

function commandOutput(answer: unknown): { output: string; exitCode: number | null } {
  const output = fieldsOf(answer)
  const text = typeof answer === 'string' ? answer : [output('stdout'), output('stderr')].filter(Boolean).join('\n')
  // A command in the background has not ended.
  const ended = answer !== null && output('backgroundTaskId') === '' && !(isRecord(answer) && answer.interrupted === true)
  return { output: text === '(Bash completed with no output)' ? '' : plainLines(text), exitCode: ended ? 0 : null }
}

function commandFailure(error: string): { output: string; exitCode: number | null } {
  const code = /^(?:Error: )?Exit code (\d{1,10})\n?/.exec(error)
  return { output: plainLines(error.slice(code?.[0].length ?? 0)), exitCode: code ? Number(code[1]) : null }
}

function plainLines(text: string): string {
  return Bun.stripANSI(text).replaceAll('\r\n', '\n')
}

/** A subagent's report; null while it still works in the background. */
function reportOf(answer: unknown): string | null {
  if (fieldsOf(answer)('status') === 'async_launched') return null
  const report = textOf(answer)
  if (report.startsWith('Async agent launched')) return null
  // The client adds its own lines: the tools used, how to reach the agent again, the cost.
  const body = report.slice(report.indexOf('The report follows:') < 0 ? 0 : report.indexOf('The report follows:') + 19)
  const own = /^[ \t]*(?:<tools-used-before-summary>.*|agentId: .*|<usage>[^<]*<\/usage>)[ \t]*$/gm
  return body.replace(own, '').trim() || null
}

/** The text of a web search's results, with title and address of each page. */
function webSearchText(answer: unknown): string {
  const results = listOf(answer, 'results')
  if (results.length === 0) return textOf(answer)
  return results
    .flatMap((result) => {
      if (typeof result === 'string') return [result]
      return listOf(result, 'content').map((page) => `${fieldsOf(page)('title')} ${fieldsOf(page)('url')}`.trim())
    })
    .join('\n')
}

/** The readable text of a result: plain text, the text parts of MCP tools and subagents, or else the JSON itself. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  const parts = Array.isArray(value) ? value : listOf(value, 'content')
  const texts = parts.map((part) => (typeof part === 'string' ? part : fieldsOf(part)('text'))).filter(Boolean)
  return texts.length > 0 ? texts.join('\n') : fieldsOf(value)('text') || fieldsOf(value)('content') || JSON.stringify(value)
}
