import { test } from 'bun:test'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { holdLock } from '../../src/store/lock.ts'

/** The client version that we test with. */
export const PINNED = '2.1.325'

/**
 * The last client that ignores the whole settings file because of an `http` hook (2.1.49 to 2.1.62 skip such a hook, later ones run it). Plain
 * JavaScript, run by Node. Represents old installations.
 */
export const WITHOUT_HTTP_HOOKS = '2.1.47'

/**
 * The executable of the real client, named `claude`, in a folder that can be put on the PATH. Downloaded from npm into the person's cache the first
 * time; a version never changes, so it is downloaded only once.
 */
export async function claudeClient(version: string = PINNED): Promise<string> {
  const folder = await cachedFolder(`claude-code-${version}`, (partial) => install(version, partial))
  return join(folder, 'claude')
}

/** Installs a program from npm that checks our output but is not a dependency. Returns its folder; downloaded only once. */
export function installJudge(name: string, version: string): Promise<string> {
  const folder = `${name.replace(/^@|\//g, '-').replace(/^-/, '')}-${version}`
  return cachedFolder(folder, (partial) => npmInstall(partial, `${name}@${version}`))
}

/** Installs packages into a folder of the cache, and lets `finish` complete it. Returns the folder; downloaded only once. */
export function installFromNpm(name: string, specs: string[], finish: (partial: string) => Promise<void>): Promise<string> {
  return cachedFolder(name, async (partial) => {
    for (const spec of specs) await npmInstall(partial, spec)
    await finish(partial)
  })
}

/** Unpacks a package from npm without what it depends on, for a file in it that we only read or import. Returns its folder; downloaded only once. */
export function unpackFromNpm(name: string, version: string): Promise<string> {
  return cachedFolder(`${name.replace(/^@|\//g, '-').replace(/^-/, '')}-${version}-unpacked`, async (partial) => {
    const npm = Bun.spawn(['npm', 'pack', '--silent', `${name}@${version}`], {
      cwd: partial,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [code, tarball, stderr] = await Promise.all([npm.exited, npm.stdout.text(), npm.stderr.text()])
    if (code !== 0) throw new Error(`npm could not download ${name}@${version} (${stderr.trim().split('\n')[0]})`)
    const tar = Bun.spawnSync(['tar', 'xzf', tarball.trim(), '--strip-components=1'], { cwd: partial })
    if (!tar.success) throw new Error(`could not unpack ${name}@${version}: ${tar.stderr}`)
  })
}

/** A folder of the cache, created atomically: it is built under another name and then renamed. */
async function cachedFolder(name: string, build: (partial: string) => Promise<void>): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'recollect-test')
  const folder = join(cache, name)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  await withLock(`${folder}.lock`, async () => {
    if (existsSync(folder)) return
    const partial = `${folder}.making`
    await rm(partial, { recursive: true, force: true })
    await mkdir(partial)
    await build(partial)
    await rename(partial, folder)
  })
  return folder
}

/**
 * `test` if the client is available, otherwise a `test` that skips and prints why, so that the rest can run offline. In CI a missing client is an
 * error, so that a skipped test does not look like a passed one.
 */
export const clientOrSkip = (version: string = PINNED) => orSkip(`Claude Code ${version}`, () => claudeClient(version))

/** Like `clientOrSkip`, for other packages from npm. */
export async function orSkip(what: string, fetch: () => Promise<unknown>) {
  try {
    await fetch()
    return test
  } catch (cause) {
    if (process.env.CI) throw cause
    console.warn(`Skipping the flows that need ${what}. ${(cause as Error).message}`)
    return test.skipIf(true)
  }
}

/** Holds a lock during `work`: test files run in several processes, and each may be the first to need the client. */
export async function withLock(lock: string, work: () => Promise<void>): Promise<void> {
  for (;;) {
    const acquired = holdLock(lock)
    if (!acquired) {
      await Bun.sleep(200)
      continue
    }
    try {
      return await work()
    } finally {
      acquired.release()
    }
  }
}

async function install(version: string, folder: string): Promise<void> {
  await npmInstall(folder, `@anthropic-ai/claude-code@${version}`)
  const packages = join('node_modules', '@anthropic-ai')
  const native = (await readdir(join(folder, packages))).find((name) => existsSync(join(folder, packages, name, 'claude')))
  const claude = join(folder, 'claude')
  if (native) await symlink(join(packages, native, 'claude'), claude)
  else await writeFile(claude, `#!/bin/sh\nexec node "$(dirname "$0")/${packages}/claude-code/cli.js" "$@"\n`)
  await chmod(claude, 0o755)
}

/** Installs a package into a folder; without one, what the package.json of the folder names. */
export async function npmInstall(folder: string, spec?: string): Promise<void> {
  // No install scripts: they only copy the platform's binary over a placeholder, and we use it where it is.
  const flags = ['--prefix', folder, '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const args = ['install', ...flags, ...(spec ? [spec] : [])]
  const npm = Bun.spawn(['npm', ...args], { cwd: folder, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const [code, stderr] = await Promise.all([npm.exited, npm.stderr.text()])
  if (code === 0) return
  const reason = stderr.trim().split('\n').slice(0, 3).join(' | ')
  throw new Error(
    `npm could not install ${spec ?? folder} (${reason}). Connect to an npm registry and run the tests again; it is downloaded only once.`,
  )
}
