import { isPrivate, readIfThere } from '../../platform/files.ts'

export type TextModelEndpoint = {
  /** Without a trailing slash; the API path is appended. */
  baseUrl: string
  model: string
  /** Empty if the endpoint needs none. */
  apiKey: string
  timeoutMs?: number
}

export type FoundEndpoint = { kind: 'found'; endpoint: TextModelEndpoint } | { kind: 'unusable'; reason: string }

/** Endpoints that can be given by name, with the environment variable that usually contains their key. */
const PRESETS: { name: string; baseUrl: string; variable: string | null }[] = [
  { name: 'openai', baseUrl: 'https://api.openai.com/v1', variable: 'OPENAI_API_KEY' },
  { name: 'openrouter', baseUrl: 'https://openrouter.ai/api/v1', variable: 'OPENROUTER_API_KEY' },
  { name: 'deepseek', baseUrl: 'https://api.deepseek.com/v1', variable: 'DEEPSEEK_API_KEY' },
  { name: 'gemini', baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', variable: 'GEMINI_API_KEY' },
  { name: 'ollama', baseUrl: 'http://127.0.0.1:11434/v1', variable: null },
]

const ANTHROPIC = { name: 'anthropic', baseUrl: 'https://api.anthropic.com', variable: 'ANTHROPIC_API_KEY' }

type EndpointSettings = { provider: 'anthropic' | 'openai'; name: string; base_url: string; api_key_file: string }

/** The endpoint that the settings name, with its key; or what is missing, as a message for the person. */
export function resolveEndpoint(settings: EndpointSettings, keys: Record<string, string>): FoundEndpoint {
  if (settings.name === '') return unusable('model.name is empty; set it to the name of a model')
  const { known, baseUrl, url } = addressOf(settings)
  if (!url || !/^https?:$/.test(url.protocol)) {
    return unusable(`model.base_url must be a URL or one of: ${known.map((preset) => preset.name).join(', ')}`)
  }
  if (url.username || url.password) return unusable('model.base_url contains a password; put the key into model.api_key_file')
  // A key for one endpoint is never sent to another.
  const variable = known.find((preset) => URL.parse(preset.baseUrl)?.host === url.host)?.variable ?? null
  const key = readApiKey(
    settings.api_key_file,
    keys.RECOLLECT_MODEL_API_KEY || (variable ? keys[variable] : '') || keys[keychainName(url.host)] || '',
  )
  if (key.kind === 'unusable') return key
  // The known endpoints need a key; others may not.
  if (key.value === '' && variable) {
    return unusable(`no key for ${url.host}: put it into RECOLLECT_MODEL_API_KEY, ${variable}, model.api_key_file or the keychain`)
  }
  if (key.value !== '' && url.protocol === 'http:' && !isLocalAddress(url)) {
    return unusable(`the key would be sent to ${url.host} without encryption; use https in model.base_url`)
  }
  return { kind: 'found', endpoint: { baseUrl, model: settings.name, apiKey: key.value } }
}

/** The name under which a key from the system's keychain is passed among the other keys. */
export const keychainName = (host: string) => `keychain ${host}`

/** The host that would be called without a key; null if it has one or is on this machine. */
export function hostWithoutKey(settings: EndpointSettings, keys: Record<string, string>): string | null {
  const { known, url } = addressOf(settings)
  if (!url || isLocalAddress(url) || keys.RECOLLECT_MODEL_API_KEY) return null
  const variable = known.find((preset) => URL.parse(preset.baseUrl)?.host === url.host)?.variable
  return variable && keys[variable] ? null : url.host
}

/** Whether the endpoint runs on this machine. Requests then cost nothing. */
export function isOnThisMachine(settings: EndpointSettings): boolean {
  const { url } = addressOf(settings)
  return url !== null && isLocalAddress(url)
}

function addressOf(settings: EndpointSettings) {
  const known = settings.provider === 'anthropic' ? [ANTHROPIC] : PRESETS
  const given = settings.base_url.trim() || (known[0]?.name ?? '')
  const baseUrl = (known.find((preset) => preset.name === given)?.baseUrl ?? given).replace(/\/+$/, '')
  return { known, baseUrl, url: URL.parse(baseUrl) }
}

const unusable = (reason: string) => ({ kind: 'unusable' as const, reason })

/** A key file named in the settings takes precedence over the environment. */
function readApiKey(file: string, variable: string): { kind: 'key'; value: string } | { kind: 'unusable'; reason: string } {
  if (file === '') return checkApiKey(variable.trim(), 'the key in the environment')
  let text: string | null
  try {
    text = readIfThere(file)
    if (text !== null && !isPrivate(file)) return unusable(`model.api_key_file: other users can read ${file}; run 'chmod 600 ${file}'`)
  } catch {
    return unusable(`model.api_key_file: cannot read ${file}`)
  }
  if (!text?.trim()) return unusable(`model.api_key_file: ${file} is missing or empty; put the key into it`)
  return checkApiKey(text.trim(), `the key in ${file}`)
}

/** A header must be one line of printable ASCII. Anything else would be refused later, in a message that quotes the key. */
function checkApiKey(value: string, what: string): { kind: 'key'; value: string } | { kind: 'unusable'; reason: string } {
  return /^[\x21-\x7e]{0,4096}$/.test(value) ? { kind: 'key', value } : unusable(`${what} must be one word of printable ASCII characters`)
}

function isLocalAddress(url: URL): boolean {
  return url.hostname === 'localhost' || url.hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(url.hostname)
}
