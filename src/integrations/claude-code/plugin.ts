import { eventsFor, HOOK_GUARD, HOOK_TIMEOUT_SECONDS } from './settings.ts'

/**
 * The generated files of the plugin: its manifest, its hooks (the events that all supported clients know), its MCP server and the
 * marketplace entry. `run.sh`, skills and commands are written by hand. `scripts/plugin.ts` writes these files, and a test fails when they
 * are out of date.
 */
export function pluginFiles(version: string): Record<string, string> {
  const about = 'Persistent memory for Claude Code: remembers your sessions on your machine and recalls them in the next one.'
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  const hook = (event: string) => ({
    type: 'command',
    command: `"\${CLAUDE_PLUGIN_ROOT}"/run.sh hook claude-code ${event} --plugin ${HOOK_GUARD}`,
    timeout: HOOK_TIMEOUT_SECONDS,
  })
  return {
    '.claude-plugin/marketplace.json': json({
      name: PLUGIN_NAME,
      owner: { name: 'Recollect' },
      description: 'Recollect from a folder on this machine.',
      plugins: [{ name: PLUGIN_NAME, source: './plugin', description: about, version }],
    }),
    // Old clients refuse a manifest with a field that they do not know, so the icon is found by its place, .claude-plugin/icon.png.
    'plugin/.claude-plugin/plugin.json': json({
      name: PLUGIN_NAME,
      version,
      description: about,
      author: { name: 'Recollect' },
      license: 'MIT',
      keywords: ['memory', 'recall', 'notes', 'search', 'sessions', 'local'],
    }),
    'plugin/hooks/hooks.json': json({
      hooks: Object.fromEntries(eventsFor(OLDEST_CLIENT_VERSION).map((event) => [event, [{ hooks: [hook(event)] }]])),
    }),
    'plugin/.mcp.json': json({ mcpServers: { recollect: { command: `\${CLAUDE_PLUGIN_ROOT}/run.sh`, args: ['mcp', '--plugin'] } } }),
  }
}

const PLUGIN_NAME = 'recollect'

/**
 * All clients share one plugin, and a client that meets an unknown event loads none of its hooks. So newer events (a compaction, a failed
 * turn) are left out; the transcript has them.
 */
const OLDEST_CLIENT_VERSION = '2.0.56'
