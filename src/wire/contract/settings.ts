import { z } from 'zod'
import type { SettingDescription } from '../../platform/setting-descriptions.ts'
import { route } from './route.ts'

export type SettingValue = { name: string; value: unknown; source: string; isSecret: boolean }
/** A setting with what a person needs to change it. */
export type DescribedSetting = SettingValue & SettingDescription
export type SettingsInForce = { settings: DescribedSetting[]; problems: string[]; file: string }

/** @internal */
export const settings = {
  /** List all settings with their values and where each value comes from. */
  'GET /api/settings': route({ readOnly: true }).returns<SettingsInForce>(),
  /** Set or unset a setting in the settings file. `note` says when the change takes effect. */
  'PUT /api/settings': route({
    request: () =>
      z.union([
        z.object({ name: z.string().max(100), unset: z.literal(true) }),
        z.object({ name: z.string().max(100), value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]) }),
      ]),
  }).returns<SettingsInForce & { note: string }, { 400: 'there is no such setting, it is a secret, or the value is not allowed' }>(),
}
