import { test } from 'bun:test'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { holdLock } from '../../src/store/lock.ts'

/** The client our promises are tested against. */
export const PINNED = '2.1.325'

/**
 * The last client for which an `http` hook voids the whole settings file (2.1.49 to 2.1.62 skip such a hook, later ones run it).
 * Plain JavaScript, run by Node. Stands for everyone who has not updated.
 */
export const WITHOUT_HTTP_HOOKS = '2.1.47'

/**
 * The executable of the real client, called `claude` and alone in its folder but for its packages, so that the folder can stand
 * on a PATH. Fetched from npm the first time, into the person's cache; a version never changes, so it is never fetched again.
 */
export async function claudeClient(version: string = PINNED): Promise<string> {
  const folder = await kept(`claude-code-${version}`, (making) => install(version, making))
  return join(folder, 'claude')
}

/** A program from npm that judges us and is no part of us: the folder it is installed in, fetched once. */
export function judge(name: string, version: string): Promise<string> {
  const folder = `${name.replace(/^@|\//g, '-').replace(/^-/, '')}-${version}`
  return kept(folder, (making) => npmInstall(making, `${name}@${version}`))
}

/** A folder of the cache that is there whole or not at all: it is built under another name and moved into place. */
async function kept(name: string, build: (making: string) => Promise<void>): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'recollect-test')
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  await alone(`${folder}.lock`, async () => {
    if (existsSync(folder)) return
    const making = `${folder}.making`
    await rm(making, { recursive: true, force: true })
    await mkdir(making)
    await build(making)
    await rename(making, folder)
  })
  return folder
}

/**
 * `test` when the client is at hand, else a `test` that skips, with a word why: someone on a train can still run the rest.
 * In CI a missing client is a failure, because there the skip would pass for a proof.
 */
export const clientOrSkip = (version: string = PINNED) => orSkip(`Claude Code ${version}`, () => claudeClient(version))

/** The same for what else comes from npm. */
export async function orSkip(what: string, fetch: () => Promise<unknown>) {
  try {
    await fetch()
    return test
  } catch (cause) {
    if (process.env.CI) throw cause
    console.warn(`Flows that need ${what} are skipped. ${(cause as Error).message}`)
    return test.skipIf(true)
  }
}

/** Test files run in several processes, and each may be the first to need the client. */
export async function alone(lock: string, work: () => Promise<void>): Promise<void> {
  for (;;) {
    const held = holdLock(lock)
    if (!held) {
      await Bun.sleep(200)
      continue
    }
    try {
      return await work()
    } finally {
      held.release()
    }
  }
}

async function install(version: string, making: string): Promise<void> {
  await npmInstall(making, `@anthropic-ai/claude-code@${version}`)
  const packages = join('node_modules', '@anthropic-ai')
  const native = (await readdir(join(making, packages))).find((name) => existsSync(join(making, packages, name, 'claude')))
  const claude = join(making, 'claude')
  if (native) await symlink(join(packages, native, 'claude'), claude)
  else await writeFile(claude, `#!/bin/sh\nexec node "$(dirname "$0")/${packages}/claude-code/cli.js" "$@"\n`)
  await chmod(claude, 0o755)
}

async function npmInstall(folder: string, spec: string): Promise<void> {
  // Install scripts stay off: they would only copy the platform's binary over a placeholder, and we take it where it lies.
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', spec]
  const npm = Bun.spawn(['npm', ...args], { cwd: folder, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const [code, said] = await Promise.all([npm.exited, npm.stderr.text()])
  if (code === 0) return
  const reason = said.trim().split('\n').slice(0, 3).join(' | ')
  throw new Error(`npm could not install ${spec} (${reason}). Connect to an npm registry once and run again; it is then kept.`)
}
