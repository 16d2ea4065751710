import { isRecord } from '../claude-code/payload.ts'
import { commandResult, type ReportedToolUse } from '../claude-dialect.ts'
import { withoutOwnContext } from '../own-context.ts'

/** The result of a tool as the plugin and the database have it. An MCP tool has parts instead of a text. */
export function toolResult(tool: string, response: unknown): Pick<ReportedToolUse, 'output' | 'error'> {
  const { output, metadata, content } = isRecord(response) ? response : { output: response, metadata: undefined, content: undefined }
  const facts = isRecord(metadata) ? metadata : {}
  const text = typeof output === 'string' ? withoutOwnContext(output) : null
  if (tool === 'bash') return commandResult(text ?? '', typeof facts.exit === 'number' ? facts.exit : null)
  if (text === null) return { output: content === undefined ? output : { content }, error: null }
  return { output: typeof facts.diff === 'string' ? { text, patch: facts.diff } : text, error: null }
}

/** `opencode run` puts the prompt in quotes. */
export const personsText = (prompt: string): string => /^"([\s\S]*)"$/.exec(prompt.trim())?.[1] ?? prompt
