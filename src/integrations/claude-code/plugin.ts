import { HOOKS, timeoutSeconds } from './settings.ts'

/**
 * The files of the plugin that are made: its manifest, its hooks (the events of `init` that all its clients know), its MCP server and the marketplace
 * that offers it. The rest (`run.sh`, skills, commands) is written by hand beside them. `scripts/plugin.ts` writes these, and a test says
 * when somebody forgot to.
 */
export function pluginFiles(version: string): Record<string, string> {
  const about = 'Persistent memory for Claude Code: what happened is remembered on your machine and is back in the next session.'
  const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  const hook = (event: string, seconds: number | undefined) => ({
    type: 'command',
    command: `"\${CLAUDE_PLUGIN_ROOT}"/run.sh hook claude-code ${event} --plugin`,
    timeout: timeoutSeconds(seconds),
  })
  const events = HOOKS.filter(({ since }) => Bun.semver.order(since, OLDEST_CLIENT_VERSION) <= 0)
  return {
    '.claude-plugin/marketplace.json': json({
      name: PLUGIN_NAME,
      owner: { name: 'Recollect' },
      description: 'Recollect from a folder on this machine.',
      plugins: [{ name: PLUGIN_NAME, source: './plugin', description: about, version }],
    }),
    'plugin/.claude-plugin/plugin.json': json({
      name: PLUGIN_NAME,
      version,
      description: about,
      author: { name: 'Recollect' },
      license: 'MIT',
      keywords: ['memory', 'recall', 'notes'],
    }),
    'plugin/hooks/hooks.json': json({
      hooks: Object.fromEntries(events.map(({ event, seconds }) => [event, [{ hooks: [hook(event, seconds)] }]])),
    }),
    'plugin/.mcp.json': json({ mcpServers: { recollect: { command: `\${CLAUDE_PLUGIN_ROOT}/run.sh`, args: ['mcp', '--plugin'] } } }),
  }
}

const PLUGIN_NAME = 'recollect'

/**
 * The plugin is one for all clients, and one that meets an event it does not know loads none of its hooks. What later events would tell
 * (a compaction, a turn that failed) stands in the transcript.
 */
const OLDEST_CLIENT_VERSION = '2.0.56'
