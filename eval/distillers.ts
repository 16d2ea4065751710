import type { Mode } from '../src/capture/turns.ts'
import { readEnvironment } from '../src/platform/environment.ts'
import { homePaths } from '../src/platform/paths.ts'
import { readPrices } from '../src/platform/prices.ts'
import { loadSettings } from '../src/platform/settings.ts'
import type { TextModel } from '../src/providers/text.ts'
import { openStore } from '../src/store/store.ts'
import { loadMode } from '../src/worker/background-distiller.ts'
import { openModels } from '../src/worker/text-model.ts'

/** Every model in the settings of this home, including fallbacks, each on its own. Its cost is not added to the home's account. */
export async function configuredDistillers(): Promise<{ distillers: { model: TextModel; mode: Mode }[]; reasons: string[] }> {
  const environment = readEnvironment()
  const home = homePaths(environment)
  const { settings } = loadSettings(environment)
  const mode = loadMode(home, settings)
  if (typeof mode === 'string') return { distillers: [], reasons: [mode] }
  const { model } = settings
  const configured = [
    { ...model, fallbacks: [], cheap_name: '' },
    ...(model.cheap_name ? [{ ...model, name: model.cheap_name, fallbacks: [], cheap_name: '' }] : []),
    ...model.fallbacks.map((fallback) => {
      const [, provider = '', name = '', base_url = ''] = /^(\w+):([^@\s]+)(?:@(\S+))?$/.exec(fallback) ?? []
      return { ...model, provider: provider as typeof model.provider, name, base_url, api_key_file: '', fallbacks: [], cheap_name: '' }
    }),
  ]
  const distillers: { model: TextModel; mode: Mode }[] = []
  const reasons: string[] = []
  const prices = readPrices(home.folder)
  const store = await openStore(':memory:')
  for (const one of configured) {
    const opened = await openModels({
      settings: { ...settings, model: one },
      environment,
      home,
      store,
      prices,
      clean: (text) => text,
      logInfo: () => {},
    })
    if (opened.kind === 'ready') distillers.push({ model: opened.model, mode })
    else reasons.push(opened.reason)
  }
  return { distillers, reasons }
}
