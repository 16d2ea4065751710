import type { Action } from '../../core/action.ts'
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

export function fileOf(input: unknown): string | null {
  const field = fieldsOf(input)
  return field('file_path') || field('absolute_path') || field('path') || null
}

export const readAction = (use: StoredUse): Action => readActionOf(TOOLS, use, fileOf)

const edit: ToolReaders[string] = ({ file, field, outputField }) =>
  file ? { kind: 'edit', file, removed: field('old_string'), added: field('new_string'), patch: diffLines(outputField('patch')) } : null

/** The same tools in Gemini CLI and Qwen Code; only the editing tool has two names. */
const TOOLS: ToolReaders = {
  run_shell_command: readCommand,
  read_file: readFile,
  replace: edit,
  edit,
  write_file: ({ file, field, outputField, output }) => {
    const created = /^(?:Successfully created|Created)/.test(outputField('text') || textOf(output))
    return file ? { kind: 'write', file, content: field('content'), created, patch: diffLines(outputField('patch')) } : null
  },
  search_file_content: readSearch,
  grep_search: readSearch,
  grep: readSearch,
  glob: readSearch,
  list_directory: ({ field }) => ({ kind: 'search', pattern: '*', where: field('path') || field('dir_path') || null }),
  web_fetch: ({ field, output }) => ({ kind: 'fetch', target: field('url') || field('prompt'), answer: textOf(output) }),
  google_web_search: ({ field, output }) => ({ kind: 'fetch', target: field('query'), answer: textOf(output) }),
  web_search: ({ field, output }) => ({ kind: 'fetch', target: field('query'), answer: textOf(output) }),
  task: ({ field, output }) => ({
    kind: 'delegate',
    task: field('description') || field('prompt'),
    agentType: field('subagent_type') || null,
    answer: textOf(output) || null,
  }),
  exit_plan_mode: ({ field }) => ({ kind: 'plan', text: field('plan') }),
}
