import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEvent } from '../../core/event.ts'
import { answerText, compactSummary, eventName, noticeText, parsePayload, parsePromptText, usefulOutput } from './payload.ts'

const FIXTURES = join(import.meta.dir, '../../../test/fixtures/hook-payloads')

const KINDS: Record<string, AgentEvent['kind']> = {
  SessionStart: 'session-started',
  UserPromptSubmit: 'prompt-submitted',
  PostToolUse: 'tool-used',
  PostToolUseFailure: 'tool-used',
  PostToolBatch: 'tool-used',
  Stop: 'turn-ended',
  StopFailure: 'turn-ended',
  SubagentStop: 'subagent-ended',
  PreToolUse: 'tool-starting',
  PreCompact: 'compacting',
  PostCompact: 'compacted',
  SessionEnd: 'session-ended',
}

for (const file of readdirSync(FIXTURES)
  .sort()
  .filter((name) => name !== 'index.json')) {
  const event = file.split('.', 1)[0] ?? ''
  const kind = file === 'SubagentStop.compaction.json' ? 'ignored' : (KINDS[event] ?? 'ignored')
  test(`the client's ${file.replace('.json', '')} is ${kind}`, async () => {
    const json = await fixture(file)
    const events = parsePayload(json, { at: 7 })
    expect(new Set(events.map((one) => one.kind))).toEqual(new Set([kind]))
    for (const one of events) {
      expect(one).toMatchObject({ agent: 'claude-code', at: 7, session: expect.stringMatching(/^5e551011-/) })
      if (one.kind === 'ignored') expect(one.name).toBe(event)
    }
    expect(eventName(json)).toBe(event)
  })
}

test('a prompt has its text and its turn', async () => {
  expect(await only('UserPromptSubmit.json')).toMatchObject({
    promptId: '5e551011-0000-4000-8000-000000000002',
    origin: 'person',
    text: 'The login test fails for every token. Find out why and fix it.',
    cwd: '/home/dev/project',
  })
  expect(await only('UserPromptSubmit.slash.json')).toMatchObject({ origin: 'person', text: '/review src/auth.ts' })
})

test('a notice that the client sends in the person’s name becomes a short machine prompt', async () => {
  const event = await only('UserPromptSubmit.task-notification.json')
  expect(event).toMatchObject({ kind: 'prompt-submitted', origin: 'machine' })
  expect(event.kind === 'prompt-submitted' && noticeText(event.text)).toBe('Agent "Check docs" finished')
  const message = '<teammate-message from="b">\n<b>The build is green</b></teammate-message>'
  expect(parsePromptText(message).origin).toBe('machine')
  expect(noticeText(message).trim()).toBe('The build is green')
  expect(parsePromptText(' <div> is not centred ')).toEqual({ origin: 'person', text: '<div> is not centred' })
})

test('a tool use has its input and output', async () => {
  expect(await only('PostToolUse.Bash.in-subagent.json')).toMatchObject({
    toolUseId: 'toolu_fake000015',
    tool: 'Bash',
    input: { command: 'grep -rn "isValid" .', description: 'Find callers' },
    output: { stdout: 'src/auth.ts:4:export function isValid(token: Token, now = Date.now()): boolean {' },
    error: null,
    interrupted: false,
    agentId: 'a321d5877f28ff382',
  })
})

test('a failed tool use has an error and no output', async () => {
  const used = await only('PostToolUseFailure.Bash.json')
  expect(used).toMatchObject({ error: expect.stringMatching(/^Exit code 1\n/), interrupted: false, output: undefined })
  const stopped = { ...(await fixture('PostToolUseFailure.Bash.json')), is_interrupt: true }
  expect(parsePayload(stopped, { at: 1 })[0]).toMatchObject({ interrupted: true })
})

test('a batch becomes one tool use per call, and a call that was rejected before it ran is a failure', async () => {
  const batch = await fixture('PostToolBatch.json')
  expect(parsePayload(batch, { at: 1 })).toMatchObject([
    { toolUseId: 'toolu_fake000001', tool: 'Read', output: expect.stringContaining('isValid'), error: null },
    { toolUseId: 'toolu_fake000002', tool: 'Bash', error: null },
  ])
  const call = (tool_use_id: string, tool_name: string, tool_response: unknown) => ({
    tool_use_id,
    tool_name,
    tool_input: {},
    tool_response,
  })
  const calls = [
    call('a', 'Edit', '<tool_use_error>String to replace not found in file.</tool_use_error>'),
    call('b', 'Bash', 'Exit code 3\nhi'),
    call('c', 'Read', 'Exit code 3 is what the file says'),
    call('d', 'Write', "The user doesn't want to proceed with this tool use."),
  ]
  expect(parsePayload({ ...batch, tool_calls: calls }, { at: 1 })).toMatchObject([
    { error: 'String to replace not found in file.', output: undefined },
    { error: 'Exit code 3\nhi', output: undefined },
    { error: null, output: 'Exit code 3 is what the file says' },
    { interrupted: true, output: undefined },
  ])
})

