import { expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { transcript } from './support/transcript.ts'
import { until } from './support/until.ts'

const RECOLLECT = join(import.meta.dir, '..', 'bin', 'recollect')

/** A home without a worker, and hooks in it. */
function aHome() {
  const folder = mkdtempSync('/tmp/recollect-')
  const home = join(folder, '.recollect')
  const env = { PATH: process.env.PATH ?? '', HOME: folder, RECOLLECT_WORKER_PORT: '0' }
  const run = async (args: string[], input = '', more: Record<string, string> = {}) => {
    const child = Bun.spawn([RECOLLECT, ...args], { env: { ...env, ...more }, stdin: new Blob([input]), stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { stdout, stderr, code }
  }
  let count = 0
  const hook = (event: string, fields: object = {}, more: Record<string, string> = {}) => {
    const use = { tool_name: 'Bash', tool_use_id: `t${++count}`, tool_input: { command: `echo ${count}` }, tool_response: { stdout: '' } }
    const payload = { session_id: 's1', cwd: '/p', source: 'startup', prompt: `go ${count}`, reason: 'other', ...use, ...fields }
    return run(['hook', 'claude-code', event], JSON.stringify({ ...payload, hook_event_name: event }), more)
  }
  const pid = () => (JSON.parse(readFileSync(join(home, 'run', 'worker.json'), 'utf8')) as { pid: number }).pid
  return {
    folder,
    home,
    run,
    hook,
    pid,
    spooled: () => (existsSync(join(home, 'spool')) ? readdirSync(join(home, 'spool')).length : 0),
    isRunning: async () => (await fetch('http://worker/health', { unix: join(home, 'run', 'worker.sock') }).catch(() => null))?.ok === true,
    toolUses: async () => Bun.JSONL.parse((await run(['export', '--kind', 'tool-uses', '--json'])).stdout).length,
    [Symbol.asyncDispose]: async () => {
      if (existsSync(join(home, 'run', 'worker.json'))) process.kill(pid(), 'SIGCONT')
      await run(['stop'])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

test.each(['PostToolUse', 'PostToolUseFailure', 'PreCompact', 'SubagentStop', 'Notification', 'UserPromptSubmit'])(
  'a hook for %s that finds no worker writes to the spool, prints nothing to see and starts the worker',
  async (event) => {
    await using at = aHome()
    expect(await at.hook(event)).toEqual({ stdout: '{}', stderr: '', code: 0 })
    await until(async () => (await at.isRunning()) && at.spooled() === 0)
  },
  300_000,
)

test('after `recollect stop` hooks only write to the spool, until the next session starts', async () => {
  await using at = aHome()
  await at.run(['start'])
  expect((await at.run(['stop'])).stdout).toContain("until the next session starts, or until you run 'recollect start'")
  for (const event of ['UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd'])
    expect(await at.hook(event)).toEqual({ stdout: '{}', stderr: '', code: 0 })
  expect(at.spooled()).toBe(4)
  expect(await at.isRunning()).toBe(false)
  expect(await at.hook('SessionStart')).toMatchObject({ code: 0, stderr: '' })
  await until(async () => (await at.isRunning()) && at.spooled() === 0)
  process.kill(at.pid(), 'SIGKILL')
  await until(async () => !(await at.isRunning()))
  await at.hook('PostToolUse')
  await until(async () => (await at.isRunning()) && at.spooled() === 0)
  expect(await at.toolUses()).toBe(2)
}, 300_000)

test('`recollect restart` and a command that needs the worker end the effect of `recollect stop`', async () => {
  await using at = aHome()
  const mark = join(at.home, 'run', 'stopped')
  await at.run(['start'])
  await at.run(['restart'])
  expect(existsSync(mark)).toBe(false)
  await at.run(['stop'])
  expect(existsSync(mark)).toBe(true)
  await at.run(['status'])
  expect(existsSync(mark)).toBe(false)
}, 300_000)

test('only one hook waits for a frozen worker; the others write to the spool at once, and are delivered when it continues', async () => {
  await using at = aHome()
  await at.run(['start'])
  const mark = join(at.home, 'run', 'late')
  process.kill(at.pid(), 'SIGSTOP')
  expect(await at.hook('PostToolUse')).toEqual({ stdout: '{}', stderr: '', code: 0 })
  // Some seconds ahead, because a busy machine may need longer for the next hooks than the mark lasts.
  const markedAt = Math.floor(Date.now() / 1000) * 1000 + 8000
  utimesSync(mark, new Date(markedAt), new Date(markedAt))
  for (const event of ['SessionStart', 'PostToolUse', 'PostToolUse']) await at.hook(event)
  // A hook that waits in vain writes the mark again.
  expect(statSync(mark).mtimeMs).toBe(markedAt)
  expect(at.spooled()).toBe(4)
  process.kill(at.pid(), 'SIGCONT')
  await until(() => at.spooled() === 0 && !existsSync(mark))
  expect(await at.toolUses()).toBe(3)
}, 300_000)

test('a hook waits longer for a slow worker if RECOLLECT_HOOK_WAIT_MS allows it', async () => {
  await using at = aHome()
  await at.run(['start'])
  const pid = at.pid()
  process.kill(pid, 'SIGSTOP')
  const asked = at.hook('PostToolUse', {}, { RECOLLECT_HOOK_WAIT_MS: '30000' })
  await Bun.sleep(1500)
  expect(at.spooled()).toBe(0)
  process.kill(pid, 'SIGCONT')
  expect((await asked).code).toBe(0)
  expect([at.spooled(), await at.toolUses()]).toEqual([0, 1])
}, 300_000)

test('the mark of a late answer expires, so a worker that died afterwards is started again', async () => {
  await using at = aHome()
  await at.run(['start'])
  const mark = join(at.home, 'run', 'late')
  process.kill(at.pid(), 'SIGKILL')
  writeFileSync(mark, '')
  utimesSync(mark, new Date(), new Date(Date.now() - 11_000))
  await at.hook('PostToolUse')
  await until(async () => (await at.isRunning()) && at.spooled() === 0)
}, 300_000)

test('RECOLLECT=off keeps a session out of memory: its hooks, and its transcript when it is imported later', async () => {
  await using at = aHome()
  await at.run(['start'])
  const off = { RECOLLECT: 'off' }
  for (const event of ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd'])
    expect(await at.hook(event, { session_id: 'quiet' }, off)).toEqual({ stdout: '{}', stderr: '', code: 0 })
  await at.hook('PostToolUse', { session_id: 'loud' })
  const turns = [{ prompt: 'the merger with Umbra', commands: ['ls'], answer: 'Umbra.' }]
  const [quiet, loud] = ['quiet', 'loud'].map((id) => join(at.folder, `${id}.jsonl`)) as [string, string]
  writeFileSync(quiet, transcript('quiet', turns, { cwd: '/p' }))
  writeFileSync(loud, transcript('loud', [{ prompt: 'the harbour', commands: ['ls'], answer: 'Done.' }], { cwd: '/p' }))
  await at.run(['import', quiet, loud])
  const prompts = (await at.run(['export', '--kind', 'prompts', '--json'])).stdout
  expect(prompts).toContain('the harbour')
  expect(prompts).not.toContain('Umbra')
  expect(at.spooled()).toBe(0)
  const sessions = (await at.run(['export', '--kind', 'sessions', '--json'])).stdout
  expect(sessions).not.toContain('quiet')
  expect(statSync(join(at.home, 'off-sessions')).mode & 0o777).toBe(0o600)
}, 300_000)
