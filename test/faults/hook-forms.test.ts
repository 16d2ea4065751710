import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { deliverThrough, ENTRANCES } from './entrances.ts'
import type { FaultyHome, Ran } from './home.ts'

type Row = { sessionId: string; [field: string]: unknown }
type Form = {
  name: string
  args?: string[]
  payload: object
  stored: Partial<Record<'prompts' | 'tool-uses' | 'sessions' | 'summaries', object[]>>
}

const hook = ['hook', 'claude-code']

/** Payloads in the forms of clients and of other tools' scripts. Each has a session of its own, named after its place. */
const UNDERSTOOD: Form[] = [
  {
    name: 'a tool use without an id',
    payload: { hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_response: { stdout: 'a' } },
    stored: { 'tool-uses': [{ tool: 'Bash', input: { command: 'ls' } }] },
  },
  {
    name: 'the event in `hook` and the folder in `project_path`',
    payload: { hook: 'SessionStart', cwd: undefined, project_path: '/srv/harbour', git_branch: 'main' },
    stored: { sessions: [{ folder: '/srv/harbour' }] },
  },
  {
    name: 'the output in `tool_output`',
    payload: { hook: 'PostToolUse', tool_name: 'Grep', tool_input: { pattern: 'auth' }, tool_output: 'pub fn authenticate' },
    stored: { 'tool-uses': [{ tool: 'Grep', output: 'pub fn authenticate' }] },
  },
  {
    name: 'an event named only on the command line',
    args: [...hook, 'UserPromptSubmit'],
    payload: { prompt: 'Why is the tide late?' },
    stored: { prompts: [{ text: 'Why is the tide late?' }] },
  },
  {
    name: 'no folder in the payload',
    payload: { hook_event_name: 'UserPromptSubmit', cwd: undefined, prompt: 'Where am I?' },
    stored: { prompts: [{ text: 'Where am I?' }] },
  },
  {
    name: 'the event name `user-prompt`',
    args: ['hook', 'user-prompt'],
    payload: { hook: 'UserPromptSubmit', prompt: 'And high tide?' },
    stored: { prompts: [{ text: 'And high tide?' }] },
  },
  {
    name: 'the output in `tool_output` for `post-tool`',
    args: ['hook', 'post-tool'],
    payload: { tool_name: 'Glob', tool_input: { pattern: '*.rs' }, tool_output: 'auth.rs' },
    stored: { 'tool-uses': [{ tool: 'Glob', output: 'auth.rs' }] },
  },
  {
    name: 'the summary before a compaction',
    args: ['hook', 'pre-compact'],
    payload: { conversation_summary: 'Added a login.', key_decisions: ['Use JWT'] },
    stored: { summaries: [{ notes: 'Added a login.\nDecisions:\n- Use JWT' }] },
  },
  {
    name: 'fields of the wrong type that are not needed',
    payload: { hook_event_name: 'UserPromptSubmit', prompt: 'Go on', prompt_id: 7, transcript_path: {}, permission_mode: [] },
    stored: { prompts: [{ text: 'Go on' }] },
  },
  {
    name: 'a failure without a text',
    payload: { hook_event_name: 'PostToolUseFailure', tool_name: 'WebFetch', tool_input: {}, error: { code: 500 } },
    stored: { 'tool-uses': [{ tool: 'WebFetch', error: '{"code":500}' }] },
  },
]

/** Never in a log: it stands for the text of a person. */
const TEXT = 'swordfish'

const NOT_UNDERSTOOD: { name: string; args?: string[]; stdin: string | Uint8Array<ArrayBuffer>; reason: string }[] = [
  { name: 'an unknown event', stdin: payload({ hook_event_name: TEXT, prompt: TEXT }), reason: 'an unknown event' },
  { name: 'an unknown event on the command line', args: [...hook, TEXT], stdin: payload({}), reason: 'an unknown event' },
  { name: 'no event', stdin: payload({ prompt: TEXT }), reason: 'names the event' },
  {
    name: 'a prompt that is not text',
    stdin: payload({ hook_event_name: 'UserPromptSubmit', prompt: [TEXT] }),
    reason: 'without its text',
  },
  { name: 'an answer that is not text', stdin: payload({ hook_event_name: 'Stop', last_assistant_message: { TEXT } }), reason: 'not text' },
  {
    name: 'a tool use without a tool',
    stdin: payload({ hook_event_name: 'PostToolUse', tool_response: TEXT }),
    reason: 'name of the tool',
  },
  { name: 'a batch without tool uses', stdin: payload({ hook_event_name: 'PostToolBatch', tool_calls: TEXT }), reason: 'tool uses' },
  { name: 'no session', stdin: JSON.stringify({ hook_event_name: 'UserPromptSubmit', prompt: TEXT }), reason: 'session_id is missing' },
  {
    name: 'no session for `prompt-submit`',
    args: ['hooks', 'prompt-submit'],
    stdin: `{"prompt":"${TEXT}"}`,
    reason: 'session_id is missing',
  },
  { name: 'a list', stdin: `["${TEXT}"]`, reason: 'expected an object' },
  { name: 'a number', stdin: '42', reason: 'expected an object' },
  { name: 'half a payload', stdin: `{"session_id":"s","prompt":"${TEXT}`, reason: 'not JSON' },
  { name: 'half a payload for `stop`', args: ['hooks', 'stop'], stdin: `{"answer":"${TEXT}`, reason: 'not JSON' },
  { name: 'bytes', stdin: new Uint8Array([0xff, 0xfe, 0, 1, ...new TextEncoder().encode(TEXT)]), reason: 'not JSON' },
  { name: 'nothing', stdin: '', reason: 'not JSON' },
  { name: 'an unknown agent', args: ['hook', 'abacus'], stdin: payload({ hook_event_name: 'Stop' }), reason: 'does not serve' },
  { name: 'an agent that is a path', args: ['hook', '../..'], stdin: payload({ hook_event_name: 'Stop' }), reason: 'does not serve' },
]

