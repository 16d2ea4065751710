import { closestName } from '../core/closest-name.ts'
import { readEnvironment } from '../platform/environment.ts'
import { homePaths } from '../platform/paths.ts'
import {
  changeSettings,
  loadSettings,
  type SettingChange,
  type ShownSetting,
  settingTakesEffect,
  shownSettings,
} from '../platform/settings.ts'
import { parse } from './parse.ts'
import { CliError, dim, EXIT, say, sayJson, table, yellow } from './print.ts'

/** Reads and writes the person's own file; no worker is needed for it. */
export async function run(args: string[]): Promise<undefined> {
  const { values, positionals } = parse('config', args)
  const [deed = 'list', name, ...words] = positionals
  const json = values.json ?? false
  switch (deed) {
    case 'list':
      return list(json)
    case 'path': {
      const { config } = homePaths()
      return json ? sayJson({ path: config }) : say(config)
    }
    case 'get': {
      const setting = findSetting(name)
      return json ? sayJson(setting) : say(valueText(setting))
    }
    case 'set':
      if (words.length === 0) throw new CliError(`to what? recollect config set ${findSetting(name).name} <value>`, EXIT.invalid)
      return changeAndPrint({ name: findSetting(name).name, value: words.join(' ') }, json)
    case 'unset':
      return changeAndPrint({ name: findSetting(name).name, unset: true }, json)
    default:
      throw new CliError(`there is no config ${deed}; 'recollect help config' shows what there is`, EXIT.invalid)
  }
}

function list(json: boolean): undefined {
  const loaded = loadSettings()
  const settings = shownSettings(loaded)
  if (json) return sayJson({ settings, problems: loaded.problems, file: homePaths().config })
  say(table(settings.map((one) => [one.name, valueText(one), one.source === 'default' ? dim(one.source) : one.source])))
  for (const problem of loaded.problems) say(yellow(problem))
}

function findSetting(name: string | undefined): ShownSetting {
  const settings = shownSettings(loadSettings())
  const found = settings.find((setting) => setting.name === name)
  if (found) return found
  const names = settings.map((one) => one.name)
  const part = name ? names.filter((one) => one.endsWith(`.${name}`) || one.startsWith(`${name}.`)) : []
  const near = part.length > 0 ? part : [closestName(name ?? '', names)].filter((one) => one !== null)
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `'recollect config list' shows them`
  throw new CliError(name ? `there is no setting ${name}; ${hint}` : `which setting? ${hint}`, EXIT.invalid)
}

function changeAndPrint(wanted: SettingChange, json: boolean): undefined {
  const changed = changeSettings(readEnvironment(), [wanted])
  if (changed.kind === 'refused') throw new CliError(changed.reason, EXIT.invalid)
  const now = findSetting(wanted.name)
  if (json) return sayJson(now)
  say(`${now.name} = ${valueText(now)} (${now.source})`)
  if (now.source === 'environment')
    say(yellow('An environment variable overrides your file; unset it to use the value you have just written.'))
  say(dim(settingTakesEffect(now.name)))
}

const valueText = ({ value }: ShownSetting) => (typeof value === 'string' ? value : JSON.stringify(value))
