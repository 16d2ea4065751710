import { redact } from '../../core/secrets.ts'
import { ensurePrivateFolder } from '../../platform/files.ts'
import { packagePath } from '../../platform/packages.ts'
import { childEnvironment } from '../../platform/processes.ts'
import type { FailureReason, ModelAnswer, ModelRequest, TextModel, Usage } from '../text.ts'
import { failedAnswer, failureReasonFor, MAX_RETRY_WAIT_MS, tokenCount } from './send.ts'
import { completeUsage } from './token-usage.ts'

/** The package that runs the person's own client for us, with their login. It is fetched when somebody wants it. */
export const AGENT_SDK = { name: '@anthropic-ai/claude-agent-sdk', version: '0.3.325' }

/** What is needed to ask through the person's client. */
export type AgentSdk = {
  /** Where the package was installed. */
  packages: string
  /** The person's client. */
  executable: string
  /** Where its sessions run: a folder of ours with nothing in it. */
  folder: string
  /** Further variables for the client. */
  environment?: Record<string, string>
}

const TIMEOUT_MS = 120_000
/** What the client says of itself and the machine in every question. Measured with 2.1.325. */
const CLIENT_OVERHEAD_TOKENS = 330
/** The client asks on by itself when an answer is cut or empty, up to three times; one that has spent its budget does not. */
const MAX_BUDGET_USD = 1e-9

/**
 * What the client knows of a session that started it must not reach one that it starts, nor how hard the person has it think; nor do keys: it
 * would use one instead of the login, and what was part of a plan would be on a bill.
 */
const VARIABLES_NOT_INHERITED =
  /^(?:CLAUDECODE|CLAUDE_PID|CLAUDE_PROJECT_DIR|CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT|SESSION_ID|EXECPATH|EFFORT_LEVEL)|MAX_THINKING_TOKENS|ANTHROPIC_API_KEY|ANTHROPIC_AUTH_TOKEN|RECOLLECT_\w+)$/

/**
 * Claude through the person's own client and login. Each question is a short session of its own: no tools, no settings and so
 * no hooks, and nothing of it on the disk, so that it is in nobody's list of sessions and never becomes a memory.
 */
export function openClaude(sdk: AgentSdk, model: string, timeoutMs = TIMEOUT_MS): TextModel {
  return {
    name: model,
    overhead: CLIENT_OVERHEAD_TOKENS,
    ask: async (request, signal) => {
      signal.throwIfAborted()
      const stopping = new AbortController()
      const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      // The client is told to end, and takes its time; nobody waits for that.
      const over = Promise.withResolvers<never>()
      over.promise.catch(() => {})
      either.addEventListener('abort', () => [stopping.abort(), over.reject(either.reason)], { once: true })
      const heard: ClaudeReply = { text: '', session: null, error: null, limitEndsAt: null, result: null }
      try {
        await Promise.race([runClaudeSession(sdk, model, request, stopping, heard), over.promise])
      } catch (cause) {
        signal.throwIfAborted()
        if (either.aborted) return failedAnswer('network', `${model} took too long`, 'unknown')
        // The package throws what it has told as a result before.
        if (!heard.result && !heard.error) {
          const usage = heard.session === null ? undefined : 'unknown'
          return failedAnswer('network', `the client could not be asked: ${shortenMessage((cause as Error).message)}`, usage)
        }
      }
      return answerOf(heard, model, request, Date.now())
    },
  }
}

async function runClaudeSession(
  sdk: AgentSdk,
  model: string,
  request: ModelRequest,
  stopping: AbortController,
  heard: ClaudeReply,
): Promise<void> {
  ensurePrivateFolder(sdk.folder)
  const { query } = (await import(`${packagePath(sdk.packages, AGENT_SDK.name)}/sdk.mjs`)) as { query: ClaudeSdkQuery }
  const messages = query({ prompt: promptOf(request), options: optionsFor(sdk, model, request, stopping) })
  for await (const message of messages) recordMessage(heard, message)
}

type ClaudeSdkQuery = (asked: { prompt: string; options: Record<string, unknown> }) => AsyncIterable<ClaudeSdkMessage>
type ClaudeSdkMessage = {
  type?: unknown
  subtype?: unknown
  session_id?: unknown
  error?: unknown
  is_error?: unknown
  api_error_status?: unknown
  result?: unknown
  errors?: unknown
  stop_reason?: unknown
  modelUsage?: Record<string, Record<string, unknown>>
  rate_limit_info?: { status?: unknown; resetsAt?: unknown }
  message?: { content?: unknown }
}
type ClaudeReply = {
  text: string
  session: string | null
  error: string | null
  /** When the login may be used again, in seconds. */
  limitEndsAt: number | null
  result: ClaudeSdkMessage | null
}

