import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../support/builders.ts'

/** Tests that mount something need Linux and root. Elsewhere they are skipped, and fail where CI is set. */
export const lacksMounts =
  !process.env.CI &&
  (process.platform !== 'linux' || Bun.spawnSync(['unshare', '-m', 'mount', '-t', 'tmpfs', 'none', '/mnt']).exitCode !== 0)

const MB = 1024 * 1024

/** A process with mounts of its own. They are gone when it ends, whatever happens to the test. */
export async function mountPrivately(script: string) {
  const child = Bun.spawn(['unshare', '-m', '--propagation', 'private', 'sh', '-c', `${script} && echo ready && exec sleep 3600`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const reader = child.stdout.getReader()
  if ((await reader.read()).done) throw new Error(`could not mount: ${await child.stderr.text()}`)
  const prefix = ['nsenter', '-t', String(child.pid), '-m']
  return {
    /** Runs a command where the mounts are seen. */
    prefix,
    view: `/proc/${child.pid}/root`,
    run: (...command: string[]) => {
      const ran = Bun.spawnSync([...prefix, ...command])
      if (ran.exitCode !== 0) throw new Error(`${command.join(' ')}: ${ran.stderr.toString()}`)
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** A small disk of its own. Only processes with its `prefix` see it. */
export async function aSmallDisk(megabytes: number) {
  const folder = temporaryFolder()
  const mounts = await mountPrivately(`mount -t tmpfs -o size=${megabytes}m,mode=0700 small ${folder.path}`)
  const seen = mounts.view + folder.path
  return {
    ...mounts,
    folder: folder.path,
    /** Fills the disk until this many bytes are free. */
    fill: (free: number) => {
      mkdirSync(join(seen, 'filler'), { recursive: true })
      const { bavail, bsize } = statfsSync(seen)
      try {
        for (let left = bavail * bsize - free, n = 0; left > 0; n++, left -= MB)
          writeFileSync(join(seen, 'filler', String(n)), Buffer.alloc(Math.min(left, MB)))
      } catch (cause) {
        // The worker writes at the same time.
        if ((cause as NodeJS.ErrnoException).code !== 'ENOSPC') throw cause
      }
    },
    empty: () => rmSync(join(seen, 'filler'), { recursive: true, force: true }),
    /** Waits until no process writes to it any more. */
    setReadOnly: async (isReadOnly: boolean) => {
      const remount = () => mounts.run('mount', '-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder.path)
      for (let attempt = 0; attempt < 100; attempt++) {
        try {
          return remount()
        } catch {
          await Bun.sleep(100)
        }
      }
      remount()
    },
    [Symbol.asyncDispose]: async () => {
      await mounts[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}
