import type { Action } from '../../core/action.ts'
import { firstLine } from '../../core/text.ts'
import { isRecord } from './payload.ts'

/** The file that a tool's input names. */
export function fileOf(input: unknown): string | null {
  const fields = fieldsOf(input)
  return fields('file_path') || fields('notebook_path') || null
}

/**
 * A stored tool use in our words. The stored text is JSON that may have been clipped in the middle, so this reads what it can and
 * never throws; a tool we do not know, or one whose input lost what makes sense of it, is `other` with the text of its result.
 */
export function readAction(use: { tool: string; input: string; output: string | null; error: string | null }): Action {
  const input = fieldsOf(parseStoredJson(use.input))
  const answer = use.output === null ? null : parseStoredJson(use.output)
  const output = fieldsOf(answer)
  const file = input('file_path') || input('notebook_path')
  const other: Action = { kind: 'other', text: Bun.stripANSI(use.error ?? textOf(answer)) }
  switch (use.tool) {
    case 'Read':
    case 'NotebookRead':
      return file ? { kind: 'read', file } : other
    case 'Edit':
      return file ? { kind: 'edit', file, removed: input('old_string'), added: input('new_string'), patch: patchOf(answer) } : other
    case 'MultiEdit': {
      const edits = listOf(parseStoredJson(use.input), 'edits').map(fieldsOf)
      const every = (name: string) => edits.map((edit) => edit(name)).join('\n')
      return file ? { kind: 'edit', file, removed: every('old_string'), added: every('new_string'), patch: patchOf(answer) } : other
    }
    case 'NotebookEdit':
      return file ? { kind: 'edit', file, removed: '', added: input('new_source'), patch: [] } : other
    case 'Write': {
      // Where the client kept only the text for the model, that text says whether the file is new.
      const created = output('type') === 'create' || (typeof answer === 'string' && answer.startsWith('File created'))
      return file ? { kind: 'write', file, content: input('content'), created, patch: patchOf(answer) } : other
    }
    case 'Bash':
    case 'PowerShell': {
      const command = input('command')
      if (!command) return other
      return {
        kind: 'command',
        command,
        purpose: input('description') || null,
        ...(use.error === null ? commandOutput(answer) : commandFailure(use.error)),
      }
    }
    case 'Grep':
    case 'Glob': {
      const pattern = input('pattern')
      return pattern ? { kind: 'search', pattern, where: input('path') || input('glob') || null } : other
    }
    case 'LS':
      return { kind: 'search', pattern: '*', where: input('path') || null }
    case 'Task':
    case 'Agent': {
      const task = input('description') || firstLine(input('prompt'), 200)
      return { kind: 'delegate', task, agentType: input('subagent_type') || null, answer: use.error === null ? reportOf(answer) : null }
    }
    case 'WebFetch':
      return { kind: 'fetch', target: input('url'), answer: output('result') || textOf(answer) }
    case 'WebSearch':
      return { kind: 'fetch', target: input('query'), answer: searchAnswer(answer) }
    case 'ExitPlanMode':
      return { kind: 'plan', text: input('plan') || output('plan') }
    default:
      return other
  }
}

/** The value of a JSON text; of a clipped one, the strings that are still there. What is no JSON at all is taken as plain text. */
function parseStoredJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    const start = json.trimStart()
    if (start.startsWith('"')) return unescapeJsonText(start.slice(1).replace(/"$/, ''))
    return start.startsWith('{') || start.startsWith('[') ? stringsIn(json) : json
  }
}

/** `"name":"text"` pairs, the first of each name: the fields that matter come before the long ones, and so before the cut. */
function stringsIn(json: string): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const [, name, escaped] of json.matchAll(/"(\w{1,64})":\s*"([^"\\]*(?:\\[\s\S][^"\\]*)*)/g)) {
    if (name && escaped !== undefined && !Object.hasOwn(found, name)) found[name] = unescapeJsonText(escaped)
  }
  return found
}

/** A JSON string's text, even when the cut went through an escape or left a bare newline in it. */
function unescapeJsonText(escaped: string): string {
  const plain: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }
  return escaped.replace(/\\(?:u([0-9a-fA-F]{4})|([\s\S]))/g, (_, code: string | undefined, char: string) =>
    code ? String.fromCharCode(Number.parseInt(code, 16)) : (plain[char] ?? char),
  )
}

/** Asks a value for its text fields; what is missing or no text is empty. */
function fieldsOf(value: unknown): (name: string) => string {
  return (name) => {
    const field = isRecord(value) && Object.hasOwn(value, name) ? value[name] : ''
    return typeof field === 'string' ? field : ''
  }
}

function listOf(value: unknown, name: string): unknown[] {
  const field = isRecord(value) ? value[name] : null
  return Array.isArray(field) ? field : []
}

/** The changed lines with the unchanged ones around them, hunk after hunk, each with its sign in front. */
function patchOf(answer: unknown): string[] {
  return listOf(answer, 'structuredPatch')
    .flatMap((hunk) => listOf(hunk, 'lines'))
    .filter((line) => typeof line === 'string')
}

function commandOutput(answer: unknown): { output: string; exitCode: number | null } {
  const output = fieldsOf(answer)
  const text = typeof answer === 'string' ? answer : [output('stdout'), output('stderr')].filter(Boolean).join('\n')
  // One that went to the background has not ended.
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

/** What a subagent reported: null while it still works in the background. */
function reportOf(answer: unknown): string | null {
  if (fieldsOf(answer)('status') === 'async_launched') return null
  const report = textOf(answer)
  if (report.startsWith('Async agent launched')) return null
  // The client adds its own lines around the report: which tools were used, how to reach the agent again, what it cost.
  const body = report.slice(report.indexOf('The report follows:') < 0 ? 0 : report.indexOf('The report follows:') + 19)
  const own = /^[ \t]*(?:<tools-used-before-summary>.*|agentId: .*|<usage>[^<]*<\/usage>)[ \t]*$/gm
  return body.replace(own, '').trim() || null
}

/** What the search found out, and where: the pages are what a person would look up again. */
function searchAnswer(answer: unknown): string {
  const results = listOf(answer, 'results')
  if (results.length === 0) return textOf(answer)
  return results
    .flatMap((result) => {
      if (typeof result === 'string') return [result]
      return listOf(result, 'content').map((page) => `${fieldsOf(page)('title')} ${fieldsOf(page)('url')}`.trim())
    })
    .join('\n')
}

/** The readable text of a result: plain, in parts (MCP, subagents), or, when it is neither, the JSON itself. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  const parts = Array.isArray(value) ? value : listOf(value, 'content')
  const texts = parts.map((part) => (typeof part === 'string' ? part : fieldsOf(part)('text'))).filter(Boolean)
  return texts.length > 0 ? texts.join('\n') : fieldsOf(value)('text') || fieldsOf(value)('content') || JSON.stringify(value)
}