test('a turn ends with the agent’s last text, and without text when the API failed', async () => {
  expect(await only('Stop.with-background.json')).toMatchObject({ answer: 'An agent is still checking the docs.' })
  expect(await only('StopFailure.json')).toMatchObject({ answer: '' })
})

test('the end of a subagent belongs to its session, not to the subagent’s own file', async () => {
  expect(await only('SubagentStop.json')).toMatchObject({
    agentId: 'a321d5877f28ff382',
    agentType: 'Explore',
    answer: 'isValid is used only in src/auth.ts.',
    transcript: expect.stringMatching(/0085\.jsonl$/),
  })
})

test('a compaction’s summary is the same text from hook and transcript', async () => {
  const bare = '1. Primary Request and Intent: create notes.txt and review src/auth.ts.'
  const compacted = await only('PostCompact.manual.json')
  expect(compacted.kind === 'compacted' && compactSummary(compacted.summary)).toBe(bare)
  const inTranscript = (analysis: string) =>
    `This session is being continued from a previous conversation that ran out of context.\n\n${analysis}Summary:\n${bare}\n\n` +
    'If you need specific details from before compaction (like exact code), read it.\nPlease continue the conversation from where we left off.'
  expect(compactSummary(inTranscript(''))).toBe(bare)
  expect(compactSummary(inTranscript('Analysis:\nA summary: of sorts\n\n'))).toBe(bare)
  expect(compactSummary('just words')).toBe('just words')
})

test('large and useless parts of a tool’s output are dropped', async () => {
  const edit = await only('PostToolUse.Edit.json')
  expect(edit).toMatchObject({ output: { structuredPatch: [{ lines: expect.arrayContaining(['+  return token.exp * 1000 > now']) }] } })
  expect(JSON.stringify(edit)).not.toContain('originalFile')
  expect(await only('PostToolUse.Agent.completed.json')).toHaveProperty('output', {
    status: 'completed',
    agentId: 'a321d5877f28ff382',
    agentType: 'Explore',
    content: expect.any(Array),
  })
  const base64 = 'A'.repeat(1_000)
  expect(usefulOutput('Read', { type: 'pdf', file: { filePath: '/a.pdf', base64 } })).toEqual({ type: 'pdf', file: { filePath: '/a.pdf' } })
  expect(
    usefulOutput('mcp__shot__take', [
      { type: 'text', text: 'here' },
      { type: 'image', source: { data: base64 } },
    ]),
  ).toEqual([{ type: 'text', text: 'here' }, { type: 'image' }])
  expect(usefulOutput('Bash', { stdout: base64, stderr: '', isImage: true })).toEqual({ stdout: '', stderr: '', isImage: true })
})

test('a payload without a session is rejected with a reason', () => {
  const refused = (json: unknown) => () => parsePayload(json, { at: 1 })
  for (const json of [null, undefined, 7, 'text', [], [{ session_id: 's' }], true]) expect(refused(json)).toThrow('expected an object')
  for (const json of [{}, { session_id: 7 }, { session_id: null }, { session_id: ['s'] }])
    expect(refused(json)).toThrow('session_id is missing')
  expect(refused({ session_id: '' })).toThrow('session_id is empty')
  expect(refused({ session_id: 'x'.repeat(201) })).toThrow('session_id is too long')
  for (const session_id of ['a/b', '../x', 'a\0b', 'a\\b']) expect(refused({ session_id })).toThrow('character')
})

test('fields of the wrong type count as missing, and an event without its required fields is not understood', () => {
  const event = (fields: object, name?: string) => parsePayload({ session_id: 's', ...fields }, { at: 1, event: name ?? null })
  for (const fields of [{}, { hook_event_name: 7 }, { hook_event_name: '', hook: [] }])
    expect(() => event(fields)).toThrow('names the event')
  expect(event({ hook_event_name: 'SomethingNew', prompt: 'x' })).toMatchObject([{ kind: 'not-understood', reason: 'an unknown event' }])
  expect(event({ hook_event_name: 'PermissionRequest' })).toMatchObject([{ kind: 'ignored', name: 'PermissionRequest' }])
  expect(event({ hook_event_name: 'UserPromptSubmit', prompt: { a: 1 } })).toMatchObject([{ kind: 'not-understood' }])
  expect(event({ hook_event_name: 'UserPromptSubmit', prompt: 'x', cwd: 7, prompt_id: [] })).toMatchObject([
    { kind: 'prompt-submitted', cwd: null, promptId: null },
  ])
  expect(event({ hook_event_name: 'SessionStart', source: 'teleport' })).toMatchObject([{ kind: 'session-started', source: 'startup' }])
  expect(event({ hook_event_name: 'PostToolUse', tool_name: {}, tool_use_id: 't1' })).toMatchObject([{ kind: 'not-understood' }])
  const kinds = (tool_calls: unknown) => event({ hook_event_name: 'PostToolBatch', tool_calls }).map(({ kind }) => kind)
  expect(kinds([null, 7, { tool_name: 'Bash' }])).toEqual(['not-understood', 'not-understood', 'tool-used'])
  expect(kinds('none')).toEqual(['not-understood'])
  expect(event({ hook_event_name: 'SubagentStop', agent_type: 'Explore' })).toMatchObject([{ kind: 'ignored' }])
  expect(event({ hook_event_name: 'Stop', last_assistant_message: null })).toMatchObject([{ kind: 'turn-ended', answer: '' }])
  expect(() => event({ hook_event_name: 'Stop', last_assistant_message: 7 })).toThrow('last_assistant_message is not text')
  for (const json of [null, [], 'x', { hook_event_name: 7 }, { hook_event_name: '' }]) expect(eventName(json)).toBeNull()
})

