/**
 * Builds dist/, which is packed instead of the source: the program bundled with its dependencies, the viewer, `recollect/client` with its types,
 * and the licences of the bundled packages. Runs before `npm pack`: `bin/with-bun scripts/build.ts`.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundleViewer } from '../src/worker/viewer-bundle.ts'
import { licences } from './licences.ts'
import { bundleProcesses } from './process-bundles.ts'

const root = join(import.meta.dir, '..')
const dist = join(root, 'dist')
for (const part of ['cli', 'client', 'types', 'viewer']) rmSync(join(dist, part), { recursive: true, force: true })
mkdirSync(dist, { recursive: true })

// All in one folder, two levels below the root like every room, so that neighbouring files have the same relative path in both forms.
const entries = ['src/cli/main.ts', 'src/minilm/thread.ts'].map((path) => join(root, path))
const naming = { entry: '[name].js', chunk: '[name]-[hash].js' }
await bundle('the program', { entrypoints: entries, outdir: join(dist, 'cli'), target: 'bun', splitting: true, naming })
await bundleProcesses(join(dist, 'cli'))
await bundle('the client', { entrypoints: [join(root, 'src/client/client.ts')], outdir: join(dist, 'client'), target: 'node' })
await bundleViewer(join(dist, 'viewer'))
makeTypes(join(root, 'src/client/client.ts'))
writeFileSync(join(dist, 'licences.txt'), licences(root))

async function bundle(what: string, options: Parameters<typeof Bun.build>[0]): Promise<void> {
  const built = await Bun.build({ ...options, format: 'esm' })
  if (!built.success) throw new AggregateError(built.logs, `could not build ${what}`)
}

/** Node does not run TypeScript from packages, so the client is built and gets separate type declarations. */
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
  const resolution = ['--types', 'bun', '--allowImportingTsExtensions', '--rewriteRelativeImportExtensions', '--skipLibCheck']
  const tsc = join(root, 'node_modules/.bin/tsc')
  const ran = Bun.spawnSync([tsc, ...settings, ...resolution, ...flags, '--rootDir', join(root, 'src'), entry], { cwd: root })
  if (!ran.success) throw new Error(`could not build the client's types: ${ran.stdout}${ran.stderr}`)
  const types = join(dist, 'types')
  const needed = typeFiles(join(types, 'client', 'client.d.ts'))
  for (const file of new Bun.Glob('**/*.d.ts').scanSync(types)) if (!needed.has(join(types, file))) rmSync(join(types, file))
}

/** The file and those it imports. The compiler also writes the types of files that only the implementation uses, and some of those need zod. */
function typeFiles(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found
  found.add(file)
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)\.ts'/g))
    typeFiles(join(dirname(file), `${path}.d.ts`), found)
  return found
}
