import { redact } from '../../core/secrets.ts'
import { ensurePrivateFolder } from '../../platform/files.ts'
import { packagePath } from '../../platform/packages.ts'
import { childEnvironment } from '../../platform/processes.ts'
import type { FailureReason, ModelAnswer, ModelRequest, TextModel, Usage } from '../text.ts'
import { failedAnswer, failureReasonFor, MAX_RETRY_WAIT_MS, tokenCount } from './send.ts'
import { completeUsage } from './token-usage.ts'

/** The package that runs the person's own client for us, with their login. It is downloaded on request. */
export const AGENT_SDK = { name: '@anthropic-ai/claude-agent-sdk', version: '0.3.325' }

/** Everything needed to send requests through the person's client. */
export type AgentSdk = {
  /** The folder in which the package is installed. */
  packages: string
  /** The person's client. */
  executable: string
  /** An empty folder of ours in which its sessions run. */
  folder: string
  /** Additional environment variables for the client. */
  environment?: Record<string, string>
}

const TIMEOUT_MS = 120_000
/** Tokens that the client adds to every request about itself and the machine. Measured with 2.1.325. */
const CLIENT_OVERHEAD_TOKENS = 330
/** The client repeats a request up to three times when the answer is cut off or empty, unless its budget is spent. */
const MAX_BUDGET_USD = 1e-9

/**
 * A client that we start must not inherit variables of the session that started us, or the person's thinking settings. Keys are removed because
 * the client would use them instead of the login and the person would be billed for what their plan includes.
 */
const VARIABLES_NOT_INHERITED =
  /^(?:CLAUDECODE|CLAUDE_PID|CLAUDE_PROJECT_DIR|CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT|SESSION_ID|EXECPATH|EFFORT_LEVEL)|MAX_THINKING_TOKENS|ANTHROPIC_API_KEY|ANTHROPIC_AUTH_TOKEN|RECOLLECT_\w+)$/

/**
 * Claude through the person's own client and login. Each request is a short session without tools, settings or hooks. Nothing is written to
 * disk, so it does not appear in the person's list of sessions and never becomes a memory.
 */
export function openClaude(sdk: AgentSdk, model: string, timeoutMs = TIMEOUT_MS): TextModel {
  return {
    name: model,
    overhead: CLIENT_OVERHEAD_TOKENS,
    ask: async (request, signal) => {
      signal.throwIfAborted()
      const stopClient = new AbortController()
      const stopOrTimeout = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      // The client takes its time to end; do not wait for it.
      const stopped = Promise.withResolvers<never>()
      stopped.promise.catch(() => {})
      stopOrTimeout.addEventListener('abort', () => [stopClient.abort(), stopped.reject(stopOrTimeout.reason)], { once: true })
      const reply: ClaudeReply = { text: '', session: null, error: null, limitEndsAt: null, result: null }
      try {
        await Promise.race([runClaudeSession(sdk, model, request, stopClient, reply), stopped.promise])
      } catch (cause) {
        signal.throwIfAborted()
        if (stopOrTimeout.aborted) return failedAnswer('network', `${model} took too long`, 'unknown')
        // The package also throws errors that it has already reported as a result.
        if (!reply.result && !reply.error) {
          const usage = reply.session === null ? undefined : 'unknown'
          return failedAnswer('network', `the client could not be run: ${shortenMessage((cause as Error).message)}`, usage)
        }
      }
      return answerOf(reply, model, request, Date.now())
    },
  }
}

async function runClaudeSession(
  sdk: AgentSdk,
  model: string,
  request: ModelRequest,
  stopClient: AbortController,
  reply: ClaudeReply,
): Promise<void> {
  ensurePrivateFolder(sdk.folder)
  const { query } = (await import(`${packagePath(sdk.packages, AGENT_SDK.name)}/sdk.mjs`)) as { query: ClaudeSdkQuery }
  const messages = query({ prompt: promptOf(request), options: optionsFor(sdk, model, request, stopClient) })
  for await (const message of messages) recordMessage(reply, message)
}

type ClaudeSdkQuery = (request: { prompt: string; options: Record<string, unknown> }) => AsyncIterable<ClaudeSdkMessage>
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
  /** When the usage limit of the login ends, in seconds since 1970. */
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
    // Newer models think anyway; `effort` keeps it short.
    thinking: { type: 'disabled' },
    effort: 'low',
    verbatimPrompts: true,
    maxTurns: 1,
    maxBudgetUsd: MAX_BUDGET_USD,
    abortController,
    env: childEnvironment({
      without: VARIABLES_NOT_INHERITED,
      with: {
        // Hooks in managed settings still run; ours sees this variable and does nothing.
        RECOLLECT_INTERNAL: '1',
        CLAUDE_AGENT_SDK_CLIENT_APP: 'recollect',
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxTokens),
        // The job queue retries.
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

/** The client takes a single prompt, so a conversation is written into it. */
function promptOf({ messages }: ModelRequest): string {
  if (messages.length === 1) return messages[0]?.text ?? ''
  return messages.map(({ role, text }) => `<${role}>\n${text}\n</${role}>`).join('\n')
}

function recordMessage(reply: ClaudeReply, message: ClaudeSdkMessage): void {
  if (typeof message.session_id === 'string') reply.session = message.session_id
  if (message.type === 'result') reply.result = message
  const { status, resetsAt } = message.rate_limit_info ?? {}
  if (status === 'rejected' && typeof resetsAt === 'number') reply.limitEndsAt = resetsAt
  if (message.type !== 'assistant') return
  if (typeof message.error === 'string') reply.error = message.error
  const blocks = Array.isArray(message.message?.content) ? message.message.content : []
  // The client puts its error messages where the model's text would be.
  if (reply.error === null)
    reply.text += blocks
      .map((block: { type?: unknown; text?: unknown } | null) => (block?.type === 'text' ? String(block.text ?? '') : ''))
      .join('')
}

function answerOf(reply: ClaudeReply, model: string, request: ModelRequest, now: number): ModelAnswer {
  const { text, session, error, result } = reply
  if (!result) return failedAnswer('network', `${model} stopped in the middle of its answer`, 'unknown')
  const isSpent = result.subtype === 'error_max_budget_usd'
  if (error !== null || (result.is_error === true && !isSpent)) return failureOf(reply, result, model, now)
  if (result.stop_reason === null) return failedAnswer('network', `${model} stopped in the middle of its answer`, 'unknown')
  const stop = result.stop_reason === 'max_tokens' ? 'length' : 'end'
  const usage = completeUsage(usageOf(result), request, text, CLIENT_OVERHEAD_TOKENS)
  if (text === '' && stop === 'end') return failedAnswer('bad-answer', `${model} sent an empty answer`, usage)
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
  // Without a login the client sends nothing, so there is no status.
  const hint = reason === 'auth' && status === null ? '; claude uses your login. To use a key, set model.provider = "anthropic"' : ''
  const message = `${model} could not answer${status === null ? '' : ` (${status})`}: ${words || error}${hint}`
  return { ...failedAnswer(reason, message, usageOf(result)), retryAfterMs: wait }
}

/** The total cost of the request, from the usage per model. The client's other totals leave out an answer that exceeded the budget. */
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

/** The client's own error names, where they say more than the status. */
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
