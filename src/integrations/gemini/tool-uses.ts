import { isRecord } from '../claude-code/payload.ts'
import { commandResult, type ReportedToolUse } from '../claude-dialect.ts'
import { withoutOwnContext, withoutTagged } from '../own-context.ts'

/** The tools of Gemini CLI, and of Qwen Code, which grew from it. */
const SHELL_TOOL = 'run_shell_command'
const EDIT_TOOLS = new Set(['replace', 'edit', 'write_file'])

/** A result in the form that hooks and transcripts share: the text for the model, and the change of a file. */
export function toolResult(tool: string, text: string, display: unknown): Pick<ReportedToolUse, 'output' | 'error'> {
  const plain = withoutContext(text)
  if (tool === SHELL_TOOL) {
    const { output, exitCode } = shellResult(plain)
    return commandResult(output, exitCode)
  }
  const patch = EDIT_TOOLS.has(tool) && isRecord(display) && typeof display.fileDiff === 'string' ? display.fileDiff : null
  return { output: patch === null ? plain : { text: plain, patch }, error: null }
}

/** The error of a tool that failed; of a command, in the form of a command's result. */
export function toolError(tool: string, text: string): string {
  const plain = withoutContext(text)
  if (tool !== SHELL_TOOL) return plain
  const { output, exitCode } = shellResult(plain)
  return commandResult(output, exitCode).error ?? plain
}

/** Text parts of a result, or the text itself. */
export function resultText(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return isRecord(content) && typeof content.text === 'string' ? content.text : ''
  return content
    .flatMap((part) => (typeof part === 'string' ? [part] : isRecord(part) && typeof part.text === 'string' ? [part.text] : []))
    .join('\n')
}

/** Without the context of hooks, and without the tags that mark text from outside for the model. */
function withoutContext(text: string): string {
  const plain = withoutTagged(withoutOwnContext(text), 'hook_context').trimEnd()
  const [, inner] = /^<untrusted_context>\n?([\s\S]*?)\n?<\/untrusted_context>$/.exec(plain) ?? []
  return inner ?? plain
}

/** `Output: …`, followed by lines about how the command ended. A command that succeeded may have no exit code. */
function shellResult(text: string): { output: string; exitCode: number } {
  const lines = text.split('\n')
  let end = lines.length
  while (end > 0 && END_LINE.test(lines[end - 1] ?? '')) end--
  const start = lines.findIndex((line) => line.startsWith('Output: '))
  const output = start < 0 || start >= end ? lines.slice(0, end) : lines.slice(start, end)
  const code = lines.slice(end).find((line) => line.startsWith('Exit Code: '))
  const printed = output.join('\n').replace(/^Output: /, '')
  return { output: printed === '(empty)' ? '' : printed, exitCode: code ? Number.parseInt(code.slice('Exit Code: '.length), 10) || 0 : 0 }
}

const END_LINE = /^(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): /
