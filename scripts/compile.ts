/** Builds a single-file executable: `bin/with-bun scripts/compile.ts [bun-linux-x64 | bun-darwin-arm64 | …] [folder]`, by default into dist/. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { bundleViewer } from '../src/worker/viewer-bundle.ts'
import { licences } from './licences.ts'

const root = join(import.meta.dir, '..')
const target = process.argv[2] ?? `bun-${process.platform}-${process.arch}`
const into = resolve(process.argv[3] ?? join(root, 'dist'))
const outfile = join(into, `recollect-${target.replace(/^bun-/, '')}`)
const folder = mkdtempSync(join(tmpdir(), 'recollect-compile-'))
try {
  mkdirSync(into, { recursive: true })
  const generated = join(folder, 'generated')
  await bundleViewer(join(generated, 'dist', 'viewer'))
  writeFileSync(join(generated, 'dist', 'licences.txt'), licences(root))
  const shipped: Record<string, string> = {}
  for (const [from, parts] of [
    [root, ['assets', 'demo', 'docs/guide']],
    [generated, ['dist']],
  ] as const)
    for (const part of parts)
      for (const path of new Bun.Glob(`${part}/**/*`).scanSync(from))
        shipped[path] = Buffer.from(await Bun.file(join(from, path)).bytes()).toString('base64')
  writeFileSync(join(folder, 'shipped.bin'), JSON.stringify(shipped))
  // The shipped files must be known before anything else is loaded.
  const entry = (path: string) => `import shipped from './shipped.bin' with { type: 'file' }
globalThis.recollectShipped = shipped
await import(${JSON.stringify(join(root, path))})
`
  writeFileSync(join(folder, 'recollect.ts'), entry('src/cli/main.ts'))
  // A thread is started by its file name, so it is a separate entry next to the program.
  writeFileSync(join(folder, 'thread.ts'), entry('src/minilm/thread.ts'))
  const command = [
    process.execPath,
    'build',
    '--compile',
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    '--minify',
    `--target=${target}`,
    `--outfile=${outfile}`,
  ]
  const entries = [join(folder, 'recollect.ts'), join(folder, 'thread.ts')]
  const built = Bun.spawnSync([...command, ...entries], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (!built.success) throw new Error('could not build the executable')
  console.log(outfile)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
