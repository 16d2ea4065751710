import type { AgentName } from '../core/agent.ts'
import type { Environment } from './environment.ts'

/** The folder in which an agent keeps its settings, and mostly its sessions too. A person can move each with a variable of that agent. */
export function agentFolder(agent: AgentName, { claudeConfig, userHome }: Pick<Environment, 'claudeConfig' | 'userHome'>): string {
  const env = process.env
  const inHome = (moved: string | undefined, name: string) => moved || `${userHome}/${name}`
  switch (agent) {
    case 'claude-code':
    case 'other':
      return claudeConfig
    case 'codex':
      return inHome(env.CODEX_HOME, '.codex')
    case 'copilot':
      return inHome(env.COPILOT_HOME, '.copilot')
    case 'gemini':
      return `${env.GEMINI_CLI_HOME || userHome}/.gemini`
    case 'qwen':
      return inHome(env.QWEN_HOME, '.qwen')
    case 'opencode':
      return `${env.XDG_CONFIG_HOME || `${userHome}/.config`}/opencode`
  }
}

/** OpenCode keeps its sessions apart from its settings. */
export const opencodeDataFolder = ({ userHome }: Pick<Environment, 'userHome'>): string =>
  `${process.env.XDG_DATA_HOME || `${userHome}/.local/share`}/opencode`
