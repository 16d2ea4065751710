import { MEMORY_TOOL_TEXT, testAgent } from './agent-flow.ts'

await testAgent('qwen', {
  steps: (project) => [
    { tool: 'run_shell_command', args: { command: 'cat greet.txt', description: 'Show the greeting', is_background: false } },
    {
      tool: 'run_shell_command',
      args: { command: 'cat missing.txt; exit 3', description: 'Look for a missing file', is_background: false },
    },
    { tool: 'read_file', args: { file_path: `${project}/greet.txt` } },
    { tool: 'edit', args: { file_path: `${project}/greet.txt`, old_string: 'hello', new_string: 'hello world' } },
    { tool: 'mcp__recollect__memory_capture', args: { text: MEMORY_TOOL_TEXT } },
  ],
  uses: [
    { tool: 'run_shell_command', failed: false },
    { tool: 'run_shell_command', failed: true },
    { tool: 'read_file', failed: false },
    { tool: 'edit', failed: false },
  ],
})
