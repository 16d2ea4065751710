import { defineCommand } from '../parse.ts'

export const command = defineCommand({
  name: 'hook',
  summary: 'handle an event from an agent: JSON in, JSON out',
  usage: `recollect hook claude-code|codex|copilot|gemini|qwen|opencode [event]
       recollect hooks session-start|prompt-submit|pre-tool|post-tool|pre-compact|stop|session-end [--session-id ID] [--tool-name T] [--tool-input JSON] [--tool-output TEXT]
                       [--prompt TEXT] [--cwd FOLDER] [--stdin true|false] [--format json|text] [--strict-exit]

  Always exits with 0, unless you pass --strict-exit. 'recollect help hooks' says more.`,
  words: '<agent> [<event>]',
  options: {
    'session-id': { type: 'string', value: 'ID', about: 'the session, if the payload does not name it' },
    'tool-name': { type: 'string', value: 'T', about: 'the tool, if the payload does not name it' },
    'tool-input': { type: 'string', value: 'JSON', about: "the tool's input, if the payload does not contain it" },
    'tool-output': { type: 'string', value: 'TEXT', about: "the tool's output, if the payload does not contain it" },
    prompt: { type: 'string', value: 'TEXT', about: 'the prompt, if the payload does not contain it' },
    cwd: { type: 'string', value: 'FOLDER', about: 'the folder, if the payload does not name it' },
    stdin: { type: 'string', of: ['true', 'false'], about: 'whether to read the payload from stdin (default true)' },
    format: { type: 'string', of: ['json', 'text'], about: "print the client's JSON (default), or only the text for the model" },
    'strict-exit': { type: 'boolean', about: 'exit with a code that shows errors' },
  },
  async run() {
    throw new Error('main.ts runs hooks without loading this file')
  },
})
