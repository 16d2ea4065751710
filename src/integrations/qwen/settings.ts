import { settingsWithHooksAndMcp } from '../settings-json.ts'

/** Not `PostToolBatch`, which reports every tool use once more under another id. */
const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PostToolUse',
  'PostToolUseFailure',
  'PreCompact',
  'PostCompact',
  'SubagentStop',
  'Stop',
  'SessionEnd',
]

export const setup = settingsWithHooksAndMcp({ agent: 'qwen', executable: 'qwen', events: EVENTS })
