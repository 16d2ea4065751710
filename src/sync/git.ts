import { join } from 'node:path'
import { SYNCED_FOLDER } from '../notes/notes.ts'
import { ensurePrivateFolder, exists, readIfThere, statIfThere, writeFileAtomically } from '../platform/files.ts'
import { filesIn, removeFile } from '../platform/folder.ts'
import { type ProgramResult, runForBytes, runProgram } from '../platform/processes.ts'

/** The repository of the notes, and functions that run git in it. */
export type Repository = {
  /** The folder of the notes, which is the work tree. */
  folder: string
  /** Runs git and returns its output. Throws with git's error message if it fails. */
  git(args: string[], given?: GitCallOptions): Promise<string>
  /** Runs git where failure is an expected outcome. */
  tryGit(args: string[], given?: GitCallOptions): Promise<ProgramResult>
  /** The contents of objects, in the given order. */
  read(objects: string[]): Promise<Uint8Array[]>
}

type GitCallOptions = { stdin?: string | Uint8Array; index?: string; timeoutMs?: number; ssh?: string }

/** The only branch that is used. */
export const BRANCH = 'refs/heads/main'
/** The empty tree. Its id is the same in every repository. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** Long enough for a slow disk. Network calls have their own timeout. */
const LOCAL_TIMEOUT_MS = 120_000

/** Opens the repository in the home, and creates it on first use. Returns a message if that is not possible. */
export async function openRepository(home: string, machine: string, now: number): Promise<Repository | string> {
  const folder = join(home, SYNCED_FOLDER)
  ensurePrivateFolder(folder)
  const own = join(folder, '.git')
  if (exists(own) && !statIfThere(own)?.isDirectory()) return `${own} is not a folder, so the notes cannot be synced; move it elsewhere`
  const repository = gitIn(own, folder, machine, now)
  if (exists(own)) await clearLocks(own)
  // If one of these is missing, an earlier `git init` was killed; running it again completes the repository.
  if (!readIfThere(join(own, 'HEAD')) || !exists(join(own, 'objects', 'info')) || !exists(join(own, 'objects', 'pack'))) {
    const made = await repository.tryGit(['init', '--quiet', '--template=', '--initial-branch=main'])
    if (made.code === null) return 'git is not installed; install it to sync notes'
    if (made.code !== 0) return `git cannot create a repository in ${folder} (${gitErrorLine(made.stderr)})`
  }
  const attributes = join(own, 'info', 'attributes')
  if (readIfThere(attributes) !== BYTE_EXACT_ATTRIBUTES) {
    ensurePrivateFolder(join(own, 'info'))
    writeFileAtomically(attributes, BYTE_EXACT_ATTRIBUTES)
  }
  if (readIfThere(join(own, 'HEAD'))?.trim() !== `ref: ${BRANCH}`)
    return `${folder} is not on the branch main, so it is not synced; run 'git -C ${folder} checkout main' to sync it again`
  return { folder, ...repository }
}

/** Notes have the same bytes on every machine: git must not change line ends or run filters, whatever attributes a remote contains. */
const BYTE_EXACT_ATTRIBUTES = '* -text -filter -ident -eol -working-tree-encoding\n'

/** Runs git in any repository with the same safe settings. Also used for the mirror in a project's own repository. */
export function gitIn(gitFolder: string, workTree: string | null, machine: string, now: number): Omit<Repository, 'folder'> {
  const front = [`--git-dir=${gitFolder}`, ...(workTree ? [`--work-tree=${workTree}`] : []), ...GIT_SETTINGS.flatMap((one) => ['-c', one])]
  const options = ({ stdin, index, timeoutMs = LOCAL_TIMEOUT_MS, ssh }: GitCallOptions) => ({
    ...(stdin === undefined ? {} : { stdin }),
    ...(workTree ? { cwd: workTree } : { cwd: gitFolder }),
    timeoutMs,
    environment: {
      without: /^(GIT_|SSH_ASKPASS)/,
      with: { ...identity(machine, now), ...(index ? { GIT_INDEX_FILE: index } : {}), ...(ssh ? { GIT_SSH_COMMAND: ssh } : {}) },
    },
  })
  const tryGit = (args: string[], given: GitCallOptions = {}) => runProgram('git', [...front, ...args], options(given))
  return {
    tryGit,
    git: async (args, given = {}) => {
      const ran = await tryGit(args, given)
      if (ran.code !== 0) throw new Error(`git ${args[0]} failed: ${gitErrorLine(ran.stderr)}`)
      return ran.stdout
    },
    read: async (objects) => {
      if (objects.length === 0) return []
      const ran = await runForBytes('git', [...front, 'cat-file', '--batch'], options({ stdin: `${objects.join('\n')}\n` }))
      if (ran.code !== 0) throw new Error(`git cat-file failed: ${gitErrorLine(ran.stderr)}`)
      return contentsIn(ran.stdout, objects)
    },
  }
}

