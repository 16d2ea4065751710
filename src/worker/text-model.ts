import { resolve } from 'node:path'
import type { Environment } from '../platform/environment.ts'
import type { Settings } from '../platform/settings.ts'
import { type OpenedTextModel, openTextModel } from '../providers/text.ts'

/** The text model of the settings, with the key from where the person keeps it. A path that is not absolute begins at the home. */
export function textModelOf(settings: Settings, environment: Environment, clean: (text: string) => string): OpenedTextModel {
  const { api_key_file, ...model } = settings.model
  const file = api_key_file === '' ? '' : resolve(environment.home, api_key_file.replace(/^~(?=\/)/, environment.userHome))
  return openTextModel({ ...model, api_key_file: file }, environment.keys, clean)
}
