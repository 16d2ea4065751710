import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { garbage } from '../support/garbage.ts'
import { aHome } from './home.ts'

const MB = 1024 * 1024
const bytes = (...parts: (string | number[])[]) =>
  new Uint8Array(parts.flatMap((part) => [...(typeof part === 'string' ? new TextEncoder().encode(part) : part)]))

const VALUES: [string, unknown][] = [
  ['null', null],
  ['true', true],
  ['a number', 1e308],
  ['a list', [[], {}, null, 'x', 1]],
  ['an object', { a: { b: [1, { c: null }] } }],
  ['an empty text', ''],
  ['text with zero bytes and half characters', 'a\0b\ud800c'],
]
const FIELDS = [
  'session_id',
  'hook_event_name',
  'hook',
  'cwd',
  'project_path',
  'prompt',
  'prompt_id',
  'tool_name',
  'tool_use_id',
  'tool_input',
]
const MORE_FIELDS = [
  'tool_response',
  'tool_output',
  'tool_calls',
  'error',
  'transcript_path',
  'last_assistant_message',
  'source',
  'agent_type',
]
const EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Stop',
  'SubagentStop',
  'PostCompact',
]

/** Every field of every event with a value of every type. */
const SHAPES = EVENTS.flatMap((event) =>
  [...FIELDS, ...MORE_FIELDS].flatMap((field) =>
    VALUES.map(([, value]) =>
      JSON.stringify({ session_id: 's1', cwd: '/srv/app', hook_event_name: event, tool_name: 'Bash', prompt: 'x', [field]: value }),
    ),
  ),
)

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
const RAW: [string, string | Uint8Array<ArrayBuffer>][] = [
  ['a list', '[1,2,3]'],
  ['text', '"SessionStart"'],
  ['two objects', '{}{}'],
  ['a byte order mark', '\ufeff{"session_id":"s1"}'],
  ['bytes in a text', bytes('{"session_id":"', [0xff, 0xc0, 0x80], '"}')],
  ['zero bytes', new Uint8Array(4096)],
  ['random bytes', garbage(65_536)],
  ['deep nesting', nested(200_000)],
  ['a deep field', `{"session_id":"s1","cwd":"/p","hook_event_name":"PostToolUse","tool_name":"x","tool_input":${nested(5000)}}`],
  [
    'a prompt of 64 MB',
    JSON.stringify({ session_id: 's1', cwd: '/p', hook_event_name: 'UserPromptSubmit', prompt: 'x'.repeat(64 * MB - 100) }),
  ],
  ['more than 64 MB', JSON.stringify({ session_id: 's1', cwd: '/p', hook_event_name: 'UserPromptSubmit', prompt: 'x'.repeat(65 * MB) })],
  ['a key of 5 MB', `{"session_id":"s1","cwd":"/p","hook_event_name":"Stop","${'k'.repeat(5 * MB)}":1}`],
  ['100,000 keys', `{"session_id":"s1","hook_event_name":"Stop",${Array.from({ length: 100_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`],
  ['a prototype', '{"session_id":"s1","cwd":"/p","hook_event_name":"PostToolUse","tool_name":"__proto__","__proto__":{"a":1}}'],
]

describe('a hook answers with an object and exits with 0 for', () => {
  const at = aHome()
  beforeAll(() => at.run('', 'start'))
  afterAll(() => at[Symbol.asyncDispose]())

  test.each(RAW)('%s', async (_, stdin) => {
    const { code, stdout, stderr } = await at.run(stdin, 'hook', 'claude-code')
    expect([code, stderr, isObject(stdout)]).toEqual([0, '', true])
  })

  test('every field of every event with a value of every type', async () => {
    // The hook process passes bytes on, so the worker is asked directly: a thousand processes would take minutes.
    for (const body of SHAPES) {
      const answer = await fetch('http://worker/hook/claude-code', { method: 'POST', body, unix: at.home.socket })
      expect([body, answer.status, isObject(await answer.text())]).toEqual([body, 200, true])
      const strict = await fetch('http://worker/hook/claude-code', {
        method: 'POST',
        body,
        unix: at.home.socket,
        headers: { 'x-recollect-strict': '1' },
      })
      expect([200, 400]).toContain(strict.status)
      await strict.body?.cancel()
    }
    const { notUnderstood } = await at.status()
    const lines = at
      .log()
      .split('\n')
      .filter((line) => line.includes('was not understood'))
    expect(notUnderstood.count).toBeGreaterThan(100)
    expect(lines.at(-1)).toContain(`"count":${notUnderstood.count}`)
    expect(at.log()).not.toContain('could not be stored')
  }, 300_000)

  test('and the worker still works', async () => {
    expect((await at.run('', 'status')).code).toBe(0)
    expect((await at.doctor()).findings.filter(({ state }) => state === 'broken').map(({ what }) => what)).toEqual(['Hooks']) // they are not installed
  })
})

test('the spool survives files of every kind, sets them aside and goes on', async () => {
  await using at = aHome()
  mkdirSync(at.home.spool, { recursive: true, mode: 0o700 })
  const file = (name: string) => join(at.home.spool, `${name}.json`)
  const envelope = { delivery: 'd', agent: 'claude-code', at: 1, context: {}, payload: {} }
  for (const [i, [, raw]] of RAW.entries()) writeFileSync(file(`raw-${String(i).padStart(3, '0')}`), raw)
  for (const [i, [, value]] of VALUES.entries())
    for (const field of Object.keys(envelope))
      writeFileSync(file(`value-${i}-${field}`), JSON.stringify({ ...envelope, delivery: `${i}${field}`, [field]: value }))
  mkdirSync(file('folder'))
  Bun.spawnSync(['mkfifo', file('pipe')])
  const good = { session_id: 's1', cwd: '/srv/app', hook_event_name: 'UserPromptSubmit', prompt: 'I am well' }
  writeFileSync(file('z-last'), JSON.stringify({ ...envelope, delivery: 'last', payload: good }))
  const names = readdirSync(at.home.spool)
  await at.run('', 'start')
  await at.settled()
  expect(await at.rows('prompts')).toMatchObject([{ text: 'I am well' }])
  const aside = readdirSync(at.home.spoolSetAside)
  expect(aside.length).toBe(names.length - 1)
  const { notUnderstood } = await at.status()
  expect(notUnderstood).toMatchObject({ count: aside.length, setAside: aside.length })
  expect((await at.doctor()).findings.find(({ what }) => what === 'Unknown events')?.says).toContain(`${aside.length} files`)
}, 300_000)

test('every HTTP route answers hostile bodies in JSON', async () => {
  await using at = aHome()
  await at.run('', 'start')
  const { port } = JSON.parse(readFileSync(at.home.workerFile, 'utf8')) as { port: number }
  const headers = { authorization: `Bearer ${readFileSync(at.home.token, 'utf8').trim()}`, 'content-type': 'application/json' }
  const session = (fields: object) => JSON.stringify({ contentSessionId: 's1', tool_name: 'Bash', ...fields })
  const values = VALUES.flatMap(([, value]) =>
    ['contentSessionId', 'prompt', 'userPrompt', 'tool_input', 'tool_response', 'cwd'].map((field) => session({ [field]: value })),
  )
  for (const route of ['init', 'observations', 'summarize', 'complete'])
    for (const body of [...RAW.map(([, raw]) => raw), ...values]) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/sessions/${route}`, { method: 'POST', headers, body })
      const text = await answer.text()
      expect([route, answer.status < 500, answer.status === 413 || isObject(text)]).toEqual([route, true, true])
    }
  expect((await at.run('', 'status')).code).toBe(0)
}, 300_000)

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
