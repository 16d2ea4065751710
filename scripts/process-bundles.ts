import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'

const root = join(import.meta.dir, '..')

/** Every file that a hook loads costs it time, so its straight path is one file and the rest another. */
const rareCases: BunPlugin = {
  name: 'rare cases',
  setup: ({ onResolve }) => void onResolve({ filter: /\/rare-cases\.ts$/ }, () => ({ path: './rare-cases.js', external: true })),
}

/** The MCP server and its packages are a third of the worker, which reads and keeps all of a file that it loads. */
const mcpServer: BunPlugin = {
  name: 'mcp server',
  setup: ({ onResolve }) => void onResolve({ filter: /\/mcp\/server\.ts$/ }, () => ({ path: './mcp-server.js', external: true })),
}

/**
 * Bundles the processes that people wait for: the hook, and the worker that the first one starts. With bytecode beside the files, Bun compiles nothing when
 * they start; another version of Bun ignores it and reads the source. Bytecode needs CommonJS, in which Bun would replace `import.meta.dir` by the folder of
 * the source on this machine.
 */
export async function bundleProcesses(outdir: string): Promise<void> {
  await bundleHook(outdir)
  await bundleWithBytecode('src/cli/worker-process.ts', 'worker-process.js', outdir, [mcpServer])
  await bundleWithBytecode('src/mcp/server.ts', 'mcp-server.js', outdir)
}

export async function bundleHook(outdir: string): Promise<void> {
  await bundleWithBytecode('src/hooks/main.ts', 'hook.js', outdir, [rareCases])
  await bundleWithBytecode('src/hooks/rare-cases.ts', 'rare-cases.js', outdir)
}

async function bundleWithBytecode(entry: string, file: string, outdir: string, plugins: BunPlugin[] = []): Promise<void> {
  const built = await Bun.build({
    entrypoints: [join(root, entry)],
    outdir,
    naming: file,
    target: 'bun',
    format: 'cjs',
    bytecode: true,
    minify: true,
    plugins,
    define: { 'import.meta.dir': 'module.path', 'import.meta.file': 'module.filename' },
  })
  if (!built.success) throw new AggregateError(built.logs, `could not build ${file}`)
  if (readFileSync(join(outdir, file), 'utf8').includes(root)) throw new Error(`${file} contains the path of its source`)
}