function optionsFor(sdk: AgentSdk, model: string, { system, maxTokens }: ModelRequest, abortController: AbortController) {
  return {
    pathToClaudeCodeExecutable: sdk.executable,
    cwd: sdk.folder,
    model,
    systemPrompt: system,
    settingSources: [],
    tools: [],
    mcpServers: {},
    strictMcpConfig: true,
    persistSession: false,
    // Newer models think all the same; then it is to be little.
    thinking: { type: 'disabled' },
    effort: 'low',
    verbatimPrompts: true,
    maxTurns: 1,
    maxBudgetUsd: MAX_BUDGET_USD,
    abortController,
    env: childEnvironment({
      without: VARIABLES_NOT_INHERITED,
      with: {
        // Hooks that a company prescribes run even so; ours sees this and keeps quiet.
        RECOLLECT_INTERNAL: '1',
        CLAUDE_AGENT_SDK_CLIENT_APP: 'recollect',
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxTokens),
        // The queue tries again, and says so.
        CLAUDE_CODE_MAX_RETRIES: '0',
        CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK: '1',
        CLAUDE_CODE_DISABLE_REFUSAL_RETRY: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        ...sdk.environment,
      },
    }),
  }
}

/** The client takes one prompt; a conversation is told in it. */
function promptOf({ messages }: ModelRequest): string {
  if (messages.length === 1) return messages[0]?.text ?? ''
  return messages.map(({ role, text }) => `<${role}>\n${text}\n</${role}>`).join('\n')
}

function recordMessage(heard: ClaudeReply, message: ClaudeSdkMessage): void {
  if (typeof message.session_id === 'string') heard.session = message.session_id
  if (message.type === 'result') heard.result = message
  const { status, resetsAt } = message.rate_limit_info ?? {}
  if (status === 'rejected' && typeof resetsAt === 'number') heard.limitEndsAt = resetsAt
  if (message.type !== 'assistant') return
  if (typeof message.error === 'string') heard.error = message.error
  const blocks = Array.isArray(message.message?.content) ? message.message.content : []
  // What the client says about an error stands where the model's words would.
  if (heard.error === null)
    heard.text += blocks
      .map((block: { type?: unknown; text?: unknown } | null) => (block?.type === 'text' ? String(block.text ?? '') : ''))
      .join('')
}

function answerOf(heard: ClaudeReply, model: string, request: ModelRequest, now: number): ModelAnswer {
  const { text, session, error, result } = heard
  if (!result) return failedAnswer('network', `${model} broke off`, 'unknown')
  const isSpent = result.subtype === 'error_max_budget_usd'
  if (error !== null || (result.is_error === true && !isSpent)) return failureOf(heard, result, model, now)
  if (result.stop_reason === null) return failedAnswer('network', `${model} broke off`, 'unknown')
  const stop = result.stop_reason === 'max_tokens' ? 'length' : 'end'
  const usage = completeUsage(usageOf(result), request, text, CLIENT_OVERHEAD_TOKENS)
  if (text === '' && stop === 'end') return failedAnswer('bad-answer', `${model} answered with nothing`, usage)
  const [by, ...others] = Object.keys(result.modelUsage ?? {})
  return {
    kind: 'answered',
    text,
    usage,
    stop,
    ...(session ? { session } : {}),
    ...(by && others.length === 0 ? { by } : {}),
  }
}

function failureOf({ error, limitEndsAt }: ClaudeReply, result: ClaudeSdkMessage, model: string, now: number): ModelAnswer {
  const status = typeof result.api_error_status === 'number' ? result.api_error_status : null
  const words = shortenMessage([result.result, ...(Array.isArray(result.errors) ? result.errors : [])].filter(isText).join(' '))
  const byStatus = status === null ? null : failureReasonFor(status, { message: words, type: '', status })
  const reason = REASON_BY_CLIENT_ERROR[error ?? ''] ?? byStatus ?? (error === null || error === 'server_error' ? 'network' : 'bad-answer')
  const wait = reason === 'rate' && limitEndsAt !== null ? Math.min(Math.max(0, limitEndsAt * 1000 - now), MAX_RETRY_WAIT_MS) : null
  // Without a login it asks nobody, so there is no status.
  const hint = reason === 'auth' && status === null ? '; claude is asked with your login, a key is for model.provider = "anthropic"' : ''
  const message = `${model} could not answer${status === null ? '' : ` (${status})`}: ${words || error}${hint}`
  return { ...failedAnswer(reason, message, usageOf(result)), retryAfterMs: wait }
}

/** All that the question cost. The client counts it by model; what it says beside that leaves out an answer that spent the budget. */
function usageOf({ modelUsage }: ClaudeSdkMessage): Usage {
  const usage = { input: 0, output: 0, cached: 0 }
  for (const used of Object.values(modelUsage ?? {})) {
    const cached = tokenCount(used.cacheReadInputTokens)
    usage.input += tokenCount(used.inputTokens) + tokenCount(used.cacheCreationInputTokens) + cached
    usage.output += tokenCount(used.outputTokens)
    usage.cached += cached
  }
  return usage
}

const isText = (value: unknown) => typeof value === 'string'

/** The client's own words for what went wrong, where they say more than the status. */
const REASON_BY_CLIENT_ERROR: Record<string, FailureReason> = {
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  account_on_hold: 'auth',
  verification_required: 'auth',
  cloud_credential_error: 'auth',
  billing_error: 'quota',
  rate_limit: 'rate',
  overloaded: 'rate',
  model_not_found: 'bad-answer',
}

const shortenMessage = (text: string) => redact(text).replace(/\s+/g, ' ').trim().slice(0, 200)
