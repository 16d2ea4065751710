import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AGENT_TITLES } from '../../src/core/agent.ts'
import type { OtherAgent } from '../../src/integrations/agent-setup.ts'
import { AGENT_CLIENTS, agentClient, nodeForTests } from './agent-clients.ts'
import { type Ran, runIn, type Sandbox, writeInto } from './sandbox.ts'
import type { ModelStep, ReceivedRequest, ScriptedModel } from './scripted-model.ts'

export type AgentRun = Ran & {
  /** The requests that offered tools: those of the conversation, not those for a title. */
  requests: ReceivedRequest[]
  asides: ReceivedRequest[]
}

/** How to run one agent offline: the person's settings, the environment, and the command for one prompt. */
type AgentHarness = {
  /** The person's own settings files below the home, as they are before `recollect init`. */
  files(sandbox: Sandbox, model: string): Record<string, string>
  env(model: string): Record<string, string>
  command(prompt: string, model: string): string[]
  /** The files that `init` changes, below the home, to compare before and after. */
  touched: string[]
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

const HARNESSES: Record<OtherAgent, AgentHarness> = {
  codex: {
    files: ({ project }, model) => ({
      '.codex/config.toml': [
        '# my settings',
        'model = "gpt-5.5"',
        'model_provider = "mock"',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        '',
        '[model_providers.mock]',
        'name = "mock"',
        `base_url = "${model}/v1"`,
        'wire_api = "responses"',
        'env_key = "MOCK_KEY"',
        'request_max_retries = 0',
        'stream_max_retries = 0',
        'supports_websockets = false',
        '',
        '[analytics]',
        'enabled = false',
        '',
        `[projects."${project}"]`,
        'trust_level = "trusted"',
        '',
      ].join('\n'),
      '.codex/hooks.json': '{ "hooks": {} }\n',
    }),
    env: () => ({ MOCK_KEY: 'dummy', RUST_LOG: 'error' }),
    // Only a person can trust hooks, in a dialog.
    command: (prompt) => ['codex', 'exec', '--json', '--dangerously-bypass-hook-trust', prompt],
    touched: ['.codex/config.toml', '.codex/hooks.json'],
  },
  copilot: {
    files: () => ({ '.copilot/mcp-config.json': json({ mcpServers: {} }), '.copilot/config.json': json({ banner: 'never' }) }),
    env: (model) => ({
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: 'dummy',
      COPILOT_MODEL: 'gpt-4.1',
    }),
    command: (prompt) => ['copilot', '-p', prompt, '--allow-all-tools', '--no-color', '--log-level', 'error'],
    touched: ['.copilot/mcp-config.json', '.copilot/hooks/recollect.json'],
  },
  gemini: {
    files: () => ({
      '.gemini/settings.json': json({
        security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      }),
    }),
    env: (model) => ({
      GEMINI_API_KEY: 'dummy',
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_NO_RELAUNCH: 'true',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    }),
    command: (prompt) => ['gemini', '-p', prompt, '--approval-mode', 'yolo', '-m', 'gemini-2.5-pro', '--output-format', 'json'],
    touched: ['.gemini/settings.json'],
  },
  qwen: {
    files: () => ({
      '.qwen/settings.json': json({
        security: { auth: { selectedType: 'openai' }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        // Qwen Code would add it.
        $version: 4,
      }),
    }),
    env: (model) => ({ OPENAI_API_KEY: 'dummy', OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: 'mock' }),
    command: (prompt, model) => [
      ...['qwen', prompt, '--approval-mode', 'yolo', '-m', 'mock', '--auth-type', 'openai', '--openai-api-key', 'dummy'],
      ...['--openai-base-url', `${model}/v1`, '--output-format', 'json'],
    ],
    touched: ['.qwen/settings.json'],
  },
  opencode: {
    files: (_, model) => ({
      '.config/opencode/opencode.json': json({
        $schema: 'https://opencode.ai/config.json',
        autoupdate: false,
        share: 'disabled',
        model: 'mock/mock',
        small_model: 'mock/mock',
        provider: {
          mock: {
            npm: '@ai-sdk/openai-compatible',
            name: 'mock',
            options: { baseURL: `${model}/v1`, apiKey: 'dummy' },
            models: { mock: { name: 'mock', tool_call: true, limit: { context: 128_000, output: 4096 } } },
          },
        },
      }),
    }),
    env: () => ({
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      // It installs a package for plugins when it first starts, and would wait minutes for a proxy that does not exist.
      HTTPS_PROXY: '',
    }),
    command: (prompt) => ['opencode', 'run', '--format', 'json', '--auto', prompt],
    touched: ['.config/opencode/opencode.json', '.config/opencode/plugins/recollect.js'],
  },
}

/** Writes the settings that a person of this agent would have. */
export function writeAgentSettings(sandbox: Sandbox, agent: OtherAgent, model: ScriptedModel): void {
  for (const [path, text] of Object.entries(HARNESSES[agent].files(sandbox, model.url))) writeInto(sandbox.home, path, text)
}

/** The bytes of the settings files that `init` may touch; null for a file that does not exist. */
export function agentSettings(sandbox: Sandbox, agent: OtherAgent): Record<string, string | null> {
  return Object.fromEntries(
    HARNESSES[agent].touched.map((path) => {
      try {
        return [path, readFileSync(join(sandbox.home, path), 'utf8')]
      } catch {
        return [path, null]
      }
    }),
  )
}

async function agentEnv(sandbox: Sandbox, agent: OtherAgent, model: ScriptedModel): Promise<Record<string, string>> {
  const folders = [await agentClient(agent), ...(agent === 'qwen' ? [await nodeForTests()] : [])]
  return { ...HARNESSES[agent].env(model.url), PATH: [...folders.reverse(), sandbox.env.PATH].join(':'), NO_COLOR: '1', TERM: 'dumb' }
}

/** Runs the real client of an agent with one prompt, against a scripted model. Throws when the client fails. */
export async function runAgent(
  sandbox: Sandbox,
  agent: OtherAgent,
  options: { model: ScriptedModel; prompt: string; steps: ModelStep[]; args?: string[] },
): Promise<AgentRun> {
  const { model, prompt, steps } = options
  const before = model.requests.length
  model.play(steps)
  const env = await agentEnv(sandbox, agent, model)
  const [program = '', ...args] = HARNESSES[agent].command(prompt, model.url)
  const path = Bun.which(program, { PATH: env.PATH ?? '' })
  if (!path) throw new Error(`${AGENT_TITLES[agent]} was not installed`)
  const ran = await runIn(sandbox, [path, ...args, ...(options.args ?? [])], { env, timeoutMs: 180_000 })
  if (ran.code !== 0)
    throw new Error(`${AGENT_TITLES[agent]} ended with ${ran.code}: ${ran.stderr.slice(-1500)} ${ran.stdout.slice(-1500)}`)
  const requests = model.requests.slice(before)
  return { ...ran, requests: requests.filter((one) => one.offersTools), asides: requests.filter((one) => !one.offersTools) }
}

/** The version that the installed client itself names. */
export async function agentVersion(sandbox: Sandbox, agent: OtherAgent, model: ScriptedModel): Promise<string> {
  const env = await agentEnv(sandbox, agent, model)
  const ran = await runIn(sandbox, [Bun.which(AGENT_CLIENTS[agent].executable, { PATH: env.PATH ?? '' }) ?? '', '--version'], { env })
  return ran.stdout
}
