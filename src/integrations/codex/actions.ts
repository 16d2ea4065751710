import type { Action } from '../../core/action.ts'
import { fieldsOf, readActionOf, readCommand, type StoredUse, type ToolReaders, textOf } from '../claude-code/actions.ts'
import { patchLines } from './patch.ts'

export const fileOf = (input: unknown): string | null => fieldsOf(input)('file_path') || null

export const readAction = (use: StoredUse): Action => readActionOf(TOOLS, use, fileOf)

const TOOLS: ToolReaders = {
  Bash: readCommand,
  apply_patch: ({ file, field }) => {
    if (!file) return null
    const text = field('command')
    const lines = patchLines(text)
    const only = (mark: string) => lines.flatMap((line) => (line.startsWith(mark) ? [line.slice(1)] : [])).join('\n')
    if (text.startsWith('*** Add File:')) return { kind: 'write', file, content: only('+'), created: true, patch: [] }
    return { kind: 'edit', file, removed: only('-'), added: only('+'), patch: lines }
  },
  spawn_agent: ({ field }) => ({ kind: 'delegate', task: field('message'), agentType: field('agent_type') || null, answer: null }),
  web_search: ({ field, output }) => ({ kind: 'fetch', target: field('query'), answer: textOf(output) }),
}
