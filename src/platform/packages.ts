import { join } from 'node:path'
import { ensurePrivateFolder, exists, readJsonIfThere } from './files.ts'
import { runProgram } from './processes.ts'

const INSTALL_TIMEOUT_MS = 5 * 60_000

/** Where a package lies that is fetched only when somebody wants it. */
export const packagePath = (folder: string, name: string) => join(folder, 'node_modules', name)

/** Fetches a package into a folder of ours, without what it only suggests. Returns why not, in words for the person; null when it is there. */
export async function installPackage(folder: string, name: string, version: string): Promise<string | null> {
  if (isPackageComplete(packagePath(folder, name), version)) return null
  ensurePrivateFolder(folder)
  const what = `${name}@${version}`
  const options = [
    '--omit=optional',
    '--omit=peer',
    '--legacy-peer-deps',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const ran = await runProgram('npm', ['install', '--prefix', folder, ...options, what], { timeoutMs: INSTALL_TIMEOUT_MS, cwd: folder })
  if (ran.code === 0 && isPackageComplete(packagePath(folder, name), version)) return null
  const reason = ran.stderr.trim().split('\n')[0]?.slice(0, 200) || (ran.code === 0 ? 'what came is not whole' : 'npm is not there')
  return `${what} could not be fetched (${reason}); 'npm install --prefix ${folder} --omit=optional --legacy-peer-deps ${what}' fetches it by hand`
}

/** A fetch that was broken off leaves a folder behind, and a newer program of ours wants another version. */
function isPackageComplete(folder: string, version: string): boolean {
  const own = readJsonIfThere(join(folder, 'package.json')) as { version?: unknown; main?: unknown } | null
  return own?.version === version && typeof own.main === 'string' && exists(join(folder, own.main))
}
