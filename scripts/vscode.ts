/**
 * Builds the VS Code extension: one file with everything in it. `npm run vscode` also packages it as `vscode/recollect.vsix`, with vsce, which is no
 * dependency and is installed into the cache of the tests.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeForTests } from '../test/harness/agent-clients.ts'
import { installJudge } from '../test/harness/client.ts'

const extension = join(import.meta.dir, '..', 'vscode')
const VSCE_VERSION = '4.1.0'

export async function buildExtension(): Promise<void> {
  const built = await Bun.build({
    entrypoints: [join(extension, 'src', 'extension.ts')],
    outdir: join(extension, 'dist'),
    target: 'node',
    format: 'cjs',
    external: ['vscode'],
    minify: true,
    banner: 'const loadedAt = performance.now(), loadedCpu = process.threadCpuUsage?.();',
  })
  if (!built.success) throw new AggregateError(built.logs, 'could not build the extension')
}

/** Packages the extension. Returns what vsce said beyond that it is done: nothing, if nothing is wrong. */
export async function packageExtension(file: string): Promise<string> {
  await buildExtension()
  const [vsce, node] = await Promise.all([installJudge('@vscode/vsce', VSCE_VERSION), nodeForTests()])
  const command = [
    join(node, 'node'),
    join(vsce, 'node_modules', '@vscode', 'vsce', 'vsce'),
    'package',
    '--no-dependencies',
    '--allow-missing-repository',
    '--out',
    file,
  ]
  const child = Bun.spawn(command, {
    cwd: extension,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: `${node}:${process.env.PATH}`, HOME: process.env.HOME ?? '' },
  })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`vsce could not package the extension: ${stderr}${stdout}`)
  return `${stdout}${stderr}`
}

if (import.meta.main) {
  const file = join(extension, 'recollect.vsix')
  console.log(await packageExtension(file))
  console.log(`${file}: ${(readFileSync(file).length / 1024).toFixed(0)} KB`)
}
