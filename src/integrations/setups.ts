import type { AgentSetup, OtherAgent } from './agent-setup.ts'

/** How to connect an agent. Its code is loaded when it is needed. */
export async function loadSetup(agent: OtherAgent): Promise<AgentSetup> {
  switch (agent) {
    case 'codex':
      return (await import('./codex/settings.ts')).setup
    case 'copilot':
      return (await import('./copilot/settings.ts')).setup
    case 'gemini':
      return (await import('./gemini/settings.ts')).setup
    case 'qwen':
      return (await import('./qwen/settings.ts')).setup
    case 'opencode':
      return (await import('./opencode/settings.ts')).setup
  }
}
