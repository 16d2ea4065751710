import { expect, test } from 'bun:test'
import { environment } from '../../test/support/builders.ts'
import { describeSettings } from './setting-descriptions.ts'
import { loadSettings, shownSettings } from './settings.ts'

test('every setting has an explanation', () => {
  const described = describeSettings()
  const names = shownSettings(loadSettings(environment('/nowhere'))).map(({ name }) => name)
  expect([...described.keys()].sort()).toEqual(names.sort())
  for (const [name, { about }] of described) expect([name, about.length > 10]).toEqual([name, true])
})

test('a setting says what it accepts', () => {
  const described = describeSettings()
  expect(described.get('worker.port')?.form).toEqual({ kind: 'number', min: 0, max: 65_535, isWhole: true })
  expect(described.get('retention.tool_uses_days')?.form).toEqual({ kind: 'number', min: 0, max: null, isWhole: true })
  expect(described.get('hooks.user_prompt.recall')?.form).toEqual({ kind: 'switch' })
  expect(described.get('embedder.provider')?.form).toEqual({ kind: 'choice', choices: ['static', 'minilm', 'http', 'none'] })
  expect(described.get('privacy.patterns')?.form).toEqual({ kind: 'list' })
  expect(described.get('sync.remote')).toMatchObject({
    form: { kind: 'text' },
    variable: 'RECOLLECT_SYNC_REMOTE',
    takesEffect: 'The next sync uses it.',
  })
})
