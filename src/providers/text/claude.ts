import { redact } from '../../core/secrets.ts'
import { privateFolder } from '../../platform/files.ts'
import { packageIn } from '../../platform/packages.ts'
import { environmentFor } from '../../platform/processes.ts'
import type { ModelAnswer, ModelRequest, TextModel } from '../text.ts'
import { count, failed, reasonFor } from './send.ts'

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
const OVERHEAD = 330

/** What the client knows of a session that started it must not reach one that it starts; nor do our keys for other endpoints. */
const NOT_INHERITED = /^(?:CLAUDECODE|CLAUDE_PID|CLAUDE_PROJECT_DIR|CLAUDE_CODE_(?:ENTRYPOINT|SSE_PORT|SESSION_ID|EXECPATH)|RECOLLECT_\w+)$/

/**
 * Claude through the person's own client and login. Each question is a short session of its own: no tools, no thinking, no settings and so
 * no hooks, and nothing of it on the disk, so that it is in nobody's list of sessions and never becomes a memory.
 */
export function openClaude(sdk: AgentSdk, model: string, timeoutMs = TIMEOUT_MS): TextModel {
  return {
    name: model,
    overhead: OVERHEAD,
    ask: async (request, signal) => {
      signal.throwIfAborted()
      const stopping = new AbortController()
      const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      // The client is told to end, and takes its time; nobody waits for that.
      const over = Promise.withResolvers<never>()
      over.promise.catch(() => {})
      either.addEventListener('abort', () => [stopping.abort(), over.reject(either.reason)], { once: true })
      const heard: Heard = { text: '', session: null, error: null, result: null }
      try {
        await Promise.race([listen(sdk, model, request, stopping, heard), over.promise])
      } catch (cause) {
        signal.throwIfAborted()
        if (either.aborted) return failed('network', `${model} took too long`)
        // The package throws what it has told as a result before.
        if (!heard.result && !heard.error) return failed('network', `the client could not be asked: ${said((cause as Error).message)}`)
      }
      return answerOf(heard, model)
    },
  }
}

async function listen(sdk: AgentSdk, model: string, request: ModelRequest, stopping: AbortController, heard: Heard): Promise<void> {
  privateFolder(sdk.folder)
  const { query } = (await import(`${packageIn(sdk.packages, AGENT_SDK.name)}/sdk.mjs`)) as { query: Query }
  const messages = query({ prompt: promptOf(request), options: optionsFor(sdk, model, request, stopping) })
  for await (const message of messages) hear(heard, message)
}

type Query = (asked: { prompt: string; options: Record<string, unknown> }) => AsyncIterable<Message>
type Message = {
  type?: unknown
  subtype?: unknown
  session_id?: unknown
  error?: unknown
  is_error?: unknown
  api_error_status?: unknown
  result?: unknown
  stop_reason?: unknown
  usage?: Record<string, unknown>
  message?: { content?: unknown }
}
type Heard = { text: string; session: string | null; error: string | null; result: Message | null }

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
    thinking: { type: 'disabled' },
    verbatimPrompts: true,
    maxTurns: 1,
    abortController,
    env: environmentFor({
      without: NOT_INHERITED,
      with: {
        // Hooks that a company prescribes run even so; ours sees this and keeps quiet.
        RECOLLECT_INTERNAL: '1',
        CLAUDE_AGENT_SDK_CLIENT_APP: 'recollect',
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxTokens),
        // The queue tries again, and says so.
        CLAUDE_CODE_MAX_RETRIES: '0',
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

function hear(heard: Heard, message: Message): void {
  if (typeof message.session_id === 'string') heard.session = message.session_id
  if (message.type === 'result') heard.result = message
  if (message.type !== 'assistant') return
  if (typeof message.error === 'string') heard.error = message.error
  const blocks = Array.isArray(message.message?.content) ? message.message.content : []
  // What the client says about an error stands where the model's words would.
  if (heard.error === null)
    heard.text += blocks
      .map((block: { type?: unknown; text?: unknown } | null) => (block?.type === 'text' ? String(block.text ?? '') : ''))
      .join('')
}

function answerOf({ text, session, error, result }: Heard, model: string): ModelAnswer {
  if (!result) return failed('network', `${model} broke off`)
  const isCut = error === 'max_output_tokens' || result.stop_reason === 'max_tokens'
  if ((result.is_error === true || error !== null) && !(isCut && text !== '')) {
    const status = typeof result.api_error_status === 'number' ? result.api_error_status : null
    const words = said(typeof result.result === 'string' ? result.result : '')
    const reason = REASONS[error ?? ''] ?? (status === null ? 'network' : reasonFor(status, { message: words, type: '', status }))
    return failed(reason, `${model} could not answer${status === null ? '' : ` (${status})`}: ${words || error}`)
  }
  if (text === '') return failed('bad-answer', `${model} answered with nothing`)
  const { usage } = result
  const cached = count(usage?.cache_read_input_tokens)
  const input = count(usage?.input_tokens) + count(usage?.cache_creation_input_tokens) + cached
  return {
    kind: 'answered',
    text,
    usage: { input, output: count(usage?.output_tokens), cached },
    stop: isCut ? 'length' : 'end',
    ...(session ? { session } : {}),
  }
}

/** The client's own words for what went wrong, where they say more than the status. */
const REASONS: Record<string, Extract<ModelAnswer, { kind: 'failed' }>['reason']> = {
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

const said = (text: string) => redact(text).replace(/\s+/g, ' ').trim().slice(0, 200)
