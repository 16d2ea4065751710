/**
 * The text model: answers in words, so that memories can be merged and distilled by more than rules. Three homes today: Anthropic's Messages
 * API (`anthropic`), any endpoint that speaks OpenAI's chat completions (`openai`), and the person's own client (`claude`). Nothing here touches the database. Having no model
 * is the default and ordinary; whoever needs one says so instead of inventing.
 *
 * Every text goes through `clean` on its way out, whoever asks: private parts and secrets never leave by this door.
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

/** Tokens for a model that thinks before it answers and cannot be kept from it: they count as part of the answer. */
export const THINKING_TOKENS = 1000

export type ModelRequest = {
  system: string
  messages: ModelMessage[]
  /** The longest answer, and what is thought before it. */
  maxTokens: number
  /** What it is for, so that its cost finds its place; nothing of this is sent. */
  about?: { purpose: string; project: string }
  /** True for a question that a smaller model answers as well. */
  isSimple?: boolean
}

/** Tokens as the endpoint counts them, or about so many where it does not; `cached` is the part of the input that it had seen before. */
export type Usage = { input: number; output: number; cached: number }

/**
 * `auth` and `quota` need a person; `rate` and `network` pass by themselves; `bad-answer` means that the endpoint does not speak the
 * protocol or does not know the model. A message never holds the key.
 */
export type ModelAnswer =
  | {
      kind: 'answered'
      text: string
      usage: Usage
      stop: 'end' | 'length'
      /** The id of the provider's own session, from one that has such. */
      session?: string
      /** Which model answered, where several could have, or a name that may mean several. */
      by?: string
    }
  | {
      kind: 'failed'
      reason: FailureReason
      message: string
      retryAfterMs: number | null
      /** What it cost all the same; `unknown` when nobody said and it may have been anything. Left out when it surely cost nothing. */
      usage?: Usage | 'unknown'
    }

export type FailureReason = 'auth' | 'quota' | 'rate' | 'network' | 'bad-answer'

export type TextModel = {
  /** Stands in every note that it wrote. */
  readonly name: string
  /** Tokens that the provider adds to every question by itself; none when left out. */
  readonly overhead?: number
  /** What keeps it from answering just now, where that is known. */
  currentProblem?(): string | null
  /** Trouble is an answer. Throws nothing but the signal's reason. */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>
}

export type TextModelSettings = {
  provider: 'plain' | 'claude' | 'anthropic' | 'openai'
  name: string
  base_url: string
  api_key_file: string
}

/** `absent` is a legal state, with a reason in words for the person. */
export type OpenedTextModel = { kind: 'ready'; model: TextModel } | { kind: 'absent'; reason: string }

/** Opens the model that the settings name. Nobody is asked yet: a wrong key is noticed by the first question. */
export function openTextModel(
  settings: TextModelSettings,
  keys: Record<string, string>,
  clean: (text: string) => string,
  timeoutMs?: number,
  /** What `claude` needs, or why it is not there. */
  sdk: AgentSdk | string = 'the client was not looked for',
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

/** The host whose key a model needs and which the environment and the settings do not give; null when none is missing. */
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
