import { fingerprint } from '../core/hash.ts'
import { isSyncable, splitAtNul } from './commit.ts'
import { BRANCH, gitErrorLine, networkOptions, type Repository } from './git.ts'

/** The remote as it was last seen. `empty` has no notes yet. */
export type Fetched =
  | { kind: 'fetched'; commit: string }
  | { kind: 'empty' }
  /** Nobody answered: ordinary on the way. */
  | { kind: 'offline'; reason: string }
  /** Somebody answered, and it will not work like this. */
  | { kind: 'refused'; reason: string }

/** Where a remote's branch is remembered: a new address begins anew. */
export const seenRef = (remote: string) => `refs/recollect/${fingerprint(remote)}/main`

/**
 * Why an address cannot be a remote; null when it can. Git would run what stands behind `ext::`, and take a dash for an option;
 * blanks before it make it no better.
 */
export function whyRemoteUnusable(given: string): string | null {
  const remote = given.trimStart()
  if (/[\p{Cc}]/u.test(given)) return 'the address of the remote holds characters that are none'
  if (remote.startsWith('-')) return `"${remote}" is no address of a git repository`
  if (/^[a-z0-9+.-]*::/i.test(remote)) return `"${remote}" would run a program; give a path, or an https, ssh or file address`
  return null
}

/** An address as it may be shown: without a name and password. */
export const withoutCredentials = (remote: string) => remote.replace(/^([a-z+]+:\/\/)[^/@]*@/i, '$1')

/** What this machine last saw of the remote; null when it never saw it. */
export async function lastSeenCommit(repository: Repository, remote: string): Promise<string | null> {
  const found = await repository.tryGit(['rev-parse', '--verify', '--quiet', `${seenRef(remote)}^{commit}`])
  return found.code === 0 ? found.stdout.trim() : null
}

/** Fetches the remote's notes. The first time it looks whether the remote is one for notes at all. */
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
  if (!commit) throw new Error('git fetched and has nothing')
  return { kind: 'fetched', commit }
}

/** What in a repository that we meet for the first time shows that it is kept for something else; null when it holds notes only. */
export async function whyNotForNotes(repository: Repository, commit: string, remote: string): Promise<string | null> {
  const strange = splitAtNul(await repository.git(['ls-tree', '-r', '-z', commit])).flatMap((entry) => {
    const [mode = '', path = ''] = [entry.slice(0, 6), entry.slice(entry.indexOf('\t') + 1)]
    return (mode.startsWith('1006') || mode.startsWith('1007')) && (isSyncable(path) || HARMLESS.has(path)) ? [] : [path]
  })
  return strange.length === 0 ? null : notForNotes(remote, `it holds ${strange.slice(0, 3).join(', ')}${strange.length > 3 ? ', …' : ''}`)
}

/** What hosts put into a new repository. */
const HARMLESS = new Set(['.gitignore', '.gitattributes', 'LICENSE'])

const notForNotes = (remote: string, sign: string) =>
  `${withoutCredentials(remote)} is kept for something else (${sign}); give sync.remote an empty repository of its own`

export type Pushed = { kind: 'pushed' } | { kind: 'behind' } | { kind: 'offline'; reason: string } | { kind: 'refused'; reason: string }

/** Pushes a commit; never over what others pushed meanwhile. */
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
  const said = `${ran.stdout}\n${ran.stderr}`
  if (/\[(?:remote )?rejected\]|non-fast-forward|fetch first|cannot lock ref|failed to update ref|stale info/.test(said)) {
    const reason = /^!\t.*\t(.*)$/m.exec(ran.stdout)?.[1] ?? ''
    const isRace = /fetch first|non-fast-forward|cannot lock|failed to (?:update|lock)|stale|incorrect old value|reference already exists/
    return isRace.test(said) ? { kind: 'behind' } : { kind: 'refused', reason: `the remote did not take it: ${reason.slice(0, 200)}` }
  }
  return failed(ran.stderr, remote)
}

function failed(stderr: string, remote: string): { kind: 'offline' | 'refused'; reason: string } {
  // An address may carry a password, and git repeats it.
  const reason = gitErrorLine(stderr).replaceAll(remote, withoutCredentials(remote))
  const isRefused = /denied|authentication|could not read (?:username|password)|repository not found|host key|not allowed|fsck|403|401/i
  return { kind: isRefused.test(stderr) ? 'refused' : 'offline', reason }
}
