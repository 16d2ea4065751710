/** The agents other than Claude Code. Each is loaded when it is first met, and this list only then: Claude Code pays nothing for the others. */
export const otherAgents = {
  codex: async () => (await import('./codex/codex.ts')).codex,
  copilot: async () => (await import('./copilot/copilot.ts')).copilot,
  gemini: async () => (await import('./gemini/gemini.ts')).gemini,
  qwen: async () => (await import('./qwen/qwen.ts')).qwen,
  opencode: async () => (await import('./opencode/opencode.ts')).opencode,
}
