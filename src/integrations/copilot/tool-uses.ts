import { commandResult, type ReportedToolUse } from '../claude-dialect.ts'

/** Hooks call the tools by Claude Code's names, the transcript by Copilot's own. */
const HOOK_NAMES: Record<string, string> = {
  bash: 'Bash',
  edit: 'Edit',
  apply_patch: 'Edit',
  create: 'Write',
  view: 'Read',
  grep: 'Grep',
  glob: 'Glob',
  task: 'Task',
  web_fetch: 'WebFetch',
}

/** A tool use in the form that hooks and transcript share. The exit code of a command is at the end of its text. */
export function copilotToolUse(use: ReportedToolUse): ReportedToolUse {
  const tool = HOOK_NAMES[use.tool] ?? use.tool
  if (use.error !== null || typeof use.output !== 'string') return { ...use, tool }
  const [mark, code] = /\n?<(?:shellId: \S+ completed|exited|command) with exit code (-?\d+)>\s*$/.exec(use.output) ?? []
  if (mark === undefined) return { ...use, tool }
  return { ...use, tool, ...commandResult(use.output.slice(0, -mark.length), Number(code)) }
}
