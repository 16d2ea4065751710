import { isPrivate, readIfThere } from '../../platform/files.ts'

export type TextModelEndpoint = {
  /** Without the slash at its end; what is asked for comes behind it. */
  baseUrl: string
  model: string
  /** Empty for an endpoint that asks for none. */
  apiKey: string
  timeoutMs?: number
}

export type FoundEndpoint = { kind: 'found'; endpoint: TextModelEndpoint } | { kind: 'unusable'; reason: string }

/** Endpoints that are known by name, and the variable in which people usually keep the key for each. */
const PRESETS: { name: string; baseUrl: string; variable: string | null }[] = [
  { name: 'openai', baseUrl: 'https://api.openai.com/v1', variable: 'OPENAI_API_KEY' },
  { name: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1', variable: 'OPENROUTER_API_KEY' },
  { name: 'deepseek', baseUrl: 'https://api.deepseek.com/v1', variable: 'DEEPSEEK_API_KEY' },
  { name: 'gemini', baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', variable: 'GEMINI_API_KEY' },
  { name: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', variable: null },
]

const ANTHROPIC = { name: 'anthropic', baseUrl: 'https://api.anthropic.com', variable: 'ANTHROPIC_API_KEY' }

type EndpointSettings = { provider: 'anthropic' | 'openai'; name: string; base_url: string; api_key_file: string }

/** Where the settings lead, with the key that belongs there; or what is missing, in words for the person. */
export function resolveEndpoint(wanted: EndpointSettings, keys: Record<string, string>): FoundEndpoint {
  if (wanted.name === '') return unusable('model.name does not name a model')
  const { known, baseUrl, url } = addressOf(wanted)
  if (!url || !/^https?:$/.test(url.protocol)) {
    return unusable(`model.base_url is neither an address nor one of ${known.map((preset) => preset.name).join(', ')}`)
  }
  if (url.username || url.password) return unusable('model.base_url holds a password; the key belongs into model.api_key_file')
  // A key that a person keeps for one endpoint is never shown to another.
  const variable = known.find((preset) => URL.parse(preset.baseUrl)?.host === url.host)?.variable ?? null
  const key = readApiKey(
    wanted.api_key_file,
    keys.RECOLLECT_MODEL_API_KEY || (variable ? keys[variable] : '') || keys[keychainName(url.host)] || '',
  )
  if (key.kind === 'unusable') return key
  // Somebody's own endpoint may want none; these do.
  if (key.value === '' && variable) {
    return unusable(
      `there is no key for ${url.host}: put it into one of RECOLLECT_MODEL_API_KEY, ${variable}, model.api_key_file, or the keychain`,
    )
  }
  if (key.value !== '' && url.protocol === 'http:' && !isLocalAddress(url)) {
    return unusable(`a key is not sent to ${url.host} without encryption: use https`)
  }
  return { kind: 'found', endpoint: { baseUrl, model: wanted.name, apiKey: key.value } }
}

/** Under which name a key from the system's keychain stands among the others. */
export const keychainName = (host: string) => `keychain ${host}`

/** The host that would be asked without a key, although keys are at hand for others. */
export function hostWithoutKey(wanted: EndpointSettings, keys: Record<string, string>): string | null {
  const { known, url } = addressOf(wanted)
  if (!url || isLocalAddress(url) || keys.RECOLLECT_MODEL_API_KEY) return null
  const variable = known.find((preset) => URL.parse(preset.baseUrl)?.host === url.host)?.variable
  return variable && keys[variable] ? null : url.host
}

/** Whether nothing leaves this machine: then it costs nothing either. */
export function isOnThisMachine(wanted: EndpointSettings): boolean {
  const { url } = addressOf(wanted)
  return url !== null && isLocalAddress(url)
}

function addressOf(wanted: EndpointSettings) {
  const known = wanted.provider === 'anthropic' ? [ANTHROPIC] : PRESETS
  const given = wanted.base_url.trim() || (known[0]?.name ?? '')
  const baseUrl = (known.find((preset) => preset.name === given)?.baseUrl ?? given).replace(/\/+$/, '')
  return { known, baseUrl, url: URL.parse(baseUrl) }
}

const unusable = (reason: string) => ({ kind: 'unusable' as const, reason })

/** A file that a person names is meant; what a shell happens to hold comes after it. */
function readApiKey(file: string, variable: string): { kind: 'key'; value: string } | { kind: 'unusable'; reason: string } {
  if (file === '') return checkApiKey(variable.trim(), 'the key in the environment')
  let text: string | null
  try {
    text = readIfThere(file)
    if (text !== null && !isPrivate(file)) return unusable(`model.api_key_file: others can read ${file}; run 'chmod 600 ${file}'`)
  } catch {
    return unusable(`model.api_key_file: ${file} cannot be read`)
  }
  if (!text?.trim()) return unusable(`model.api_key_file: there is no key in ${file}`)
  return checkApiKey(text.trim(), `the key in ${file}`)
}

/** A header takes one line of plain letters; anything else would only be refused later, in words that quote it. */
function checkApiKey(value: string, what: string): { kind: 'key'; value: string } | { kind: 'unusable'; reason: string } {
  return /^[\x21-\x7e]{0,4096}$/.test(value) ? { kind: 'key', value } : unusable(`${what} is not one word of plain letters`)
}

/** On this machine: nothing leaves it. */
function isLocalAddress(url: URL): boolean {
  return url.hostname === 'localhost' || url.hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(url.hostname)
}
