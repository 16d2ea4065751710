import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')

test('config list shows each value with its source', async () => {
  using at = aHome('[worker]\nidle_minutes = 7\n', { RECOLLECT_WORKER_PORT: '4000' })
  const { stdout } = await at.config('list')
  expect(stdout).toMatch(/^worker\.port +4000 +environment$/m)
  expect(stdout).toMatch(/^worker\.idle_minutes +7 +user file$/m)
  expect(stdout).toMatch(/^retention\.tool_uses_days +\d+ +default$/m)
  expect((await at.config('path')).stdout.trim()).toBe(at.file)
})

test('a settings file in a project folder has no effect', async () => {
  using at = aHome('')
  mkdirSync(join(at.folder, '.recollect'))
  writeFileSync(join(at.folder, '.recollect', 'config.toml'), '[privacy]\nredact = false\n')
  expect((await at.config('list')).stdout).toMatch(/^privacy\.redact +true +default$/m)
  expect((await at.config('get', 'privacy.redact')).stdout.trim()).toBe('true')
})

test('config set and unset change one value and keep the rest of the file', async () => {
  using at = aHome('# mine\n[worker]\nidle_minutes = 7 # short\n')
  expect((await at.config('set', 'worker.idle_minutes', '45')).code).toBe(0)
  expect((await at.config('set', 'privacy.patterns', 'a+,b+')).code).toBe(0)
  expect(readFileSync(at.file, 'utf8')).toBe('# mine\n[worker]\nidle_minutes = 45 # short\n\n[privacy]\npatterns = ["a+", "b+"]\n')
  expect((await at.config('get', 'privacy.patterns')).stdout.trim()).toBe('["a+","b+"]')
  await at.config('unset', 'worker.idle_minutes')
  expect(readFileSync(at.file, 'utf8')).toBe('# mine\n[worker]\n\n[privacy]\npatterns = ["a+", "b+"]\n')
})

test('config with the name of a setting prints its value', async () => {
  using at = aHome('[worker]\nidle_minutes = 7\n')
  expect((await at.config('worker.idle_minutes')).stdout.trim()).toBe('7')
  expect((await at.config('worker.idle_minutes', '9')).stderr).toContain('recollect config set worker.idle_minutes 9')
  expect((await at.config('worker.idel_minutes')).stderr).toContain('did you mean worker.idle_minutes?')
})

test('config set creates the home, with a file that only its owner can read', async () => {
  using at = aHome(null)
  expect((await at.config('set', 'worker.idle_minutes', '45')).code).toBe(0)
  expect(statSync(at.file).mode & 0o777).toBe(0o600)
})

test.each([
  [['get', 'port'], /did you mean worker\.port/],
  [['set', 'worker.port', 'many'], /worker\.port/],
  [['set', 'worker.port'], /no value for worker\.port/],
  [['set', 'embedder.api_key', 'sk-1'], /secret.*RECOLLECT_EMBEDDER_API_KEY/],
  [['sett'], /unknown config action "sett"/],
] as const)('config %j is invalid, and the error says what to do', async (args, message) => {
  using at = aHome('')
  const { code, stderr } = await at.config(...args)
  expect([code, stderr]).toEqual([4, expect.stringMatching(message)])
  expect(readFileSync(at.file, 'utf8')).toBe('')
})

test('config never prints secrets', async () => {
  using at = aHome('[embedder]\napi_key = "sk-very-secret"\n[sync]\nremote = "https://me:hunter2@example.invalid/x.git"\n')
  for (const args of [['list'], ['list', '--json'], ['get', 'embedder.api_key'], ['get', 'sync.remote']])
    expect((await at.config(...args)).stdout).not.toMatch(/very-secret|hunter2/)
})

function aHome(text: string | null, variables: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const home = join(folder.path, text === null ? 'new' : '')
  const file = join(home, 'config.toml')
  if (text !== null) writeFileSync(file, text)
  const env = { HOME: folder.path, RECOLLECT_HOME: home, PATH: '/usr/bin:/bin', ...variables }
  return {
    file,
    folder: folder.path,
    config: async (...args: string[]) => {
      const child = Bun.spawn([RECOLLECT, 'config', ...args], { cwd: folder.path, env, stdio: ['ignore', 'pipe', 'pipe'] })
      const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      return { stdout, stderr, code }
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}
