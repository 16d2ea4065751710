import { fingerprint } from '../core/hash.ts'
import { isSyncable, splitAtNul } from './commit.ts'
import { BRANCH, gitErrorLine, networkOptions, type Repository } from './git.ts'

/** The result of a fetch. `empty`: the remote has no notes yet. */
export type Fetched =
  | { kind: 'fetched'; commit: string }
  | { kind: 'empty' }
  /** The remote did not answer, which is normal while travelling. */
  | { kind: 'offline'; reason: string }
  /** The remote answered, and trying again will not help. */
  | { kind: 'refused'; reason: string }

/** The ref that remembers a remote's branch. Another address gets another ref. */
export const seenRef = (remote: string) => `refs/recollect/${fingerprint(remote)}/main`

/**
 * Why an address cannot be a remote; null if it can. Git would run the command after `ext::` and take a leading dash as an option, also after
 * spaces.
 */
export function whyRemoteUnusable(given: string): string | null {
  const remote = given.trimStart()
  if (/[\p{Cc}]/u.test(given)) return 'the address of the remote contains control characters'
  if (remote.startsWith('-')) return `"${remote}" is not the address of a git repository; give a path, or an https, ssh or file address`
  if (/^[a-z0-9+.-]*::/i.test(remote)) return `"${remote}" would run a program; give a path, or an https, ssh or file address`
  return null
}

/** The address without user name and password, for display. */
export const withoutCredentials = (remote: string) => remote.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1')

/** The remote's last fetched commit; null if it was never fetched. */
export async function lastSeenCommit(repository: Repository, remote: string): Promise<string | null> {
  const found = await repository.tryGit(['rev-parse', '--verify', '--quiet', `${seenRef(remote)}^{commit}`])
  return found.code === 0 ? found.stdout.trim() : null
}

/** Fetches the remote's notes. The first time, it checks that the repository is meant for notes. */
export async function fetchFrom(repository: Repository, remote: string, isKnown: boolean): Promise<Fetched> {
  const unusable = whyRemoteUnusable(remote)
  if (unusable) return { kind: 'refused', reason: unusable }
  const network = await networkOptions(repository)
  if (!isKnown) {
    const listed = await repository.tryGit(['ls-remote', '--heads', remote], network)
    if (listed.code !== 0) return failed(listed.stderr, remote)
    const branches = listed.stdout.split('\n').flatMap((line) => line.split('\t')[1] ?? [])
    if (branches.length === 0) return { kind: 'empty' }
    if (!branches.includes(BRANCH)) return { kind: 'refused', reason: notForNotes(remote, `its branch is ${branches[0]?.slice(11)}`) }
  }
  const fetch = [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    remote,
    `+${BRANCH}:${seenRef(remote)}`,
  ]
  const ran = await repository.tryGit(fetch, network)
  if (ran.code !== 0) return /couldn't find remote ref/.test(ran.stderr) ? { kind: 'empty' } : failed(ran.stderr, remote)
  const commit = await lastSeenCommit(repository, remote)
  if (!commit) throw new Error('git fetch succeeded but left no commit')
  return { kind: 'fetched', commit }
}

/** Why a new remote is not a repository for notes, because it contains other files; null if it contains only notes. */
export async function whyNotForNotes(repository: Repository, commit: string, remote: string): Promise<string | null> {
  const otherFiles = splitAtNul(await repository.git(['ls-tree', '-r', '-z', commit])).flatMap((entry) => {
    const path = entry.slice(entry.indexOf('\t') + 1)
    const isFile = entry.startsWith('1006') || entry.startsWith('1007')
    return isFile && (isSyncable(path) || HARMLESS.has(path)) ? [] : [path]
  })
  if (otherFiles.length === 0) return null
  return notForNotes(remote, `it contains ${otherFiles.slice(0, 3).join(', ')}${otherFiles.length > 3 ? ', …' : ''}`)
}

/** Files that hosting services put into a new repository. */
const HARMLESS = new Set(['.gitignore', '.gitattributes', 'LICENSE'])

const notForNotes = (remote: string, evidence: string) =>
  `${withoutCredentials(remote)} is used for something else (${evidence}); set sync.remote to an empty repository`

export type Pushed = { kind: 'pushed' } | { kind: 'behind' } | { kind: 'offline'; reason: string } | { kind: 'refused'; reason: string }

/** Pushes a commit without overwriting what other machines pushed meanwhile. */
export async function pushTo(repository: Repository, remote: string, commit: string): Promise<Pushed> {
  const unusable = whyRemoteUnusable(remote)
  if (unusable) return { kind: 'refused', reason: unusable }
  const ran = await repository.tryGit(
    ['push', '--porcelain', '--no-verify', remote, `${commit}:${BRANCH}`],
    await networkOptions(repository),
  )
  if (ran.code === 0) {
    await repository.git(['update-ref', seenRef(remote), commit])
    return { kind: 'pushed' }
  }
  const output = `${ran.stdout}\n${ran.stderr}`
  if (/\[(?:remote )?rejected\]|non-fast-forward|fetch first|cannot lock ref|failed to update ref|stale info/.test(output)) {
    const reason = /^!\t.*\t(.*)$/m.exec(ran.stdout)?.[1] ?? ''
    const isRace = /fetch first|non-fast-forward|cannot lock|failed to (?:update|lock)|stale|incorrect old value|reference already exists/
    return isRace.test(output) ? { kind: 'behind' } : { kind: 'refused', reason: `the remote rejected the push: ${reason.slice(0, 200)}` }
  }
  return failed(ran.stderr, remote)
}

function failed(stderr: string, remote: string): { kind: 'offline' | 'refused'; reason: string } {
  // An address may contain a password, and git repeats it in messages.
  const reason = gitErrorLine(stderr).replaceAll(remote, withoutCredentials(remote))
  const isRefused = /denied|authentication|could not read (?:username|password)|repository not found|host key|not allowed|fsck|403|401/i
  return { kind: isRefused.test(stderr) ? 'refused' : 'offline', reason }
}
