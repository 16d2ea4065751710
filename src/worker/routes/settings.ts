import { describeSettings } from '../../platform/setting-descriptions.ts'
import { changeSettings, loadSettings, settingTakesEffect, shownSettings } from '../../platform/settings.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import type { SettingsInForce, settings } from '../../wire/contract/settings.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'

export const handlers = {
  'GET /api/settings': (services) => settingsInForce(services),
  'PUT /api/settings': saveSetting,
} satisfies Handlers<typeof settings>

/** Every setting as the file and the worker's environment define it now. */
function settingsInForce({ environment, home }: Services): SettingsInForce {
  const loaded = loadSettings(environment)
  const described = describeSettings()
  const settings = shownSettings(loaded).flatMap((setting) => {
    const description = described.get(setting.name)
    return description ? [{ ...setting, ...description }] : []
  })
  return { settings, problems: loaded.problems, file: home.config }
}

async function saveSetting(services: Services, change: ParsedRequest<typeof settings, 'PUT /api/settings'>) {
  const changed = changeSettings(services.environment, [change])
  if (changed.kind === 'refused') throw new BadRequest(changed.reason)
  const subject = change.name
  const action = 'unset' in change ? 'unset-setting' : 'set-setting'
  await services.store.transaction(() => services.store.audit.add({ at: Date.now(), action, subject, details: {} }))
  const now = settingsInForce(services)
  const isOverridden = now.settings.some(({ name, source }) => name === subject && source === 'environment')
  const note = isOverridden ? 'Saved, but an environment variable of the worker overrides it.' : `Saved. ${settingTakesEffect(subject)}`
  return { ...now, note }
}
