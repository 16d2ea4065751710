import { changeSetting, loadSettings, shownSettings } from '../platform/settings.ts'
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

/** Changes one setting in the person's file. `note` says when it holds, and whether something stands above it. */
export async function changeSettings(desk: Services, request: Request): Promise<Response> {
  const change = await parseBody(request, api.readSettingChange)
  const changed = changeSetting(desk.environment, change)
  if (changed.kind === 'refused') throw new BadRequest(changed.reason)
  const subject = change.name
  const action = 'unset' in change ? 'unset-setting' : 'set-setting'
  await desk.store.transaction(() => desk.store.audit.add({ at: Date.now(), action, subject, details: {} }))
  const now = settingsInForce(desk)
  const isOverruled = now.settings.some(({ name, source }) => name === subject && source === 'environment')
  const note = isOverruled
    ? 'Written, but a variable in the environment of the worker says something else and stands above it.'
    : 'Written. It holds after recollect restart.'
  return Response.json({ ...now, note })
}
