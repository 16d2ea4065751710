import { call, shortenTimeouts } from '../call.ts'
import { json, project } from '../command.ts'
import { currentProject } from '../current-project.ts'
import { printReceipt, textFromWordsOrStdin } from '../note-command.ts'
import { defineCommand, unknownValue } from '../parse.ts'
import { invalidInput, print, printJson } from '../print.ts'
import { printInjection } from './inject.ts'

const UNUSED = 'accepted for compatibility; has no effect'
const ACTIONS = ['inject-context', 'inject-brief', 'capture-memory', 'capture-response'] as const

export const command = defineCommand({
  name: 'memory',
  summary: 'print or save memory from your own hook scripts',
  usage: `recollect memory inject-context|inject-brief [prompt…] [--top-k N] [--budget TOKENS] [--project P] [--format text|json] [--strict-exit]
       recollect memory capture-memory [--content TEXT] [--session-id ID] [--hook-type T] [--tool-name T] [--project P] [--strict-exit]
       recollect memory capture-response --session-id ID [--content TEXT] [--project P] [--strict-exit]

  With a prompt, prints what it would recall instead of the brief. Always exits with 0, because a failing hook would interrupt your work. Pass --strict-exit to get an error code.`,
  words: 'inject-context|inject-brief|capture-memory|capture-response [prompt…]',
  isForHooks: true,
  options: {
    content: { type: 'string', value: 'TEXT', about: 'the text to save (default: read from stdin)' },
    'session-id': { type: 'string', value: 'ID', about: 'the session it belongs to' },
    'top-k': { type: 'string', value: 'N', range: [0, 200], about: 'with inject-context and inject-brief: show N notes of the project' },
    budget: { type: 'string', value: 'TOKENS', range: [0, 100_000], about: 'with inject-context: use at most this many tokens' },
    'response-type': { type: 'string', value: 'T', about: UNUSED },
    importance: { type: 'string', value: 'X', about: UNUSED },
    source: { type: 'string', value: 'S', about: UNUSED },
    'hook-type': { type: 'string', value: 'T', about: 'with capture-memory: a tag, for example the event' },
    'tool-name': { type: 'string', value: 'T', about: 'with capture-memory: a tag' },
    project,
    format: { type: 'string', of: ['text', 'json'], default: 'text', about: 'how to print the result' },
    'strict-exit': { type: 'boolean', about: 'exit with a code that shows errors' },
    json,
  },
  async run({ values, positionals }) {
    shortenTimeouts()
    const [word = '', ...more] = positionals
    const action = ACTIONS.find((known) => known === word)
    if (word === '') throw invalidInput(`which memory action? Use one of: ${ACTIONS.join(', ')}`)
    const injects = action === 'inject-context' || action === 'inject-brief'
    if (!action || (more.length > 0 && !injects)) throw invalidInput(unknownValue('memory action', positionals.join(' '), ACTIONS))
    const asJson = values.json || values.format === 'json'
    const key = values.project ?? currentProject()
    if (injects) {
      const prompt = more.join(' ') || undefined
      const tokens = action === 'inject-brief' ? 200 : values.budget
      return printInjection({ project: values.project, prompt, k: values['top-k'], tokens, json: asJson, quiet: true })
    }
    const content = values.content ?? (await textFromWordsOrStdin([]))
    if (!content.trim()) throw invalidInput('nothing to save: pass --content TEXT, or pipe the text in')
    const session = values['session-id']
    if (action === 'capture-memory') {
      const tags = [values['hook-type'], values['tool-name']].filter((tag) => tag !== undefined)
      const receipt = await call('POST /api/notes', { body: content, project: key, session, tags, scope: 'project' })
      return asJson ? printJson(receipt) : printReceipt(receipt)
    }
    if (!session) throw invalidInput('capture-response needs a session: pass --session-id ID')
    // A session that is not known yet is stored with this folder's project.
    const place = values.project ? { project: values.project } : { cwd: process.cwd() }
    const stored = await call('POST /api/sessions/summarize', { contentSessionId: session, last_assistant_message: content, ...place })
    if (asJson) return printJson(stored)
    return print(stored.status === 'skipped' ? `Not saved: ${stored.reason}.` : 'Saved.')
  },
})
