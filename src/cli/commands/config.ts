import { closestName } from '../../core/closest-name.ts'
import { readEnvironment } from '../../platform/environment.ts'
import { homePaths } from '../../platform/paths.ts'
import {
  changeSettings,
  loadSettings,
  type SettingChange,
  type ShownSetting,
  settingTakesEffect,
  shownSettings,
} from '../../platform/settings.ts'
import { json } from '../command.ts'
import { defineCommand, unknownValue } from '../parse.ts'
import { dim, invalidInput, print, printJson, printTable, yellow } from '../print.ts'

export const command = defineCommand({
  name: 'config',
  summary: 'show and change settings',
  usage: `recollect config [list] [--json]
       recollect config [get] <name> [--json]
       recollect config set <name> <value…> [--json]
       recollect config unset <name> [--json]
       recollect config path

  Changes ~/.recollect/config.toml and keeps the rest of the file. Write lists with commas: a,b. Environment variables override the file.
  Secrets cannot be set here, because your shell's history would keep them.`,
  words: '[list | [get] <name> | set <name> <value…> | unset <name> | path]',
  options: { json },
  /** Reads and writes the settings file itself; it needs no worker. */
  async run({ values, positionals }) {
    const [action = 'list', name, ...words] = positionals
    const asJson = values.json ?? false
    switch (action) {
      case 'list':
        return list(asJson)
      case 'path': {
        const { config } = homePaths()
        return asJson ? printJson({ path: config }) : print(config)
      }
      case 'get': {
        const setting = findSetting(name)
        return asJson ? printJson(setting) : print(valueText(setting))
      }
      case 'set': {
        const setting = findSetting(name)
        if (words.length === 0) throw invalidInput(`no value for ${setting.name}: recollect config set ${setting.name} <value>`)
        return changeAndPrint({ name: setting.name, value: words.join(' ') }, asJson)
      }
      case 'unset':
        return changeAndPrint({ name: findSetting(name).name, unset: true }, asJson)
      default:
        return printSettingOf(action, name, asJson)
    }
  },
})

/** `recollect config worker.port` reads one setting. */
function printSettingOf(action: string, value: string | undefined, asJson: boolean): undefined {
  if (!action.includes('.')) throw invalidInput(unknownValue('config action', action, ['list', 'get', 'set', 'unset', 'path']))
  const setting = findSetting(action)
  if (value !== undefined) throw invalidInput(`to change a setting: recollect config set ${setting.name} ${value}`)
  return asJson ? printJson(setting) : print(valueText(setting))
}

function list(asJson: boolean): undefined {
  const loaded = loadSettings()
  const settings = shownSettings(loaded)
  if (asJson) return printJson({ settings, problems: loaded.problems, file: homePaths().config })
  printTable(settings.map((one) => [one.name, `${valueText(one)}  ${one.source === 'default' ? dim(one.source) : one.source}`]))
  for (const problem of loaded.problems) print(yellow(problem))
}

function findSetting(name: string | undefined): ShownSetting {
  const settings = shownSettings(loadSettings())
  const found = settings.find((setting) => setting.name === name)
  if (found) return found
  if (!name) throw invalidInput("which setting? 'recollect config list' shows them all")
  const names = settings.map((one) => one.name)
  const similar = names.filter((one) => one.endsWith(`.${name}`) || one.startsWith(`${name}.`))
  const close = closestName(name, names)
  const suggestions = similar.length > 0 ? similar : close ? [close] : []
  const hint = suggestions.length > 0 ? `did you mean ${suggestions.join(' or ')}?` : `'recollect config list' shows them all`
  throw invalidInput(`unknown setting "${name}"; ${hint}`)
}

function changeAndPrint(change: SettingChange, asJson: boolean): undefined {
  const result = changeSettings(readEnvironment(), [change])
  if (result.kind === 'refused') throw invalidInput(result.reason)
  const setting = findSetting(change.name)
  if (asJson) return printJson(setting)
  print(`${setting.name} = ${valueText(setting)} (${setting.source})`)
  if (setting.source === 'environment')
    return print(yellow('An environment variable overrides your file; unset it to use the value you have just written.'))
  return print(dim(settingTakesEffect(setting.name)))
}

const valueText = ({ value }: ShownSetting) => (typeof value === 'string' ? value : JSON.stringify(value))
