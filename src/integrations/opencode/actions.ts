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
import { diffLines } from '../claude-dialect.ts'

export const fileOf = (input: unknown): string | null => fieldsOf(input)('filePath') || null

export const readAction = (use: StoredUse): Action => readActionOf(TOOLS, use, fileOf)

const TOOLS: ToolReaders = {
  bash: readCommand,
  read: readFile,
  edit: ({ file, field, outputField }) =>
    file ? { kind: 'edit', file, removed: field('oldString'), added: field('newString'), patch: diffLines(outputField('patch')) } : null,
  write: ({ file, field }) => (file ? { kind: 'write', file, content: field('content'), created: true, patch: [] } : null),
  grep: readSearch,
  glob: readSearch,
  list: ({ field }) => ({ kind: 'search', pattern: '*', where: field('path') || null }),
  webfetch: ({ field, output }) => ({ kind: 'fetch', target: field('url'), answer: textOf(output) }),
  websearch: ({ field, output }) => ({ kind: 'fetch', target: field('query'), answer: textOf(output) }),
  task: ({ field, output, error }) => ({
    kind: 'delegate',
    task: field('description') || firstLine(field('prompt'), 200),
    agentType: field('subagent_type') || null,
    answer: error === null ? textOf(output) || null : null,
  }),
}
