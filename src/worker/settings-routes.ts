import { loadSettings, settingTakesEffect, shownSettings, changeSettings as writeSettings } from '../platform/settings.ts'
import * as api from '../wire/api.ts'
import type { SettingsInForce } from '../wire/view.ts'
import { parseBody } from './request-params.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

/** Every setting as the file and the worker's environment have it now. */
export function settingsInForce(desk: Services): SettingsInForce {
  const loaded = loadSettings(desk.environment)
  return { settings: shownSettings(loaded), problems: loaded.problems, file: desk.home.config }
}

/** Changes one setting in the person's file. `note` says when it takes effect, or that an environment variable overrides it. */
export async function changeSettings(desk: Services, request: Request): Promise<Response> {
  const change = await parseBody(request, api.readSettingChange)
  const changed = writeSettings(desk.environment, [change])
  if (changed.kind === 'refused') throw new BadRequest(changed.reason)
  const subject = change.name
  const action = 'unset' in change ? 'unset-setting' : 'set-setting'
  await desk.store.transaction(() => desk.store.audit.add({ at: Date.now(), action, subject, details: {} }))
  const now = settingsInForce(desk)
  const isOverruled = now.settings.some(({ name, source }) => name === subject && source === 'environment')
  const note = isOverruled ? 'Written, but an environment variable of the worker overrides it.' : `Written. ${settingTakesEffect(subject)}`
  return Response.json({ ...now, note })
}
