/** Makes dist/client.js and its types, which `recollect/client` is: Node runs no TypeScript out of packages. Runs before `npm pack`. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const out = join(root, 'dist')
rmSync(join(out, 'client'), { recursive: true, force: true })
const entry = join(root, 'src/client/client.ts')
const built = await Bun.build({ entrypoints: [entry], outdir: join(out, 'client'), target: 'node', format: 'esm' })
if (!built.success) throw new AggregateError(built.logs, 'the client could not be built')
const flags = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--outDir', out]
const settings = ['--ignoreConfig', '--target', 'esnext', '--module', 'preserve', '--moduleResolution', 'bundler', '--strict']
const types = ['--types', 'bun', '--allowImportingTsExtensions', '--rewriteRelativeImportExtensions', '--skipLibCheck']
const tsc = Bun.spawnSync([join(root, 'node_modules/.bin/tsc'), ...settings, ...types, ...flags, '--rootDir', join(root, 'src'), entry], {
  cwd: root,
})
if (!tsc.success) throw new Error(`the types of the client could not be made: ${tsc.stdout}${tsc.stderr}`)
