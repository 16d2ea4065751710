import { describe, expect, test } from 'bun:test'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import type { DescribedSetting } from '../wire/contract/settings.ts'
import { SettingsPage } from './settings.tsx'
import { toast, undoLastAction } from './user-actions.ts'

const setting = (name: string, value: unknown, form: object, given: object = {}) =>
  ({
    name,
    value,
    fallback: value,
    source: 'default',
    about: `About ${name}.`,
    isSecret: false,
    takesEffect: '',
    variable: `RECOLLECT_${name.toUpperCase()}`,
    form,
    ...given,
  }) as DescribedSetting
const recall = setting('hooks.user_prompt.recall', true, { kind: 'switch' })
const days = setting('retention.days', 30, { kind: 'number', min: 1, max: null, isWhole: true })

function worker(...settings: DescribedSetting[]): WorkerAnswers {
  return {
    'GET /api/settings': { settings, problems: [], file: '/home/you/settings.toml' },
    'PUT /api/settings': { note: 'Saved. Restart the worker to apply it.' },
  }
}
const sent = (page: { requestsTo(route: 'PUT /api/settings'): { body: object }[] }) =>
  page.requestsTo('PUT /api/settings').map(({ body }) => body)

describe('a setting', () => {
  test('is saved at once, and undoing a change from the default removes it from the file', async () => {
    await using page = await openPage(SettingsPage, '/settings', worker(recall))
    await page.check('hooks.user_prompt.recall', false)
    expect(toast.value?.text).toBe('Saved. Restart the worker to apply it.')
    await undoLastAction()
    expect(sent(page)).toEqual([
      { name: 'hooks.user_prompt.recall', value: false },
      { name: 'hooks.user_prompt.recall', unset: true },
    ])
  })

  test('that was in the file gets its old value back, or the default', async () => {
    await using page = await openPage(SettingsPage, '/settings', worker({ ...days, value: 45, source: 'user file' }))
    await page.fill('retention.days', '60')
    await undoLastAction()
    await page.click('Use the default of retention.days')
    expect(toast.value?.text).toBe('Back to 30.')
    await undoLastAction()
    const name = 'retention.days'
    expect(sent(page)).toEqual([
      { name, value: 60 },
      { name, value: 45 },
      { name, unset: true },
      { name, value: 45 },
    ])
  })

  test('that is left as it was, or emptied, is not saved', async () => {
    await using page = await openPage(SettingsPage, '/settings', worker(days))
    for (const value of ['30', '']) await page.fill('retention.days', value)
    expect(sent(page)).toEqual([])
  })

  test('that is refused shows its old state again', async () => {
    await using page = await openPage(SettingsPage, '/settings', {
      ...worker(recall),
      'PUT /api/settings': () => Response.json({ error: 'not allowed' }, { status: 400 }),
    })
    await page.check('hooks.user_prompt.recall', false)
    expect(page.field('hooks.user_prompt.recall').checked).toBe(true)
    expect(toast.value).toMatchObject({ text: 'not allowed', isError: true })
  })

  test('of several lines is a list without empty ones', async () => {
    await using page = await openPage(SettingsPage, '/settings', worker(setting('privacy.patterns', ['a'], { kind: 'list' })))
    await page.fill('privacy.patterns', ' tide-\\d+ \n\n b')
    expect(sent(page)).toEqual([{ name: 'privacy.patterns', value: ['tide-\\d+', 'b'] }])
  })

  test('is chosen or typed, as it accepts', async () => {
    await using page = await openPage(
      SettingsPage,
      '/settings',
      worker(
        setting('embedder.provider', 'minilm', { kind: 'choice', choices: ['minilm', 'none'] }),
        setting('sync.remote', '', { kind: 'text' }),
      ),
    )
    await page.fill('embedder.provider', 'none')
    await page.fill('sync.remote', ' git@host:notes ')
    expect(sent(page)).toEqual([
      { name: 'embedder.provider', value: 'none' },
      { name: 'sync.remote', value: 'git@host:notes' },
    ])
  })

  test('from the environment cannot be changed here, and a secret is not shown', async () => {
    await using page = await openPage(
      SettingsPage,
      '/settings',
      worker(
        { ...days, source: 'environment' },
        setting('model.key', 'sk-very-secret', { kind: 'text' }, { isSecret: true, source: 'user file' }),
      ),
    )
    expect(page.field('retention.days').disabled).toBe(true)
    expect(page.text).toContain('set by RECOLLECT_RETENTION.DAYS')
    expect([page.field('model.key').value, page.field('model.key').disabled]).toEqual(['set', true])
    expect(page.hasControl('Use the default of model.key')).toBe(false)
  })
})

test('settings are found by name or explanation, under the title of their section', async () => {
  await using page = await openPage(SettingsPage, '/settings', worker(recall, days, setting('unheard.of', 1, { kind: 'number' })))
  expect(page.texts('.settings-section h2')).toEqual(['With each prompt', 'Retention', 'unheard'])
  await page.typeInto('Find a setting', ' ABOUT retention')
  expect(page.texts('.setting label')).toEqual(['retention.days'])
  await page.typeInto('Find a setting', 'nonsense')
  expect(page.text).toContain('No setting has that name.')
})
