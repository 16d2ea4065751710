/**
 * The text model merges and distills memories where rules are not enough. There are three: Anthropic's Messages API (`anthropic`), any
 * endpoint with OpenAI's chat completions (`openai`), and the person's own client (`claude`). This room never uses the database. By default there
 * is no model; callers must say so rather than make something up.
 *
 * Every request passes through `clean` before it is sent, so private parts and secrets never leave this machine.
 */
import { NO_TEXT_MODEL_REASON } from '../platform/settings.ts'
import { openAnthropic } from './text/anthropic.ts'
import { type AgentSdk, openClaude } from './text/claude.ts'
import { hostWithoutKey, isOnThisMachine, keychainName, resolveEndpoint } from './text/endpoint.ts'
import { openOpenAiCompatible } from './text/openai.ts'
import { estimateInputTokens } from './text/token-usage.ts'

export { AGENT_SDK, type AgentSdk } from './text/claude.ts'
export { estimateInputTokens, isOnThisMachine, keychainName }

export type ModelMessage = { role: 'user' | 'assistant'; text: string }

/** Extra answer tokens for models that always think first; their thoughts count as part of the answer. */
export const THINKING_TOKENS = 1000

export type ModelRequest = {
  system: string
  messages: ModelMessage[]
  /** The limit for the answer, including any thinking. */
  maxTokens: number
  /** The purpose and project that the cost is recorded under; not sent. */
  about?: { purpose: string; project: string }
  /** True if a smaller model can answer just as well. */
  isSimple?: boolean
}

/** Tokens as the endpoint counts them, or an estimate; `cached` is the part of the input that came from its cache. */
export type Usage = { input: number; output: number; cached: number }

/**
 * `auth` and `quota` need a person; `rate` and `network` are temporary; `bad-answer` means that the endpoint does not follow the protocol or
 * does not know the model. A message never contains the key.
 */
export type ModelAnswer =
  | {
      kind: 'answered'
      text: string
      usage: Usage
      stop: 'end' | 'length'
      /** The id of the provider's own session, if it has sessions. */
      session?: string
      /** The model that answered, if the configured name can mean several. */
      by?: string
    }
  | {
      kind: 'failed'
      reason: FailureReason
      message: string
      retryAfterMs: number | null
      /** The cost of the failed request; `unknown` if it may have cost something. Omitted if it cannot have cost anything. */
      usage?: Usage | 'unknown'
    }

export type FailureReason = 'auth' | 'quota' | 'rate' | 'network' | 'bad-answer'

export type TextModel = {
  /** Recorded in every note that the model wrote. */
  readonly name: string
  /** Tokens that the provider adds to every request; none if omitted. */
  readonly overhead?: number
  /** Why it cannot answer at the moment, if known. */
  currentProblem?(): string | null
  /** Failures are returned, not thrown. Throws only the signal's reason. */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>
}

export type TextModelSettings = {
  provider: 'plain' | 'claude' | 'anthropic' | 'openai'
  name: string
  base_url: string
  api_key_file: string
}

/** `absent` is a normal state; `reason` is shown to the person. */
export type OpenedTextModel = { kind: 'ready'; model: TextModel } | { kind: 'absent'; reason: string }

/** Opens the model that the settings name, without sending anything: a wrong key shows with the first request. */
export function openTextModel(
  settings: TextModelSettings,
  keys: Record<string, string>,
  clean: (text: string) => string,
  timeoutMs?: number,
  /** What `claude` needs, or why it is missing. */
  sdk: AgentSdk | string = 'the client was not looked up',
): OpenedTextModel {
  if (settings.provider === 'plain') return { kind: 'absent', reason: NO_TEXT_MODEL_REASON }
  if (settings.provider === 'claude') {
    if (typeof sdk === 'string') return { kind: 'absent', reason: sdk }
    return { kind: 'ready', model: withCleanRequests(openClaude(sdk, settings.name || 'haiku', timeoutMs), clean) }
  }
  const found = resolveEndpoint({ ...settings, provider: settings.provider }, keys)
  if (found.kind === 'unusable') return { kind: 'absent', reason: found.reason }
  const endpoint = { ...found.endpoint, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
  const model = settings.provider === 'anthropic' ? openAnthropic(endpoint) : openOpenAiCompatible(endpoint)
  return { kind: 'ready', model: withCleanRequests(model, clean) }
}

/** The host that the model needs a key for, if neither the environment nor the settings provide it; otherwise null. */
export function hostMissingKey(settings: TextModelSettings, keys: Record<string, string>): string | null {
  if (settings.provider === 'plain' || settings.provider === 'claude' || settings.api_key_file !== '') return null
  return hostWithoutKey({ ...settings, provider: settings.provider }, keys)
}

function withCleanRequests(model: TextModel, clean: (text: string) => string): TextModel {
  return { ...model, ask: (request, signal) => model.ask(cleanRequest(request, clean), signal) }
}

function cleanRequest(request: ModelRequest, clean: (text: string) => string): ModelRequest {
  const messages = request.messages.map(({ role, text }) => ({ role, text: clean(text) }))
  return { ...request, system: clean(request.system), messages }
}
