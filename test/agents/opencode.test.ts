import { MEMORY_TOOL_TEXT, testAgent } from './agent-flow.ts'

await testAgent('opencode', {
  steps: () => [
    { tool: 'bash', args: { command: 'cat greet.txt', description: 'Show the greeting' } },
    { tool: 'bash', args: { command: 'cat missing.txt; exit 3', description: 'Look for a file that is not there' } },
    { tool: 'read', args: { filePath: 'greet.txt' } },
    { tool: 'edit', args: { filePath: 'greet.txt', oldString: 'hello', newString: 'hello world' } },
    { tool: 'read', args: { filePath: 'nowhere.txt' } },
    { tool: 'recollect_memory_capture', args: { text: MEMORY_TOOL_TEXT } },
  ],
  uses: [
    { tool: 'bash', failed: false },
    { tool: 'bash', failed: true },
    { tool: 'read', failed: false },
    { tool: 'edit', failed: false },
    { tool: 'read', failed: true },
  ],
})
