/**
 * Writes the folder of an MCP bundle (.mcpb), which Claude Desktop and other programs install with one click: manifest, icon and the single-file executable.
 * `bin/with-bun scripts/mcpb.ts [bun-linux-x64 | bun-darwin-arm64 | …] [folder]`, by default dist/mcpb. Pack it with Anthropic's tool:
 * `npm exec --package=@anthropic-ai/mcpb@2.1.2 -- mcpb pack dist/mcpb recollect.mcpb`.
 */
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { configure, consolidate, status, sync } from '../src/mcp/maintenance-tools.ts'
import { capture, forget, update, verify } from '../src/mcp/note-tools.ts'
import { get, graph, recall, timeline } from '../src/mcp/search-tools.ts'
import { VERSION } from '../src/platform/version.ts'

const root = join(import.meta.dir, '..')
const target = process.argv[2] ?? `bun-${process.platform}-${process.arch}`
const into = resolve(process.argv[3] ?? join(root, 'dist', 'mcpb'))
const [, platform = ''] = /^bun-(linux|darwin)-/.exec(target) ?? []
if (platform === '') throw new Error(`"${target}" is not a platform; use for example bun-linux-x64 or bun-darwin-arm64`)

rmSync(into, { recursive: true, force: true })
mkdirSync(join(into, 'server'), { recursive: true })
const compiled = Bun.spawnSync([process.execPath, join(root, 'scripts', 'compile.ts'), target, join(into, 'server')], {
  stdio: ['ignore', 'ignore', 'inherit'],
})
if (!compiled.success) throw new Error('could not build the executable')
renameSync(join(into, 'server', `recollect-${target.replace(/^bun-/, '')}`), join(into, 'server', 'recollect'))
copyFileSync(join(root, 'plugin', '.claude-plugin', 'icon.png'), join(into, 'icon.png'))
writeFileSync(join(into, 'manifest.json'), `${JSON.stringify(manifest(), null, 2)}\n`)
console.log(into)

function manifest() {
  return {
    manifest_version: '0.3',
    name: 'recollect',
    display_name: 'Recollect',
    version: VERSION,
    description: 'Memory for coding agents: search, read and save what earlier sessions did, on your machine.',
    author: { name: 'Recollect' },
    license: 'MIT',
    icon: 'icon.png',
    keywords: ['memory', 'recall', 'notes', 'coding'],
    server: {
      type: 'binary',
      entry_point: 'server/recollect',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the program that installs the bundle replaces it
      mcp_config: { command: '${__dirname}/server/recollect', args: ['mcp'], env: {} },
    },
    tools: [recall, timeline, get, capture, verify, update, forget, graph, consolidate, sync, status, configure].map(
      ({ name, description }) => ({ name, description }),
    ),
    prompts_generated: true,
    compatibility: { platforms: [platform] },
  }
}
