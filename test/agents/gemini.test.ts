import { MEMORY_TOOL_TEXT, testAgent } from './agent-flow.ts'

await testAgent('gemini', {
  steps: () => [
    { tool: 'run_shell_command', args: { command: 'cat greet.txt', description: 'Show the greeting' } },
    { tool: 'run_shell_command', args: { command: 'cat missing.txt; exit 3', description: 'Look for a file that is not there' } },
    { tool: 'replace', args: { file_path: 'greet.txt', instruction: 'Greet the world', old_string: 'hello', new_string: 'hello world' } },
    { tool: 'read_file', args: { file_path: 'nowhere.txt' } },
    { tool: 'mcp_recollect_memory_capture', args: { text: MEMORY_TOOL_TEXT } },
  ],
  uses: [
    { tool: 'run_shell_command', failed: false },
    { tool: 'run_shell_command', failed: true },
    { tool: 'replace', failed: false },
    { tool: 'read_file', failed: true },
  ],
})