for (const entrance of ENTRANCES) {
  describe(`a hook ${entrance.name}`, () => {
    let at: FaultyHome
    let ran: Ran[]

    beforeAll(async () => {
      const understood = UNDERSTOOD.map((form, i) => ({
        stdin: payload({ session_id: `form-${i}`, ...form.payload }),
        args: form.args ?? hook,
      }))
      const others = NOT_UNDERSTOOD.flatMap(({ stdin, args = hook }) => [
        { stdin, args },
        { stdin, args: [...args, '--strict-exit'] },
      ])
      ;({ at, ran } = await deliverThrough(entrance, [...understood, ...others]))
      await at.settled()
    }, 300_000)
    afterAll(() => at[Symbol.asyncDispose]())

    test.each(UNDERSTOOD.map((form, i) => [form.name, i] as const))('understands %s', async (_, i) => {
      const { stored } = UNDERSTOOD[i] as Form
      for (const [kind, rows] of Object.entries(stored)) {
        const found = await at.rows<Row>(kind as keyof Form['stored'])
        expect(found.filter(({ sessionId }) => sessionId === `form-${i}`)).toMatchObject(rows)
      }
    })

    test('always exits with 0 and prints an object, and with --strict-exit a payload that is not understood is never a success', () => {
      const answers = ran.slice(UNDERSTOOD.length)
      for (const [i, { name }] of NOT_UNDERSTOOD.entries()) {
        const [lenient, strict] = answers.slice(2 * i)
        expect([name, lenient]).toEqual([name, { code: 0, stdout: '{}', stderr: '' }])
        expect([name, strict?.stdout, strict?.stderr]).toEqual([name, '{}', ''])
        // Without a worker only text that is no JSON is known to be unusable; the rest is kept, and the worker is missing. On a busy machine it is late.
        const codes = entrance.name === 'over the socket' ? [4, 2] : [4, 1, 2]
        expect([name, codes.includes(strict?.code ?? 0)]).toEqual([name, true])
      }
    })

    test('logs and counts every payload that is not understood, without its text', async () => {
      const lines = at
        .log()
        .split('\n')
        .filter((line) => line.includes('was not understood'))
      const counts = lines.map((line) => (JSON.parse(line) as { count: number }).count)
      expect(counts).toEqual(lines.map((_, i) => i + 1))
      // A busy worker may get one twice: over the socket, and from the spool.
      expect(counts.length).toBeGreaterThanOrEqual(2 * NOT_UNDERSTOOD.length)
      for (const { name, reason } of NOT_UNDERSTOOD)
        expect([name, lines.filter((line) => line.includes(reason)).length >= 2]).toEqual([name, true])
      expect(at.log()).not.toContain(TEXT)
      const { notUnderstood } = await at.status()
      expect(notUnderstood).toEqual({ count: counts.length, lastAt: expect.any(Number), setAside: expect.any(Number) })
      if (entrance.name === 'through the spool') expect(notUnderstood.setAside).toBe(counts.length)
      const { findings } = await at.doctor()
      const finding = findings.find(({ what }) => what === 'Unknown events')
      expect(finding).toMatchObject({ state: 'warning', says: expect.stringContaining(`${counts.length} events`) })
      expect(finding?.fix).toContain('worker.log')
    })
  })
}

describe('tool uses without an id', () => {
  const use = (prompt_id: string, command: string) =>
    payload({ session_id: 's1', hook_event_name: 'PostToolUse', prompt_id, tool_name: 'Bash', tool_input: { command } })
  const prompt = (prompt_id: string) => payload({ session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt_id, prompt: prompt_id })

  test.each(ENTRANCES.map((entrance) => [entrance.name, entrance] as const))(
    'are separate in another turn and at another place, %s',
    async (_, entrance) => {
      const payloads = [prompt('p1'), use('p1', 'ls'), use('p1', 'pwd'), use('p1', 'ls'), prompt('p2'), use('p2', 'ls')]
      const { at } = await deliverThrough(
        entrance,
        payloads.map((stdin) => ({ stdin, args: hook })),
      )
      await using _home = at
      await at.settled()
      const stored = await at.rows<{ input: { command: string }; promptNumber: number; toolUseId: string }>('tool-uses')
      expect(stored.map(({ input, promptNumber }) => [input.command, promptNumber])).toEqual([
        ['ls', 1],
        ['pwd', 1],
        ['ls', 1],
        ['ls', 2],
      ])
      expect(new Set(stored.map(({ toolUseId }) => toolUseId)).size).toBe(4)
    },
    300_000,
  )
})

function payload(fields: object): string {
  return JSON.stringify({ session_id: 's0', cwd: '/srv/app', ...fields })
}
