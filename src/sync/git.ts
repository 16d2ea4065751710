import { join } from 'node:path'
import { SYNCED_FOLDER } from '../notes/notes.ts'
import { ensurePrivateFolder, exists, readIfThere, statIfThere, writeFileAtomically } from '../platform/files.ts'
import { filesIn, removeFile } from '../platform/folder.ts'
import { type ProgramResult, runForBytes, runProgram } from '../platform/processes.ts'

/** The repository of the notes, and how to speak to git about it. */
export type Repository = {
  /** The folder of the notes: the work tree. */
  folder: string
  /** Runs git and returns what it printed. Throws, with git's own words, when it fails. */
  git(args: string[], given?: GitCallOptions): Promise<string>
  /** Runs git where failing is an ordinary outcome. */
  tryGit(args: string[], given?: GitCallOptions): Promise<ProgramResult>
  /** The contents of objects, in the order asked for. */
  read(objects: string[]): Promise<Uint8Array[]>
}

type GitCallOptions = { stdin?: string | Uint8Array; index?: string; timeoutMs?: number; ssh?: string }

/** The one branch there is. */
export const BRANCH = 'refs/heads/main'
/** The tree without a file. Every repository knows it. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/** Long enough for a slow disk; calls over the network bring their own. */
const LOCAL_TIMEOUT_MS = 120_000

/** Opens the repository in the home, and makes it on first use. A string says why that cannot be. */
export async function openRepository(home: string, machine: string, now: number): Promise<Repository | string> {
  const folder = join(home, SYNCED_FOLDER)
  ensurePrivateFolder(folder)
  const own = join(folder, '.git')
  if (exists(own) && !statIfThere(own)?.isDirectory()) return `${own} is not a folder, so the notes cannot be synced; move it away`
  const speak = gitIn(own, folder, machine, now)
  // Git makes the last of these folders last: without it a first sync was killed on its way, and making it again completes it.
  if (!readIfThere(join(own, 'HEAD')) || !exists(join(own, 'objects', 'info')) || !exists(join(own, 'objects', 'pack'))) {
    const made = await speak.tryGit(['init', '--quiet', '--template=', '--initial-branch=main'])
    if (made.code === null) return 'git is not installed'
    if (made.code !== 0) return `git cannot make a repository in ${folder} (${gitErrorLine(made.stderr)})`
  }
  await clearLocks(own)
  const attributes = join(own, 'info', 'attributes')
  if (readIfThere(attributes) !== BYTE_EXACT_ATTRIBUTES) {
    ensurePrivateFolder(join(own, 'info'))
    writeFileAtomically(attributes, BYTE_EXACT_ATTRIBUTES)
  }
  if (readIfThere(join(own, 'HEAD'))?.trim() !== `ref: ${BRANCH}`)
    return `${folder} is not on the branch main, so it is left alone; 'git -C ${folder} checkout main' puts it back`
  return { folder, ...speak }
}

/** A note is the same bytes on every machine: git changes no line end and runs no filter, whatever attributes a remote brings. */
const BYTE_EXACT_ATTRIBUTES = '* -text -filter -ident -eol -working-tree-encoding\n'

/** Git elsewhere on this machine, with the same manners: for the mirror in a project's own repository. */
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

/** How git may speak to another machine: not for ever, and without asking, by the ssh that the person has set up. */
export async function networkOptions(git: Pick<Repository, 'tryGit'>): Promise<{ timeoutMs: number; ssh: string }> {
  const own = (await git.tryGit(['config', '--get', 'core.sshCommand'])).stdout.trim()
  return { timeoutMs: NETWORK_TIMEOUT_MS, ssh: `${own || 'ssh'} -oBatchMode=yes -oConnectTimeout=10` }
}

/** What must not depend on the machine's own git settings, and what must never run because of what a remote sent. */
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
  'protocol.ext.allow=never',
  'protocol.file.allow=always',
  'gc.auto=0',
  'maintenance.auto=false',
  'advice.detachedHead=false',
]

/** Git never asks: nobody is there to answer. */
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

/** How an index begins that is used for one step and thrown away. */
export const SCRATCH_INDEX_PREFIX = 'recollect-index-'

/** How old a lock of git's must be before nobody can be holding it any more: none of our local calls takes that long to write. */
const STALE_LOCK_MS = 3000

/** Only one sync runs at a time, so a lock that stays is what a killed one left; one that is young may have a git that still writes. */
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

/** Git's answer: for each object a line with its kind and size, its bytes, a line break. */
function contentsIn(answer: Uint8Array, objects: string[]): Uint8Array[] {
  let at = 0
  return objects.map((object) => {
    const end = answer.indexOf(10, at)
    const [, kind, size] = new TextDecoder().decode(answer.subarray(at, end)).split(' ')
    if (kind !== 'blob') throw new Error(`git has no text under ${object}`)
    const from = end + 1
    at = from + Number(size) + 1
    return answer.subarray(from, from + Number(size))
  })
}

/** What git complained of: the line that says most. */
export function gitErrorLine(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '')
  // Git's own last word, that it could not read, says less than the line of ssh or the host above it.
  const cause = lines.find((line) => /denied|resolve host|refused|timed out|unreachable|host key|not found/i.test(line))
  const complaint = lines.find((line) => /^(fatal|error|!)/.test(line))
  return (cause ?? complaint ?? lines.at(-1) ?? 'no word why').slice(0, 200)
}
