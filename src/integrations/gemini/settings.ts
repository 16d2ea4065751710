import { settingsWithHooksAndMcp } from '../settings-json.ts'

/** Not `BeforeModel`, `AfterModel` and `BeforeToolSelection`, which fire for every request to the model. */
const EVENTS = ['SessionStart', 'BeforeAgent', 'AfterTool', 'AfterAgent', 'SessionEnd']

export const setup = settingsWithHooksAndMcp({ agent: 'gemini', executable: 'gemini', events: EVENTS })
