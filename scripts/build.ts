/**
 * Makes dist/, what is packed in place of the source: the program in a few files with the packages it uses inside, the page of the
 * viewer, `recollect/client` with its types, and the licences of what is inside. Runs before `npm pack`: `bin/with-bun scripts/build.ts`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleViewer } from '../src/worker/viewer-files.ts'
import { licences } from './licences.ts'

const root = join(import.meta.dir, '..')
const dist = join(root, 'dist')
for (const part of ['cli', 'client', 'types', 'viewer']) rmSync(join(dist, part), { recursive: true, force: true })
mkdirSync(dist, { recursive: true })

// All in one folder, two below the root like every room: what lies beside the program is found from there in both forms.
const entries = ['src/cli/main.ts', 'src/providers/minilm/thread.ts'].map((path) => join(root, path))
const naming = { entry: '[name].js', chunk: '[name]-[hash].js' }
await bundle('the program', { entrypoints: entries, outdir: join(dist, 'cli'), target: 'bun', splitting: true, naming })
await bundle('the client', { entrypoints: [join(root, 'src/client/client.ts')], outdir: join(dist, 'client'), target: 'node' })
await bundleViewer(join(dist, 'viewer'))
makeTypes(join(root, 'src/client/client.ts'))
writeFileSync(join(dist, 'licences.txt'), licences(root))

async function bundle(what: string, options: Parameters<typeof Bun.build>[0]): Promise<void> {
  const built = await Bun.build({ ...options, format: 'esm' })
  if (!built.success) throw new AggregateError(built.logs, `${what} could not be built`)
}

/** Node runs no TypeScript out of packages, and a program that uses the client wants its types. */
function makeTypes(entry: string): void {
  const flags = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--outDir', join(dist, 'types')]
  const settings = [
    '--ignoreConfig',
    '--stripInternal',
    '--target',
    'esnext',
    '--module',
    'preserve',
    '--moduleResolution',
    'bundler',
    '--strict',
  ]
  const types = ['--types', 'bun', '--allowImportingTsExtensions', '--rewriteRelativeImportExtensions', '--skipLibCheck']
  const tsc = join(root, 'node_modules/.bin/tsc')
  const ran = Bun.spawnSync([tsc, ...settings, ...types, ...flags, '--rootDir', join(root, 'src'), entry], { cwd: root })
  if (!ran.success) throw new Error(`the types of the client could not be made: ${ran.stdout}${ran.stderr}`)
}
