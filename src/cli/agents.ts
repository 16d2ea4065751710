import { AGENT_TITLES, DEFAULT_AGENT, SERVED_AGENTS, type ServedAgent } from '../core/agent.ts'
import {
  type AgentSetup,
  connectAgent,
  disconnectAgent,
  type FileOutcome,
  inspectAgent,
  isInstalled,
  type OtherAgent,
  planAgent,
  type SetupContext,
} from '../integrations/agent-setup.ts'
import { findClient } from '../integrations/install.ts'
import { loadSetup } from '../integrations/setups.ts'
import { type Environment, readEnvironment } from '../platform/environment.ts'
import { exists } from '../platform/files.ts'
import { readAgentInstalls } from '../platform/installs.ts'
import { writeLauncher } from '../platform/launcher.ts'
import { homePaths } from '../platform/paths.ts'
import { PROGRAM } from '../platform/program.ts'
import { call } from './call.ts'
import { unknownValue } from './parse.ts'
import { dim, invalidInput, print } from './print.ts'

/** The agents of `--agent codex,gemini`; null when the option was not given. */
export function parseAgents(option: string | undefined): ServedAgent[] | null {
  if (option === undefined) return null
  const names = option.split(',').map((name) => name.trim().toLowerCase())
  return names.map((name) => {
    const agent = SERVED_AGENTS.find((known) => known === (name === 'claude' ? DEFAULT_AGENT : name))
    if (!agent) throw invalidInput(unknownValue('--agent', name, SERVED_AGENTS))
    return agent
  })
}

/** The option for commands that filter by one or several agents. */
export const agentOption = { type: 'string', value: 'A', about: `only these agents: ${SERVED_AGENTS.join(', ')}` } as const

const OTHER_AGENTS = SERVED_AGENTS.filter((name): name is OtherAgent => name !== DEFAULT_AGENT)
export const isOtherAgent = (name: ServedAgent): name is OtherAgent => name !== DEFAULT_AGENT

/** The agents on this machine. Claude Code when none is found, because a person may install it later. */
export async function installedAgents(environment: Environment): Promise<ServedAgent[]> {
  const others: ServedAgent[] = []
  for (const name of OTHER_AGENTS) if (await isInstalled(await loadSetup(name), environment)) others.push(name)
  const hasClaude = others.length === 0 || exists(environment.claudeConfig) || (await findClient(environment)) !== null
  return hasClaude ? [DEFAULT_AGENT, ...others] : others
}

const contextOf = (mcp: boolean): SetupContext => ({ environment: readEnvironment(), program: PROGRAM, mcp })

/** The changes made to an agent's files; in a dry run, the changes that would be made. */
export type AgentOutcome = { agent: OtherAgent; files: FileOutcome[] }

export async function planAgents(agents: OtherAgent[], mcp: boolean): Promise<AgentOutcome[]> {
  return Promise.all(agents.map(async (agent) => ({ agent, files: planAgent(await loadSetup(agent), contextOf(mcp)) })))
}

export async function connectAgents(agents: OtherAgent[], mcp: boolean): Promise<AgentOutcome[]> {
  if (agents.length === 0) return []
  // A worker must have read the settings once, because hooks take the person's privacy rules from it.
  await call('GET /api/status')
  writeLauncher()
  const outcomes: AgentOutcome[] = []
  for (const agent of agents) outcomes.push({ agent, files: connectAgent(await loadSetup(agent), contextOf(mcp)) })
  return outcomes
}

/** The agents that `init` has connected, apart from Claude Code. */
export const connectedOthers = (): OtherAgent[] =>
  OTHER_AGENTS.filter((name) => readAgentInstalls(homePaths()).some(({ agent }) => agent === name))

export async function disconnectAgents(agents: OtherAgent[], dryRun: boolean): Promise<AgentOutcome[]> {
  const outcomes: AgentOutcome[] = []
  for (const agent of agents) outcomes.push({ agent, files: disconnectAgent(await loadSetup(agent), contextOf(true), dryRun) })
  return outcomes
}

export function printAgentOutcomes(outcomes: AgentOutcome[], verb: 'write' | 'remove'): void {
  for (const { agent, files } of outcomes) for (const file of files) print(`${AGENT_TITLES[agent]}: ${describeFile(file, verb)}`)
}

function describeFile(file: FileOutcome, verb: 'write' | 'remove'): string {
  const { path, holds } = file
  switch (file.kind) {
    case 'planned':
      if (!file.changed) return verb === 'write' ? `${path} already has the ${holds}.` : `${path} has nothing of this home.`
      return verb === 'write' ? `would write ${holds} to ${path}.` : `would remove ${holds} from ${path}.`
    case 'written':
      return `wrote ${holds} to ${path}.${file.backup ? dim(` Backup: ${file.backup}`) : ''}`
    case 'removed':
      return file.fileGone ? `deleted ${path}, which init had created.` : `removed ${holds} from ${path}.`
    case 'unchanged':
      return verb === 'write' ? `${path} already has the ${holds}.` : `${path} has nothing of this home.`
    default:
      return `${path} was not changed: ${file.reason}.`
  }
}

/** The files that could not be read or written, as sentences. */
export function agentFailures(outcomes: AgentOutcome[]): string[] {
  return outcomes.flatMap(({ agent, files }) =>
    files.flatMap((file) =>
      file.kind === 'unreadable' || file.kind === 'unwritable'
        ? [`${AGENT_TITLES[agent]}: ${file.path} was not changed: ${file.reason}. Correct it and try again.`]
        : [],
    ),
  )
}

/** Steps that the person must take after `init`, such as trusting the hooks in Codex. */
export async function nextSteps(agents: OtherAgent[]): Promise<string[]> {
  const steps: string[] = []
  for (const agent of agents) {
    const setup = await loadSetup(agent)
    if (setup.nextStep && setup.obstacle?.(readEnvironment())) steps.push(setup.nextStep)
  }
  return steps
}

export type AgentReport = {
  agent: OtherAgent
  title: string
  state: 'connected' | 'incomplete' | 'blocked' | 'not connected'
  says: string
  fix: string | null
}

/** How each agent on this machine is connected. */
export async function agentReports(environment: Environment): Promise<AgentReport[]> {
  const reports: AgentReport[] = []
  for (const agent of OTHER_AGENTS) {
    const setup = await loadSetup(agent)
    const report = reportOf(setup, environment)
    if (report.state !== 'not connected' || (await isInstalled(setup, environment))) reports.push(report)
  }
  return reports
}

function reportOf(setup: AgentSetup, environment: Environment): AgentReport {
  const { agent } = setup
  const common = { agent, title: AGENT_TITLES[agent] }
  const { connected, missing, obstacle } = inspectAgent(setup, { environment, program: PROGRAM, mcp: true })
  if (!connected) return { ...common, state: 'not connected', says: 'installed, but not connected', fix: `recollect init --agent ${agent}` }
  if (obstacle) return { ...common, state: 'blocked', says: obstacle.problem, fix: obstacle.fix }
  const [first] = missing
  if (!first) return { ...common, state: 'connected', says: "connected by 'recollect init'", fix: null }
  const says =
    first.kind === 'unreadable' ? `${first.path} cannot be read (${first.reason})` : `${first.path} lacks or has old ${first.holds}`
  return { ...common, state: 'incomplete', says, fix: `recollect init --agent ${agent}` }
}
