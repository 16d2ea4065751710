import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')
const home = temporaryFolder()

async function recollect(stdin: string, ...args: string[]) {
  const env = { PATH: process.env.PATH ?? '', HOME: home.path, RECOLLECT_WORKER_PORT: '0' }
  const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: home.path, stdin: new Blob([stdin]), stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, stdout, stderr }
}
const exported = async (kind: string) =>
  Bun.JSONL.parse((await recollect('', 'export', '--json', '--kind', kind)).stdout) as {
    text?: string
    tool?: string
    body?: string
    answer?: string
  }[]

beforeAll(() => recollect('', 'start'))
afterAll(async () => {
  await recollect('', 'stop')
  home[Symbol.dispose]()
})

test('events have a second set of names, and fields come from stdin or from flags', async () => {
  const start = await recollect('{"session_id":"s1","source":"startup"}', 'hooks', 'session-start', '--stdin', '--format', 'json')
  expect([start.code, typeof JSON.parse(start.stdout)]).toEqual([0, 'object'])
  await recollect(
    '{"prompt":"why is the tide late?"}',
    'hooks',
    'prompt-submit',
    '--session-id',
    's1',
    '--stdin',
    'true',
    '--format',
    'json',
  )
  const used = ['--session-id', 's1', '--tool-name', 'Bash', '--format', 'json', '--strict-exit']
  expect((await recollect('{"tool_input":{"command":"ls"},"tool_use_id":"t1"}', 'hooks', 'post-tool', ...used)).code).toBe(0)
  expect(await recollect('', 'hooks', 'pre-tool', ...used, '--fast-path', 'true')).toEqual({ code: 0, stdout: '{}', stderr: '' })
  const answered = ['--session-id', 's1', '--content', 'The clock was wrong.', '--response-type', 'stop_response']
  expect((await recollect('', 'memory', 'capture-response', ...answered)).stdout).toBe('Saved.\n')
  expect((await recollect('', 'hooks', 'session-end', '--session-id', 's1', '--duration-ms', '5', '--strict-exit')).code).toBe(0)
  expect(await exported('prompts')).toMatchObject([{ text: 'why is the tide late?', answer: 'The clock was wrong.' }])
  expect(await exported('tool-uses')).toMatchObject([{ tool: 'Bash' }])
})

test('capture-memory saves a note, and inject-context and inject-brief print it', async () => {
  const kept = await recollect(
    '',
    'memory',
    'capture-memory',
    '--content',
    'Tides are kept in UTC.',
    '--hook-type',
    'PostToolUse',
    '--json',
  )
  expect(JSON.parse(kept.stdout)).toMatchObject({ kind: 'added', note: { body: 'Tides are kept in UTC.', tags: ['PostToolUse'] } })
  for (const form of ['inject-context', 'inject-brief'])
    expect((await recollect('', 'memory', form)).stdout).toContain('Tides are kept in UTC')
  expect(JSON.parse((await recollect('', 'memory', 'inject-brief', '--format', 'json')).stdout).tokens).toBeLessThanOrEqual(200)
})

test.each<[string, string, string[]]>([
  ['invalid JSON', 'nonsense', ['hooks', 'post-tool', '--session-id', 's1']],
  ['a missing session', '{}', ['hooks', 'session-end']],
  ['an empty text', '', ['memory', 'capture-memory']],
  ['an unknown action', '', ['memory', 'inject']],
  ['a response without a session', 'text', ['memory', 'capture-response']],
])('%s: exit code 0, and 4 with --strict-exit', async (_, stdin, args) => {
  expect((await recollect(stdin, ...args)).code).toBe(0)
  expect((await recollect(stdin, ...args, '--strict-exit')).code).toBe(4)
})

test('without a worker --strict-exit reports an error, and the event is spooled', async () => {
  await recollect('', 'stop')
  const used = ['hooks', 'post-tool', '--session-id', 's2', '--tool-name', 'Bash']
  expect((await recollect('{"tool_use_id":"t2"}', ...used, '--strict-exit')).code).toBe(1)
  expect((await recollect('{"tool_use_id":"t2"}', ...used)).code).toBe(0)
  expect((await recollect('', 'hooks', '--help')).stdout).toContain('recollect hooks session-start')
})
