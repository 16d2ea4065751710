import { MEMORY_TOOL_TEXT, testAgent } from './agent-flow.ts'

await testAgent('copilot', {
  steps: (project) => [
    { tool: 'bash', args: { command: 'cat greet.txt', description: 'Show the greeting' } },
    { tool: 'bash', args: { command: 'cat missing.txt; exit 3', description: 'Look for a file that is not there' } },
    { tool: 'edit', args: { path: `${project}/greet.txt`, old_str: 'hello', new_str: 'hello world' } },
    { tool: 'view', args: { path: `${project}/nowhere.txt` } },
    { tool: 'recollect-memory_capture', args: { text: MEMORY_TOOL_TEXT } },
  ],
  uses: [
    { tool: 'Bash', failed: false },
    { tool: 'Bash', failed: true },
    { tool: 'Edit', failed: false },
    { tool: 'Read', failed: true },
  ],
})
