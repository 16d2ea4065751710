import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'
import type { TranscriptItem } from '../transcript.ts'
import { codex } from './codex.ts'

const common = { session_id: 's', cwd: '/p', turn_id: 't', tool_use_id: 'call_1' }

test('a patch of several files is a use of each file', () => {
  const patch =
    '*** Begin Patch\n*** Update File: a.ts\n@@\n-one\n+two\n*** Add File: docs/b.md\n+# B\n+text\n*** Delete File: c.ts\n*** End Patch\n'
  const payload = { ...common, hook_event_name: 'PostToolUse', tool_name: 'apply_patch', tool_input: { command: patch } }
  const events = codex.parsePayload({ ...payload, tool_response: 'Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n' }, { at: 1 })
  const uses = events.flatMap((event) => (event.kind === 'tool-used' ? [event] : []))
  expect(uses.map((use) => [use.toolUseId, codex.fileOf(use.input), use.error])).toEqual([
    ['call_1', 'a.ts', null],
    ['call_1:2', 'docs/b.md', null],
    ['call_1:3', 'c.ts', null],
  ])
  const actions = uses.map(({ tool, input, output }) =>
    codex.readAction({ tool, input: JSON.stringify(input), output: JSON.stringify(output), error: null }),
  )
  expect(actions).toEqual([
    { kind: 'edit', file: 'a.ts', removed: 'one', added: 'two', patch: ['-one', '+two'] },
    { kind: 'write', file: 'docs/b.md', content: '# B\ntext', created: true, patch: [] },
    { kind: 'edit', file: 'c.ts', removed: '', added: '', patch: [] },
  ])
  const failed = codex.parsePayload({ ...payload, tool_response: 'Exit code: 1\nOutput:\nno such line' }, { at: 1 })
  expect(failed).toMatchObject([{ error: 'Exit code 1\nno such line' }, {}, {}])
})

test('the task of a subagent is not a prompt of the person, and its tool uses belong to no turn of its own', () => {
  const subagent = { ...common, agent_id: 'child', agent_type: 'explorer' }
  expect(codex.parsePayload({ ...subagent, hook_event_name: 'UserPromptSubmit', prompt: 'Look' }, { at: 1 })).toMatchObject([
    { kind: 'ignored' },
  ])
  const used = { ...subagent, hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_response: 'a' }
  expect(codex.parsePayload(used, { at: 1 })).toMatchObject([{ kind: 'tool-used', promptId: null, agentId: 'child' }])
})

test('the rollout of a subagent has its tool uses and its answer under the session of its parent', async () => {
  const items = await read([
    meta({ session_id: 'parent', id: 'child', thread_source: 'subagent', agent_role: 'explorer' }),
    event({ type: 'task_started', turn_id: 'own', root_turn_id: 'root' }),
    event({ type: 'item_completed', item: { type: 'UserMessage', id: 'u', content: [{ text: 'Look at it' }] } }),
    event({
      type: 'item_completed',
      item: { type: 'CommandExecution', id: 'c1', command: ['/bin/bash', '-lc', 'ls'], aggregated_output: 'a\n', exit_code: 0 },
    }),
    event({ type: 'task_complete', turn_id: 'own', last_agent_message: 'It is there.' }),
  ])
  expect(items.map(({ event }) => event)).toMatchObject([
    { kind: 'tool-used', session: 'parent', promptId: 'root', agentId: 'child', tool: 'Bash', input: { command: 'ls' } },
    { kind: 'subagent-ended', session: 'parent', agentId: 'child', agentType: 'explorer', answer: 'It is there.' },
  ])
})

test('calls of a script are reported, the script itself is not', async () => {
  const items = await read([
    meta({ id: 's' }),
    event({ type: 'task_started', turn_id: 't' }),
    response({ type: 'custom_tool_call', name: 'exec', call_id: 'outer', input: 'await tools.exec_command({cmd: "ls"})' }),
    event({
      type: 'item_completed',
      item: { type: 'CommandExecution', id: 'exec-1', command: ['bash', '-lc', 'ls'], aggregated_output: '', exit_code: 2 },
    }),
    event({
      type: 'item_completed',
      item: {
        type: 'FileChange',
        id: 'exec-2',
        status: 'completed',
        stdout: 'ok',
        changes: { '/p/a.ts': { type: 'update', unified_diff: '@@ -1 +1 @@\n-a\n+b\n' } },
      },
    }),
    response({ type: 'custom_tool_call_output', call_id: 'outer', output: 'Script completed' }),
  ])
  expect(items.map(({ event }) => (event.kind === 'tool-used' ? [event.toolUseId, event.tool, event.error] : event.kind))).toEqual([
    ['exec-1', 'Bash', 'Exit code 2\n'],
    ['exec-2', 'apply_patch', null],
  ])
})

test('a command that goes on in the background is one tool use, with all its output and its exit code', async () => {
  const call = (id: string, name: string, args: object) =>
    response({ type: 'function_call', name, call_id: id, arguments: JSON.stringify(args) })
  const output = (id: string, text: string) => response({ type: 'function_call_output', call_id: id, output: text })
  const items = await read([
    meta({ id: 's' }),
    event({ type: 'task_started', turn_id: 't' }),
    call('c1', 'exec_command', { cmd: 'make' }),
    output('c1', 'Wall time: 10 seconds\nProcess running with session ID 7\nOutput:\nbuilding\n'),
    call('c2', 'write_stdin', { session_id: 7, chars: '' }),
    output('c2', 'Wall time: 2 seconds\nProcess exited with code 2\nOutput:\nfailed\n'),
    event({ type: 'turn_aborted', turn_id: 't' }),
  ])
  expect(items.map(({ event }) => event)).toMatchObject([
    { kind: 'tool-used', toolUseId: 'c1', error: 'Exit code 2\nbuilding\nfailed\n' },
    { kind: 'turn-ended', promptId: 't', answer: '' },
  ])
})

const line = (type: string, payload: object) => JSON.stringify({ timestamp: '2026-11-16T15:29:14.813Z', type, payload })
const meta = (fields: object) => line('session_meta', { cwd: '/p', ...fields })
const event = (fields: object) => line('event_msg', fields)
const response = (fields: object) => line('response_item', fields)

async function read(lines: string[]): Promise<TranscriptItem[]> {
  using folder = temporaryFolder()
  const path = join(folder.path, 'rollout.jsonl')
  await Bun.write(path, `${lines.join('\n')}\n`)
  const items: TranscriptItem[] = []
  for await (const batch of codex.readTranscript(path, null)) items.push(...batch.items)
  return items
}
