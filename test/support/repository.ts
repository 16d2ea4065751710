import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A commit for `addCommits`. Times are seconds. */
export type TestCommit = { message: string; files?: string[]; at?: number; author?: string }

/** A real git repository in a folder, without the configuration of the person who runs the tests. */
export function aRepository(folder: string, { bare = false } = {}) {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1', ...WHO }
  const git = (args: string[], stdin?: string | Uint8Array): string => {
    const ran = Bun.spawnSync(['git', '-C', folder, ...args], { env, stdin: stdin === undefined ? 'ignore' : Buffer.from(stdin) })
    if (ran.exitCode !== 0) throw new Error(`git ${args[0]}: ${ran.stderr}`)
    return ran.stdout.toString().trim()
  }
  const init = Bun.spawnSync(['git', 'init', '--quiet', '-b', 'main', ...(bare ? ['--bare'] : []), folder], { env })
  if (init.exitCode !== 0) throw new Error(`git init: ${init.stderr}`)
  return {
    folder,
    git,
    /** Commits one file and returns the hash. */
    commit: (message: string, file = 'a.txt'): string => {
      writeFileSync(join(folder, file), `${message}\n`)
      git(['add', '--all'])
      git(['commit', '--quiet', '-F', '-'], message)
      return git(['rev-parse', 'HEAD'])
    },
    /** Adds many commits to main at once, oldest first. */
    addCommits: (commits: TestCommit[]): void => {
      const text = commits.map(({ message, files = ['a.txt'], at, author = 'Ada' }, n) => {
        const changes = files.map((file) => `M 100644 inline ${file}\ndata ${String(n).length}\n${n}\n`).join('')
        const from = n === 0 ? '' : `from :${n}\n`
        const data = `data ${Buffer.byteLength(message)}\n${message}\n`
        return `commit refs/heads/main\nmark :${n + 1}\ncommitter ${author} <ada@example.org> ${at ?? FIRST_COMMIT_AT + n * 60} +0000\n${data}${from}${changes}\n`
      })
      git(['fast-import', '--quiet', '--force'], text.join(''))
      if (!bare) git(['reset', '--quiet', '--hard', 'main'])
    },
  }
}

const FIRST_COMMIT_AT = 1_700_000_000
const WHO = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Ada'],
    [`GIT_${role}_EMAIL`, 'ada@example.org'],
  ]),
)
