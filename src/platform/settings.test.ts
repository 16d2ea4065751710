import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, temporaryFolder } from '../../test/support/builders.ts'
import { changeSettings, type LoadedSettings, loadSettings, type SettingChange, settingTakesEffect } from './settings.ts'

test('without a file, every setting has its default', () => {
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

test('an environment variable overrides the file', () => {
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

test('an invalid value is reported, and the next source is used', () => {
  const { settings, sources, problems } = load({
    user: '[worker]\nport = 4000\n[privacy]\nredact = "no"\n',
    variables: { RECOLLECT_WORKER_PORT: '70000' },
  })
  expect([settings.worker.port, sources['worker.port'], settings.privacy.redact]).toEqual([4000, 'user file', true])
  expect(problems).toHaveLength(2)
  expect(problems[0]).toMatch(/^worker\.port in RECOLLECT_WORKER_PORT: .*; using 4000$/)
  expect(problems[1]).toMatch(/^privacy\.redact in .*; using true$/)
})

test('a file that is not TOML, or cannot be read, is reported and ignored', () => {
  const broken = load({ user: '[worker\nport = ' })
  expect(broken.settings.worker.port).toBe(37777)
  expect(broken.problems).toEqual([expect.stringMatching(/config\.toml is not valid TOML .*; it is ignored$/)])
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, '.recollect', 'config.toml'), { recursive: true })
  const { settings, problems } = loadSettings(environment(folder.path))
  expect(settings.worker.port).toBe(37777)
  expect(problems).toEqual([expect.stringMatching(/config\.toml is unreadable .*; it is ignored$/)])
})

test('an unknown key is reported, because it may be a typing error', () => {
  const { problems } = load({ user: 'colour = "red"\n[worker]\nprot = 1\n[hooks.stop]\nx = 1\n' })
  expect(problems.map((problem) => problem.split(' ', 1)[0])).toEqual(['colour', 'worker.prot', 'hooks.stop.x'])
})

test('a section that is not a table does not affect the others', () => {
  const { settings, problems } = load({ user: 'worker = 5\nhooks = []\n[privacy]\nredact = false\n' })
  expect([settings.worker.port, settings.privacy.redact]).toEqual([37777, false])
  expect(problems).toHaveLength(2)
})

test('a variable is converted to the type of its setting', () => {
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
])('%s=%s is reported and changes nothing', (name, value) => {
  const user = '[worker]\nport = 4000\nidle_minutes = 9\n[privacy]\nredact = false\n'
  const { settings, problems } = load({ user, variables: { [name]: value } })
  expect([settings.worker, settings.privacy.redact]).toEqual([{ port: 4000, idle_minutes: 9 }, false])
  expect(problems).toEqual([expect.stringContaining(`in ${name}`)])
})

test('settings of sync and of the team are read when they are used; all others need a restart', () => {
  const { sources } = load({})
  const live = Object.keys(sources).filter((name) => !settingTakesEffect(name).includes('recollect restart'))
  expect(live).toEqual([
    'sync.remote',
    'sync.fetch',
    'sync.push',
    'sync.git_notes',
    'sync.git_notes_sessions',
    'sync.import_native',
    'team.url',
    'team.share',
  ])
  expect(settingTakesEffect('sync.remote')).toBe('The next sync uses it.')
})

describe('changing settings', () => {
  const provider = { name: 'embedder.provider', value: 'minilm' }
  const change = (before: string | null, ...changes: SettingChange[]) => {
    using folder = temporaryFolder()
    const file = join(folder.path, '.recollect', 'config.toml')
    if (before !== null) {
      mkdirSync(join(folder.path, '.recollect'))
      writeFileSync(file, before)
    }
    const result = changeSettings(environment(folder.path), changes)
    return { result, text: readFileSync(file, 'utf8'), reason: result.kind === 'refused' ? result.reason : null }
  }

  test('several settings are written at once, and a missing file is created', () => {
    const { result, text } = change(null, { name: 'embedder.name', value: 'a"b\\c' }, { name: 'embedder.base_url', value: 'http://x/#1' })
    expect(result).toEqual({ kind: 'changed' })
    expect(Bun.TOML.parse(text)).toEqual({ embedder: { name: 'a"b\\c', base_url: 'http://x/#1' } })
  })

  test.each([
    ['embedder = { provider = "static" }\n', /written in a way that cannot be edited safely; .*\[embedder\] by hand: provider = "minilm"$/],
    ['embedder.provider = "static"\n', /by hand: provider = "minilm"$/],
    ['not toml', /config\.toml is not valid TOML \(.*\); correct it first$/],
  ])('the file %j is left alone, and the reason says what to do', (before, reason) => {
    const changed = change(before, { name: 'worker.port', value: 4000 }, provider)
    expect([changed.text, changed.reason]).toEqual([before, expect.stringMatching(reason)])
  })

  test.each<[SettingChange, RegExp]>([
    [{ name: 'worker.prot', value: 1 }, /^"worker\.prot" is not a setting; 'recollect config list' shows all settings$/],
    [{ name: 'worker.port', value: 'many' }, /^worker\.port: must be a whole number from 0 to 65535$/],
    [{ name: 'worker.port', value: 70_000 }, /^worker\.port: must be a whole number from 0 to 65535$/],
    [{ name: 'worker.idle_minutes', value: '0' }, /^worker\.idle_minutes: must be a number above 0$/],
    [{ name: 'retention.audit_days', value: '1.5' }, /^retention\.audit_days: must be a whole number of at least 0$/],
    [{ name: 'privacy.redact', value: 'maybe' }, /^privacy\.redact: must be true or false$/],
    [{ name: 'embedder.provider', value: 'magic' }, /^embedder\.provider: must be one of: static, minilm, http, none$/],
    [{ name: 'embedder.api_key', value: 'sk-1' }, /is a secret: set RECOLLECT_EMBEDDER_API_KEY/],
  ])('%j is refused with the values that are allowed', (wanted, reason) => {
    expect(change('', wanted)).toEqual({ result: expect.anything(), text: '', reason: expect.stringMatching(reason) })
  })
})

function load(given: { user?: string; variables?: Record<string, string> }): LoadedSettings {
  using folder = temporaryFolder()
  if (given.user !== undefined) {
    mkdirSync(join(folder.path, '.recollect'))
    writeFileSync(join(folder.path, '.recollect', 'config.toml'), given.user)
  }
  return loadSettings(environment(folder.path, { overrides: given.variables ?? {} }))
}
