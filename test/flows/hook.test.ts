import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { garbage } from '../support/garbage.ts'
import { transcript } from '../support/transcript.ts'

const ROOT = join(import.meta.dir, '..', '..')
const PAYLOADS = join(ROOT, 'test/fixtures/hook-payloads')
const fixtures = readdirSync(PAYLOADS).filter((name) => name !== 'index.json')

/** A home with or without a worker, in which the hook process runs. */
function aHome(port = '0') {
  const folder = mkdtempSync('/tmp/recollect-')
  const env = { PATH: process.env.PATH ?? '', HOME: folder, RECOLLECT_HOME: join(folder, 'r'), RECOLLECT_WORKER_PORT: port }
  const run = async (args: string[], stdin: string | Uint8Array<ArrayBuffer>) => {
    const child = Bun.spawn([join(ROOT, 'bin/recollect'), ...args], { env, stdin: new Blob([stdin]), stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { stdout, stderr, code, processorMs: Number(child.resourceUsage()?.cpuTime.total ?? 0n) / 1000 }
  }
  return {
    home: env.RECOLLECT_HOME,
    /** From now on hooks find no worker and start none. */
    stop: async () => {
      mkdirSync(env.RECOLLECT_HOME, { recursive: true, mode: 0o700 })
      await run(['stop'], '')
    },
    /** Runs the hook for a client that writes its payload in chunks, with a pause after each, and closes the pipe or does not. */
    slowHook: async (pieces: string[], pauseMs: number, closes: boolean, ...args: string[]) => {
      const child = Bun.spawn([join(ROOT, 'bin/recollect'), 'hook', ...args], { env, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' })
      for (const piece of pieces) {
        child.stdin.write(piece)
        await child.stdin.flush()
        await Bun.sleep(pauseMs)
      }
      if (closes) await child.stdin.end()
      const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      return { stdout, stderr, code }
    },
    recollect: (...args: string[]) => run(args, ''),
    hook: (stdin: string | Uint8Array<ArrayBuffer>, ...args: string[]) => run(['hook', 'claude-code', ...args], stdin),
    [Symbol.asyncDispose]: async () => {
      await run(['stop'], '')
      chmodSync(folder, 0o700)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const CONTEXT_EVENTS = ['SessionStart', 'UserPromptSubmit', 'PostToolUse']

/** Replies that the client accepts: an object, with context only for the events that allow it. */
function expectHostValid(stdout: string, event: string): void {
  const reply = JSON.parse(stdout) as Record<string, unknown>
  expect(Object.keys(reply).filter((key) => !['hookSpecificOutput', 'systemMessage'].includes(key))).toEqual([])
  const specific = reply.hookSpecificOutput as { hookEventName: string; additionalContext: string } | undefined
  if (!specific) return
  expect(CONTEXT_EVENTS).toContain(event)
  expect(specific.hookEventName).toBe(event)
  expect(typeof specific.additionalContext).toBe('string')
}

test('every event of the client is accepted and answered in its schema', async () => {
  await using at = aHome()
  await at.recollect('start')
  for (const name of fixtures) {
    const payload = readFileSync(join(PAYLOADS, name), 'utf8')
    const ran = await at.hook(payload)
    expect({ name, code: ran.code, stderr: ran.stderr }).toEqual({ name, code: 0, stderr: '' })
    expectHostValid(ran.stdout, (JSON.parse(payload) as { hook_event_name: string }).hook_event_name)
  }
  const status = JSON.parse((await at.recollect('status', '--json')).stdout) as { unstoredEvents: number; sessions: { all: number } }
  expect(status.unstoredEvents).toBe(0)
  expect(status.sessions.all).toBeGreaterThan(5)
}, 300_000)

const hostile: [string, string | Uint8Array<ArrayBuffer>][] = [
  ['nothing', ''],
  ['a newline', '\n'],
  ['half a payload', readFileSync(join(PAYLOADS, 'PostToolUse.Edit.json'), 'utf8').slice(0, 300)],
  [
    'twenty megabytes',
    JSON.stringify({
      session_id: 'big',
      cwd: '/p',
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_use_id: 'b1',
      tool_input: { command: 'x' },
      tool_response: { stdout: 'x'.repeat(20_000_000) },
    }),
  ],
  ['bytes that are no text', garbage(65_536)],
  ['a list', '[1,2,3]'],
  ['a number', '42'],
  ['null', 'null'],
  ['a string', '"SessionStart"'],
  ['no session', '{"hook_event_name":"Stop"}'],
  ['wrong types', '{"session_id":7,"cwd":[],"hook_event_name":{"a":1},"prompt":null}'],
  [
    'wrong types in the right event',
    '{"session_id":"s","cwd":5,"hook_event_name":"PostToolUse","tool_name":{},"tool_use_id":[],"tool_input":"x"}',
  ],
  ['an unknown event', '{"session_id":"s","cwd":"/p","hook_event_name":"MoonRise"}'],
  ['a session that climbs', '{"session_id":"../../etc/passwd","cwd":"/p","hook_event_name":"SessionStart","source":"startup"}'],
  [
    'deep nesting',
    `{"session_id":"s","cwd":"/p","hook_event_name":"UserPromptSubmit","prompt":"x","y":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
  ],
  [
    'two megabytes of opening tags',
    JSON.stringify({ session_id: 's', cwd: '/p', hook_event_name: 'UserPromptSubmit', prompt: '<private>'.repeat(230_000) }),
  ],
]

for (const worker of ['with a worker', 'without a worker']) {
  describe(worker, () => {
    const at = aHome()
    beforeAll(async () => {
      if (worker === 'with a worker') await at.recollect('start')
      else await at.stop()
    })
    afterAll(() => at[Symbol.asyncDispose]())
    for (const [name, stdin] of hostile) {
      test(`${name} on stdin: valid JSON and exit 0`, async () => {
        const ran = await at.hook(stdin)
        expect([ran.code, ran.stderr]).toEqual([0, ''])
        expectHostValid(ran.stdout, 'none')
      })
    }
    if (worker === 'with a worker') {
      test('the worker still works afterwards', async () => {
        expect((await at.recollect('status', '--json')).code).toBe(0)
      })
    }
  })
}

test('a client that writes the payload slowly gets an answer', async () => {
  await using at = aHome()
  await at.recollect('start')
  const send = async (attempt: number) => {
    const prompt = { prompt: '[decision] Use tabs in every file', prompt_id: `p${attempt}` }
    const payload = JSON.stringify({ session_id: `s${attempt}`, cwd: '/p', hook_event_name: 'UserPromptSubmit', ...prompt })
    return at.slowHook([payload.slice(0, 60), payload.slice(60)], 400, true, 'claude-code', 'UserPromptSubmit')
  }
  // On a busy machine the worker may miss the deadline, which is not about the slow payload: then another one is sent.
  let attempts = 1
  let ran = await send(attempts)
  while (ran.stdout === '{}' && attempts < 5) ran = await send(++attempts)
  expect(ran).toMatchObject({ stdout: expect.stringContaining('Use tabs in every file'), stderr: '', code: 0 })
  const spool = join(at.home, 'spool')
  if (attempts === 1) expect(existsSync(spool) ? readdirSync(spool) : []).toEqual([])
}, 300_000)

test('the hook does not wait for a payload that never ends', async () => {
  await using at = aHome()
  const half = '{"session_id":"s1","hook_event_name":"Stop"'
  const [hook, form] = await Promise.all([
    at.slowHook([half], 0, false, 'claude-code', 'Stop'),
    at.slowHook([half], 0, false, 'prompt-submit', '--strict-exit'),
  ])
  expect(hook).toEqual({ stdout: '{}', stderr: '', code: 0 })
  expect(form).toEqual({ stdout: '{}', stderr: '', code: 2 })
}, 300_000)

test('an unknown or missing agent gets an answer', async () => {
  await using at = aHome()
  await at.recollect('start')
  const payload = readFileSync(join(PAYLOADS, 'Stop.json'), 'utf8')
  for (const args of [['hook'], ['hooks', 'claude-code'], ['hook', 'codex'], ['hook', '../x'], ['hook', 'claude-code', 'Stop']]) {
    const child = Bun.spawn([join(ROOT, 'bin/recollect'), ...args], {
      env: { PATH: process.env.PATH ?? '', HOME: at.home, RECOLLECT_HOME: at.home },
      stdin: new Blob([payload]),
      stdout: 'pipe',
    })
    expect(JSON.parse(await child.stdout.text())).toEqual({})
    expect(await child.exited).toBe(0)
  }
}, 300_000)

test('spooled events contain no private parts, and only their owner can read them', async () => {
  await using at = aHome()
  await at.stop()
  const payload = JSON.stringify({
    session_id: 's1',
    cwd: '/p',
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_use_id: 't1',
    tool_input: { command: 'echo <private>swordfish</private> ok' },
    tool_response: { stdout: '<private>swordfish' },
  })
  expect((await at.hook(payload)).stdout).toBe('{}')
  const [file] = readdirSync(join(at.home, 'spool'))
  const text = readFileSync(join(at.home, 'spool', file ?? ''), 'utf8')
  expect(text).not.toContain('swordfish')
  expect(text).toContain('ok')
  expect(
    Bun.file(join(at.home, 'spool', file ?? ''))
      .stat()
      .then((s) => s.mode & 0o777),
  ).resolves.toBe(0o600)
})

test('a person’s own patterns and excluded projects also apply to the spool', async () => {
  await using at = aHome()
  const secret = join(at.home, '..', 'secret')
  mkdirSync(secret, { recursive: true })
  await Bun.write(join(at.home, 'config.toml'), `[privacy]\npatterns = ["ORCHID-\\\\d+"]\nexclude_projects = ["${secret}"]\n`)
  await at.recollect('start')
  await at.recollect('stop')
  const event = { session_id: 's1', hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'ls' } }
  const spooled = () => {
    const folder = join(at.home, 'spool')
    return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  }
  await at.hook(JSON.stringify({ ...event, cwd: '/p', tool_response: { stdout: 'see ORCHID-4711 here' } }))
  expect(spooled()).toEqual([expect.stringContaining('see [redacted:custom] here')])
  await at.hook(JSON.stringify({ ...event, cwd: join(secret, 'deep'), tool_response: { stdout: 'of the excluded project' } }))
  expect(spooled()).toHaveLength(1)
  await Bun.write(join(at.home, 'run', 'privacy.json'), '{"half')
  await at.hook(JSON.stringify({ ...event, cwd: '/p', tool_response: { stdout: 'rules unknown' } }))
  expect(spooled()).toHaveLength(1)
}, 300_000)

test('payloads that are too deep or too large do not block, and the transcript is read instead', async () => {
  await using at = aHome()
  await at.stop()
  const file = join(at.home, '..', 's9.jsonl')
  await Bun.write(file, transcript('s9', [{ prompt: 'print it all', commands: ['cat huge'], answer: 'Printed.' }], { cwd: '/p' }))
  const start = `{"session_id":"s9","transcript_path":${JSON.stringify(file)},"cwd":"/p","hook_event_name":"PostToolUse","tool_name":"Bash",`
  const rest = (response: string) => `${start}"tool_use_id":"s9-t0-0","tool_input":{"command":"cat huge"},"tool_response":${response}}`
  for (const response of ['['.repeat(100_000) + ']'.repeat(100_000), JSON.stringify({ stdout: 'swordfish '.repeat(4_000_000) })]) {
    const { stdout, processorMs } = await at.hook(rest(response), 'PostToolUse')
    expect(stdout).toBe('{}')
    expect(processorMs).toBeWithin(1, 1500)
  }
  const spooled = readdirSync(join(at.home, 'spool')).map((name) => readFileSync(join(at.home, 'spool', name), 'utf8'))
  expect(spooled).toHaveLength(2)
  for (const text of spooled) expect(text.length).toBeLessThan(1000)
  await at.recollect('start')
  const uses = async () => (await at.recollect('export', '--kind', 'tool-uses', '--json')).stdout
  for (let tries = 0; tries < 100 && !(await uses()).includes('cat huge'); tries++) await Bun.sleep(50)
  expect(await uses()).toContain('cat huge')
}, 300_000)

test('a home that is a file does not stop the client', async () => {
  await using at = aHome()
  mkdirSync(join(at.home, '..'), { recursive: true })
  await Bun.write(at.home, 'I am a file')
  for (const name of ['SessionStart.startup.json', 'PostToolUse.Bash.json', 'SessionEnd.other.json']) {
    const ran = await at.hook(readFileSync(join(PAYLOADS, name), 'utf8'))
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, '{}', ''])
  }
  const doctor = await at.recollect('doctor', '--json')
  const { findings } = JSON.parse(doctor.stdout) as { findings: { what: string; state: string; says: string }[] }
  expect(findings.find((finding) => finding.what === 'Home')?.state).toBe('broken')
}, 300_000)
