/**
 * Builds the plugin as it is released: a marketplace folder with the plugin and the program in it. `bin/with-bun scripts/plugin-package.ts [folder]`, by
 * default dist/marketplace. Add it with `claude plugin marketplace add <folder>`.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const root = join(import.meta.dir, '..')
const into = resolve(process.argv[2] ?? join(root, 'dist', 'marketplace'))
const work = mkdtempSync(join(tmpdir(), 'recollect-plugin-'))
try {
  rmSync(into, { recursive: true, force: true })
  const program = join(into, 'plugin', 'program')
  for (const folder of ['.claude-plugin', 'plugin']) cpSync(join(root, folder), join(into, folder), { recursive: true })
  const packed = run(['npm', 'pack', '--silent', '--pack-destination', work], root)
  mkdirSync(program)
  run(['tar', 'xzf', join(work, packed.trim().split('\n').at(-1) ?? ''), '--strip-components=1', '-C', program], root)
  // The program needs no plugin inside the plugin, and its manifest no scripts.
  for (const part of ['plugin', '.claude-plugin']) rmSync(join(program, part), { recursive: true })
  const { name, version, license, type, bin, dependencies, os } = JSON.parse(readFileSync(join(program, 'package.json'), 'utf8'))
  const manifest = { name, version, private: true, license, type, bin, dependencies, os }
  writeFileSync(join(program, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  console.log(into)
} finally {
  rmSync(work, { recursive: true, force: true })
}

function run(command: string[], cwd: string): string {
  const ran = Bun.spawnSync(command, { cwd, stdout: 'pipe', stderr: 'pipe' })
  if (!ran.success) throw new Error(`${command[0]} failed: ${ran.stderr}`)
  return ran.stdout.toString()
}
