import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { jsonFields } from '../core/json-object.ts'
import { ensurePrivateFolder, exists, readJsonIfThere } from './files.ts'
import { runProgram } from './processes.ts'

const INSTALL_TIMEOUT_MS = 5 * 60_000

/** The folder of a package that is installed on demand. */
export const packagePath = (folder: string, name: string) => join(folder, 'node_modules', name)

/** Installs a package without its optional and peer dependencies. Returns null, or the reason why it failed, for the person. */
export async function installPackage(folder: string, name: string, version: string): Promise<string | null> {
  const path = packagePath(folder, name)
  if (isPackageComplete(path, version)) return null
  ensurePrivateFolder(folder)
  // npm does not look inside: a package without its module is up to date for it.
  rmSync(path, { recursive: true, force: true })
  const spec = `${name}@${version}`
  const options = [
    '--omit=optional',
    '--omit=peer',
    '--legacy-peer-deps',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const ran = await runProgram('npm', ['install', '--prefix', folder, ...options, spec], { timeoutMs: INSTALL_TIMEOUT_MS, cwd: folder })
  if (ran.code === 0 && isPackageComplete(path, version)) return null
  const reason = ran.stderr.trim().split('\n')[0]?.slice(0, 200) || (ran.code === 0 ? 'the package is incomplete' : 'npm is not installed')
  return `could not install ${spec} (${reason}). To install it by hand: npm install --prefix ${folder} --omit=optional --legacy-peer-deps ${spec}`
}

/** An interrupted install leaves an incomplete folder, and a newer Recollect may need another version. */
function isPackageComplete(folder: string, version: string): boolean {
  const { version: installed, main } = jsonFields(readJsonIfThere(join(folder, 'package.json')))
  return installed === version && typeof main === 'string' && exists(join(folder, main))
}
