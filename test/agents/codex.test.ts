import { MEMORY_TOOL_TEXT, testAgent } from './agent-flow.ts'

await testAgent('codex', {
  steps: () => [
    { shell: 'cat greet.txt' },
    { shell: 'cat missing.txt; exit 3' },
    { patch: '*** Begin Patch\n*** Update File: greet.txt\n@@\n-hello\n+hello world\n*** End Patch\n' },
    { tool: 'memory_capture', namespace: 'mcp__recollect', args: { text: MEMORY_TOOL_TEXT } },
  ],
  uses: [
    { tool: 'Bash', failed: false },
    { tool: 'Bash', failed: true },
    { tool: 'apply_patch', failed: false },
  ],
})
