import { isRecord } from '../claude-code/payload.ts'
import { commandResult, type ReportedToolUse } from '../claude-dialect.ts'
import { splitPatch } from './patch.ts'

/**
 * A tool use in the form that hooks and rollout files share. A patch of several files becomes one use per file, because
 * memories are recalled and files are excluded by file.
 */
export function codexToolUses(use: ReportedToolUse): ReportedToolUse[] {
  if (use.tool !== 'apply_patch') return [use]
  const text = isRecord(use.input) && typeof use.input.command === 'string' ? use.input.command : ''
  const result = use.error === null ? patchResult(use.output) : { output: undefined, error: use.error }
  // Half of a private part hides nothing, so a patch that may contain one stays whole, as an edit of its first file.
  const parts = /private/i.test(text) ? [] : splitPatch(text)
  const [first] = splitPatch(text)
  if (parts.length === 0) return [{ ...use, ...result, ...(first ? { input: { file_path: first.file, command: text } } : {}) }]
  return parts.map(({ file, text }, i) => ({
    ...use,
    ...result,
    toolUseId: use.toolUseId === null || i === 0 ? use.toolUseId : `${use.toolUseId}:${i + 1}`,
    input: { file_path: file, command: text },
  }))
}

/** `Exit code: 0`, the time it took, and what the tool printed. */
function patchResult(output: unknown): Pick<ReportedToolUse, 'output' | 'error'> {
  if (typeof output !== 'string') return { output, error: null }
  const [head, code, printed] = /^Exit code: (\d+)\n(?:Wall time: .*\n)?(?:Output:\n)?([\s\S]*)$/.exec(output) ?? []
  return head === undefined ? { output, error: null } : commandResult(printed ?? '', Number(code))
}
