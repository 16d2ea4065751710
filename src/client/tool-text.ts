import { jsonFields } from '../core/json-object.ts'

/** The text of a tool's answer, or why the MCP server refused the call. */
export type ToolAnswer = { kind: 'answered'; text: string } | { kind: 'refused'; reason: string }

/** Reads the answer to one MCP message: JSON, or one server-sent event with JSON. */
export function toolText(reply: string): ToolAnswer {
  const { result, error } = jsonFields(parsedMessage(reply))
  const { content, isError } = jsonFields(result)
  const parts = Array.isArray(content) ? content.map((part) => jsonFields(part).text) : []
  const text = parts.filter((part) => typeof part === 'string').join('\n')
  if (result !== undefined && isError !== true) return { kind: 'answered', text }
  const { message } = jsonFields(error)
  return { kind: 'refused', reason: text || (typeof message === 'string' ? message : 'the worker sent no answer') }
}

function parsedMessage(reply: string): unknown {
  const data = reply
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5))
  try {
    return JSON.parse(data.length > 0 ? data.join('\n') : reply)
  } catch {
    return null
  }
}
