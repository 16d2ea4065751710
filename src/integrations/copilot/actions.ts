import type { Action } from '../../core/action.ts'
import { firstLine } from '../../core/text.ts'
import {
  fieldsOf,
  readActionOf,
  readCommand,
  readFile,
  readSearch,
  type StoredUse,
  type ToolReaders,
  textOf,
} from '../claude-code/actions.ts'

export const fileOf = (input: unknown): string | null => fieldsOf(input)('path') || fieldsOf(input)('file_path') || null

export const readAction = (use: StoredUse): Action => readActionOf(TOOLS, use, fileOf)

const TOOLS: ToolReaders = {
  Bash: readCommand,
  Read: readFile,
  Edit: ({ file, field }) => (file ? { kind: 'edit', file, removed: field('old_str'), added: field('new_str'), patch: [] } : null),
  Write: ({ file, field }) => (file ? { kind: 'write', file, content: field('file_text'), created: true, patch: [] } : null),
  Grep: readSearch,
  Glob: readSearch,
  WebFetch: ({ field, output }) => ({ kind: 'fetch', target: field('url'), answer: textOf(output) }),
  Task: ({ field, output, error }) => ({
    kind: 'delegate',
    task: field('description') || firstLine(field('prompt'), 200),
    agentType: field('agent_type') || null,
    answer: error === null ? textOf(output) || null : null,
  }),
}
