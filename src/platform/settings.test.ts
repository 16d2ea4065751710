import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, temporaryFolder } from '../../test/support/builders.ts'
import { type LoadedSettings, loadSettings } from './settings.ts'

test('without a file everything has its default', () => {
  const { settings, sources, problems } = load({})
  expect(problems).toEqual([])
  expect(settings).toMatchObject({
    worker: { port: 37777, idle_minutes: 30 },
    hooks: {
      session_start: { enabled: true, token_budget: 2000 },
      user_prompt: { enabled: true },
      post_tool_use: { enabled: true, skip_tools: [], exclude_patterns: [] },
    },
    retention: { tool_uses_days: 30 },
    privacy: { redact: true, patterns: [], exclude_projects: [] },
  })
  expect(new Set(Object.values(sources))).toEqual(new Set(['default']))
})

test('the environment wins over the person’s file', () => {
  const { settings, sources, problems } = load({
    user: '[worker]\nport = 1\nidle_minutes = 1.5\n',
    variables: { RECOLLECT_WORKER_PORT: '3' },
  })
  expect(problems).toEqual([])
  expect(settings.worker).toEqual({ port: 3, idle_minutes: 1.5 })
  expect(sources).toMatchObject({
    'worker.port': 'environment',
    'worker.idle_minutes': 'user file',
    'privacy.redact': 'default',
  })
})

test('a value that cannot be used is named, and the next source decides', () => {
  const { settings, sources, problems } = load({
    user: '[worker]\nport = 4000\n[privacy]\nredact = "no"\n',
    variables: { RECOLLECT_WORKER_PORT: '70000' },
  })
  expect([settings.worker.port, sources['worker.port'], settings.privacy.redact]).toEqual([4000, 'user file', true])
  expect(problems).toHaveLength(2)
  expect(problems[0]).toMatch(/^worker\.port in RECOLLECT_WORKER_PORT: .*; using 4000$/)
  expect(problems[1]).toMatch(/^privacy\.redact in .*; using true$/)
})

test('a file that is no TOML, or no file at all, is named and ignored', () => {
  const broken = load({ user: '[worker\nport = ' })
  expect(broken.settings.worker.port).toBe(37777)
  expect(broken.problems).toEqual([expect.stringMatching(/config\.toml is not valid TOML .*; it is ignored$/)])
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, '.recollect', 'config.toml'), { recursive: true })
  const { settings, problems } = loadSettings(environment(folder.path))
  expect(settings.worker.port).toBe(37777)
  expect(problems).toEqual([expect.stringMatching(/config\.toml is unreadable .*; it is ignored$/)])
})

test('a key nobody knows is named: it may be a typing error', () => {
  const { problems } = load({ user: 'colour = "red"\n[worker]\nprot = 1\n[hooks.stop]\nx = 1\n' })
  expect(problems.map((problem) => problem.split(' ', 1)[0])).toEqual(['colour', 'worker.prot', 'hooks.stop.x'])
})

test('a section that is no section takes nothing with it', () => {
  const { settings, problems } = load({ user: 'worker = 5\nhooks = []\n[privacy]\nredact = false\n' })
  expect([settings.worker.port, settings.privacy.redact]).toEqual([37777, false])
  expect(problems).toHaveLength(2)
})

test('variables are text and become what their setting is', () => {
  const { settings, problems } = load({
    variables: {
      RECOLLECT_WORKER_IDLE_MINUTES: '0.5',
      RECOLLECT_PRIVACY_REDACT: 'False',
      RECOLLECT_HOOKS_SESSION_START_ENABLED: '0',
      RECOLLECT_HOOKS_POST_TOOL_USE_SKIP_TOOLS: ' Read, Grep ,,',
      RECOLLECT_HOME: '/elsewhere',
    },
  })
  expect(problems).toEqual([])
  expect(settings.worker.idle_minutes).toBe(0.5)
  expect([settings.privacy.redact, settings.hooks.session_start.enabled]).toEqual([false, false])
  expect(settings.hooks.post_tool_use.skip_tools).toEqual(['Read', 'Grep'])
})

test.each([
  ['RECOLLECT_WORKER_PORT', 'abc'],
  ['RECOLLECT_WORKER_PORT', ''],
  ['RECOLLECT_WORKER_PORT', '37777.5'],
  ['RECOLLECT_WORKER_IDLE_MINUTES', '-1'],
  ['RECOLLECT_WORKER_IDLE_MINUTES', 'Infinity'],
  ['RECOLLECT_PRIVACY_REDACT', 'nope'],
  ['RECOLLECT_PRIVACY_REDACT', ''],
])('%s=%s is named and changes nothing', (name, value) => {
  const user = '[worker]\nport = 4000\nidle_minutes = 9\n[privacy]\nredact = false\n'
  const { settings, problems } = load({ user, variables: { [name]: value } })
  expect([settings.worker, settings.privacy.redact]).toEqual([{ port: 4000, idle_minutes: 9 }, false])
  expect(problems).toEqual([expect.stringContaining(`in ${name}`)])
})

function load(given: { user?: string; variables?: Record<string, string> }): LoadedSettings {
  using folder = temporaryFolder()
  if (given.user !== undefined) {
    mkdirSync(join(folder.path, '.recollect'))
    writeFileSync(join(folder.path, '.recollect', 'config.toml'), given.user)
  }
  return loadSettings(environment(folder.path, { overrides: given.variables ?? {} }))
}
