import { jsonFields } from '../../core/json-object.ts'
import { agentFolder } from '../../platform/agent-folders.ts'
import type { Environment } from '../../platform/environment.ts'
import { readIfThere, readJsonIfThere } from '../../platform/files.ts'
import { type AgentSetup, hookFormat, hookHomeOf, isOwnMcpCommand, mcpCommand, type SetupContext, type SetupFile } from '../agent-setup.ts'
import { isRecord } from '../claude-code/payload.ts'
import { withHooks, withoutHooks } from '../claude-code/settings.ts'
import { tomlString, withoutTable, withTable } from '../toml-table.ts'

/** Events that Codex was seen to send. It ends hooks of SessionEnd after three seconds, whatever we write. */
const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'PreCompact', 'PostCompact', 'SubagentStop', 'Stop', 'SessionEnd']
const HOOK_TIMEOUT_SECONDS = 5

const format = hookFormat('codex', () => ({ timeout: HOOK_TIMEOUT_SECONDS }))

export const setup: AgentSetup = {
  agent: 'codex',
  executable: 'codex',
  files: (context) => [hooksFile(context.environment), ...(context.mcp ? [mcpFile(context)] : [])],
  obstacle: missingTrust,
  nextStep: 'Codex runs new hooks only after you trust them: start codex once and confirm them there.',
}

function hooksFile(environment: Environment): SetupFile {
  const home = hookHomeOf(environment)
  return {
    path: hooksPath(environment),
    holds: 'hooks',
    add: (text) => withHooks(text, { events: EVENTS, home }, format),
    remove: (text) => withoutHooks(text, home, format),
  }
}

const hooksPath = (environment: Environment) => `${agentFolder('codex', environment)}/hooks.json`
const configPath = (environment: Environment) => `${agentFolder('codex', environment)}/config.toml`

const MCP_TABLE = 'mcp_servers.recollect'

function mcpFile(context: SetupContext): SetupFile {
  const { environment } = context
  return {
    path: configPath(environment),
    holds: 'MCP server',
    add: (text) => {
      const { command, args } = mcpCommand(context)
      const known = mcpServer(text ?? '')
      const isWanted = known !== null && Bun.deepEquals(known, [command, ...args])
      if (isWanted || (known !== null && !isOwnMcpCommand(known, environment))) return { kind: 'edited', text: text ?? '', changed: false }
      const edited = withTable(text ?? '', MCP_TABLE, [`command = ${tomlString(command)}`, `args = [${args.map(tomlString).join(', ')}]`])
      return { kind: 'edited', text: edited, changed: true }
    },
    remove: (text) => {
      const known = mcpServer(text)
      const edited = known !== null && isOwnMcpCommand(known, environment) ? withoutTable(text, MCP_TABLE) : text
      return { kind: 'edited', text: edited, changed: edited !== text }
    },
  }
}

/** The command of the server under our name; null when there is none. Throws when the file is not TOML: then it must not be written. */
function mcpServer(text: string): unknown[] | null {
  const { mcp_servers } = tomlOf(text)
  const server = isRecord(mcp_servers) ? mcp_servers.recollect : undefined
  if (!isRecord(server)) return null
  return [server.command, ...(Array.isArray(server.args) ? server.args : [])]
}

function tomlOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = Bun.TOML.parse(text)
    return isRecord(value) ? value : {}
  } catch (cause) {
    throw new Error('it is not valid TOML', { cause: `not valid TOML: ${(cause as Error).message}` })
  }
}

/** Codex skips hooks that the person has not trusted, without a word. It keeps what was trusted in its settings, by file and event. */
function missingTrust(environment: Environment): { problem: string; fix: string } | null {
  const untrusted = EVENTS.filter((event) => !isTrusted(environment, event))
  if (untrusted.length === 0) return null
  const which = untrusted.length === EVENTS.length ? 'our hooks' : `our hooks for ${untrusted.join(', ')}`
  return { problem: `Codex skips ${which}, because they are not trusted yet`, fix: 'start codex once, open /hooks and trust them' }
}

/** A hook is known by its file, its event in other letters, and its place: the number of its group, and its number in the group. */
function isTrusted(environment: Environment, event: string): boolean {
  const { hooks } = tomlOf(readIfThere(configPath(environment)) ?? '')
  const state = isRecord(hooks) && isRecord(hooks.state) ? hooks.state : {}
  const name = event.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()
  const place = placeOfOwnHook(environment, event)
  const entry = place === null ? undefined : state[`${hooksPath(environment)}:${name}:${place}`]
  return isRecord(entry) && typeof entry.trusted_hash === 'string' && entry.enabled !== false
}

function placeOfOwnHook(environment: Environment, event: string): string | null {
  const { hooks } = jsonFields(readJsonIfThere(hooksPath(environment)))
  const groups = jsonFields(hooks)[event]
  for (const [i, group] of (Array.isArray(groups) ? groups : []).entries()) {
    const handlers = jsonFields(group).hooks
    const own = (Array.isArray(handlers) ? handlers : []).findIndex((handler) => format.parseOwn(event, handler) !== null)
    if (own >= 0) return `${i}:${own}`
  }
  return null
}
