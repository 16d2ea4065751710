/** Makes a single-file executable: `bin/with-bun scripts/compile.ts [bun-linux-x64 | bun-darwin-arm64 | …] [folder]`, into dist/ unless told. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = join(import.meta.dir, '..')
const target = process.argv[2] ?? `bun-${process.platform}-${process.arch}`
const into = resolve(process.argv[3] ?? join(root, 'dist'))
const outfile = join(into, `recollect-${target.replace(/^bun-/, '')}`)
const folder = mkdtempSync(join(tmpdir(), 'recollect-compile-'))
try {
  mkdirSync(into, { recursive: true })
  const shipped: Record<string, string> = {}
  for (const part of ['assets', 'demo', 'docs/guide'])
    for (const path of new Bun.Glob(`${part}/**/*`).scanSync(root))
      shipped[path] = Buffer.from(await Bun.file(join(root, path)).bytes()).toString('base64')
  writeFileSync(join(folder, 'shipped.bin'), JSON.stringify(shipped))
  // What comes along is known before anything else is loaded.
  const entry = `import shipped from './shipped.bin' with { type: 'file' }
globalThis.recollectShipped = shipped
await import(${JSON.stringify(join(root, 'src/cli/main.ts'))})
`
  writeFileSync(join(folder, 'recollect.ts'), entry)
  const command = [process.execPath, 'build', '--compile', '--minify', `--target=${target}`, `--outfile=${outfile}`]
  const built = Bun.spawnSync([...command, join(folder, 'recollect.ts')], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] })
  if (!built.success) throw new Error('the executable could not be made')
  console.log(outfile)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