const NETWORK_TIMEOUT_MS = 60_000

/** Options for network calls: a timeout, no password prompts, and the ssh command that the person configured. */
export async function networkOptions(git: Pick<Repository, 'tryGit'>): Promise<{ timeoutMs: number; ssh: string }> {
  const own = (await git.tryGit(['config', '--get', 'core.sshCommand'])).stdout.trim()
  return { timeoutMs: NETWORK_TIMEOUT_MS, ssh: `${own || 'ssh'} -oBatchMode=yes -oConnectTimeout=10` }
}

/** Settings that must not depend on the person's git configuration, or that keep a remote from making git run anything. */
const GIT_SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.autocrlf=false',
  'core.safecrlf=false',
  'core.attributesFile=/dev/null',
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'core.fileMode=false',
  'core.quotePath=false',
  'core.precomposeUnicode=true',
  'core.splitIndex=false',
  'commit.gpgSign=false',
  'push.gpgSign=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'fetch.fsckObjects=true',
  // Ends a git whose worker was killed and whose remote is silent.
  'http.lowSpeedLimit=1',
  'http.lowSpeedTime=60',
  'protocol.ext.allow=never',
  'protocol.file.allow=always',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
]

/** The author of commits, and settings that keep git from prompting: there is no terminal. */
function identity(machine: string, now: number): Record<string, string> {
  const name = machine.replace(/[^\w.-]+/g, '-') || 'machine'
  const who = { NAME: name, EMAIL: `${name}@recollect`, DATE: `@${Math.floor(now / 1000)} +0000` }
  return {
    ...Object.fromEntries(
      Object.entries(who).flatMap(([key, value]) => [
        [`GIT_AUTHOR_${key}`, value],
        [`GIT_COMMITTER_${key}`, value],
      ]),
    ),
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_OPTIONAL_LOCKS: '0',
    LC_ALL: 'C',
  }
}

/** The file name prefix of temporary git indexes. */
export const SCRATCH_INDEX_PREFIX = 'recollect-index-'

/** A git lock that is older is stale: none of our local calls holds a lock for that long. */
const STALE_LOCK_MS = 3000

/** Removes the locks that a killed sync left behind. Only one sync runs at a time, but a young lock may belong to a git process that still writes. */
async function clearLocks(gitFolder: string): Promise<void> {
  for (const name of ['index.lock', 'HEAD.lock', 'refs/heads/main.lock', 'packed-refs.lock', 'config.lock']) {
    const path = join(gitFolder, name)
    for (;;) {
      const found = statIfThere(path)
      if (!found) break
      const age = Date.now() - found.mtimeMs
      if (age > STALE_LOCK_MS || age < 0) removeFile(path)
      else await Bun.sleep(100)
    }
  }
  for (const { name, path } of filesIn(gitFolder, '')) if (name.startsWith(SCRATCH_INDEX_PREFIX)) removeFile(path)
}

/** Parses the output of `git cat-file --batch`: for each object a line with its kind and size, its bytes, and a line break. */
function contentsIn(answer: Uint8Array, objects: string[]): Uint8Array[] {
  let at = 0
  return objects.map((object) => {
    const end = answer.indexOf(10, at)
    const [, kind, size] = new TextDecoder().decode(answer.subarray(at, end)).split(' ')
    if (kind !== 'blob') throw new Error(`git object ${object} is missing or not a blob`)
    const from = end + 1
    at = from + Number(size) + 1
    return answer.subarray(from, from + Number(size))
  })
}

/** The most informative line of git's error output. */
export function gitErrorLine(stderr: string): string {
  const lines = stderr.split('\n').flatMap((line) => line.trim() || [])
  // The line of ssh or the host says more than git's own last line.
  const cause = lines.find((line) => /denied|resolve host|refused|timed out|unreachable|host key|not found/i.test(line))
  const complaint = lines.find((line) => /^(fatal|error|!)/.test(line))
  return (cause ?? complaint ?? lines.at(-1) ?? 'git gave no reason').slice(0, 200)
}