test('the names that other tools give to events and fields are understood', () => {
  const parsed = (fields: object, event?: string) => parsePayload({ session_id: 's', ...fields }, { at: 1, event: event ?? null })
  expect(parsed({ hook: 'SessionStart', project_path: '/p' })).toMatchObject([{ kind: 'session-started', cwd: '/p' }])
  expect(parsed({ project_path: '/p', cwd: '/q' }, 'Stop')).toMatchObject([{ kind: 'turn-ended', cwd: '/q' }])
  expect(parsed({ hook_event_name: 'Stop' }, 'SessionEnd')).toMatchObject([{ kind: 'turn-ended' }])
  expect(eventName({ hook: 'Stop' })).toBe('Stop')
  expect(eventName({}, 'Stop')).toBe('Stop')
  const used = { hook: 'PostToolUse', tool_name: 'Read', tool_input: { file_path: '/a.rs' }, tool_output: 'pub fn a()' }
  expect(parsed(used)).toMatchObject([{ kind: 'tool-used', toolUseId: null, tool: 'Read', output: 'pub fn a()' }])
  expect(parsed({ ...used, hook: 'PostToolUseFailure' })).toMatchObject([{ kind: 'tool-used', error: 'pub fn a()' }])
  const compacting = { hook: 'PreCompact', conversation_summary: 'Login works.', key_decisions: ['Use JWT', 'Cookies'] }
  expect(parsed(compacting)).toMatchObject([
    { kind: 'compacting' },
    { kind: 'compacted', summary: 'Login works.\nDecisions:\n- Use JWT\n- Cookies' },
  ])
})

test('unknown keys are dropped', () => {
  const [event] = parsePayload({ session_id: 's', hook_event_name: 'PreCompact', secret: 'x', permission_mode: 'y' }, { at: 1 })
  expect(Object.keys(event ?? {}).sort()).toEqual(['agent', 'at', 'cwd', 'kind', 'promptId', 'session', 'transcript'])
})

test('deep and huge payloads are parsed', () => {
  let deep: unknown = 'bottom'
  for (let i = 0; i < 20_000; i++) deep = { deep }
  const use = {
    session_id: 's',
    hook_event_name: 'PostToolUse',
    tool_name: 'mcp__x__y',
    tool_use_id: 't',
    tool_input: deep,
    tool_response: deep,
  }
  expect(parsePayload(use, { at: 1 })[0]).toMatchObject({ kind: 'tool-used' })
  const huge = '<task-notification><summary>'.repeat(100_000)
  expect(noticeText(huge).length).toBeLessThanOrEqual(2000)
  expect(parsePromptText(`<task-notification>${'<'.repeat(1_000_000)}`).origin).toBe('machine')
})

async function fixture(file: string): Promise<Record<string, unknown>> {
  return Bun.file(join(FIXTURES, file)).json()
}

async function only(file: string): Promise<AgentEvent> {
  const [event, ...more] = parsePayload(await fixture(file), { at: 7 })
  expect(more).toEqual([])
  if (!event) throw new Error(`${file} gave no event`)
  return event
}

test('text that an editor puts before a prompt is not part of it', () => {
  const opened = '<ide_opened_file>The user opened the file /app/mise.toml in the IDE.</ide_opened_file>'
  expect(parsePromptText(`${opened}\nWhy is the lint task slow?`)).toEqual({ origin: 'person', text: 'Why is the lint task slow?' })
  expect(parsePromptText(opened).origin).toBe('machine')
})

test('notices of agents and of the client are written by a machine', () => {
  for (const notice of [
    '<task-notification><summary>Agent finished</summary></task-notification>',
    '{"type":"idle_notification","from":"reviewer","timestamp":"2026-01-01T00:00:00Z"}',
    'Operation stopped by hook: Another session is active',
    '[Request interrupted by user for tool use]',
  ])
    expect([notice, parsePromptText(notice).origin]).toEqual([notice, 'machine'])
  for (const typed of [
    '{"type": "object"} is rejected by the validator, why?',
    'Why is {"type":"x"} rejected?',
    '<private>x</private> hello',
  ])
    expect([typed, parsePromptText(typed).origin]).toEqual([typed, 'person'])
})

test('a message that the client wrote does not count as an answer', () => {
  for (const written of ['No response requested.', '[Request interrupted by user]', 'API Error: 529 overloaded', 'Prompt is too long'])
    expect([written, answerText(written)]).toEqual([written, ''])
  expect(answerText('API Error: 529 means that the server is overloaded. '.repeat(8))).not.toBe('')
  expect(answerText(' Done. ')).toBe('Done.')
})
