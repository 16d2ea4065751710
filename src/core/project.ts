import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from './ids.ts'
import { redact } from './secrets.ts'

/** What `platform/project.ts` finds out about a folder without running git. */
export type ProjectEvidence = {
  marker: ProjectMarker | null
  /** URL of the remote called origin. */
  origin: string | null
  /** The root of the repository (of the main one, for a worktree), or the folder itself. */
  root: string
  /** A short hash of `root`, so that two folders called `api` are two projects. */
  fingerprint: string
}

/** The nearest `.recollect/project` or `.anamnesis/project`. */
export type ProjectMarker = {
  /** Its first line. */
  text: string
  /** The folder that it is in; for a worktree, the same folder of the main one. */
  folder: string
  /** True inside of a repository: it may have come with a clone. */
  isInRepository: boolean
  /** The key that the person confirmed for this folder, in their own home. */
  confirmed: string | null
}

/** The project of a folder: its marker file if that can be trusted, else its origin remote, else the root's name and fingerprint. */
export function projectKey(evidence: ProjectEvidence): ProjectKey {
  const remote = evidence.origin ? normaliseRemote(evidence.origin) : null
  const marked = evidence.marker && markedKey(evidence.marker)
  if (evidence.marker && marked && isTrusted(evidence.marker, marked, remote)) return marked
  if (remote) return asProjectKey(remote)
  const name = evidence.root.split(/[\\/]/).filter(Boolean).at(-1)?.toLowerCase()
  return name ? asProjectKey(`${name}-${evidence.fingerprint}`) : GLOBAL_PROJECT
}

/**
 * The key that a marker names and that does not count yet: whoever wrote a repository could name another project in it, and would be shown its
 * memories. `isOwn` says that it came with no clone; it then counts as long as no other folder uses the key.
 */
export function unconfirmedMarker({ marker, origin }: ProjectEvidence): { project: ProjectKey; folder: string; isOwn: boolean } | null {
  const remote = origin ? normaliseRemote(origin) : null
  const project = marker && markedKey(marker)
  if (!marker || !project || isTrusted(marker, project, remote)) return null
  return { project, folder: marker.folder, isOwn: remote === null || !marker.isInRepository }
}

/** Every project that a folder may be of. To leave a project out, its name in a marker is enough. */
export function possibleProjects(evidence: ProjectEvidence): ProjectKey[] {
  const claim = unconfirmedMarker(evidence)
  return [projectKey(evidence), ...(claim ? [claim.project] : [])]
}

/** Only the person may declare a folder global, and they do it elsewhere. */
function markedKey({ text }: ProjectMarker): ProjectKey | null {
  const key = redact(text.trim().toLowerCase().slice(0, 200))
  return key === '' || key === GLOBAL_PROJECT ? null : asProjectKey(key)
}

/** It was confirmed, or names the repository itself or a part of it. */
function isTrusted({ confirmed, isInRepository }: ProjectMarker, marked: string, remote: string | null): boolean {
  return confirmed === marked || (isInRepository && remote !== null && `${marked}/`.startsWith(`${remote}/`))
}

/**
 * `git@host:team/app.git`, `ssh://git@host/team/app` and `https://user:pw@host/team/app.git?token=x` are one project: `host/team/app`. The key
 * becomes the name of a folder that is synced, so no user, password, query or fragment stays in it.
 */
export function normaliseRemote(url: string): string | null {
  const given = url.trim().toLowerCase()
  const address = given.replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
  const hostAndPath =
    address === given
      ? given.replace(/^[^/@:]*@/, '').replace(/^([^/:]+):/, '$1/')
      : // After a scheme, a number after the host is a port; in `git@host:42/app` it is a team.
        withoutUser(address).replace(/^([^/:]+):\d*\//, '$1/')
  // A `#` or `?` in a path on this machine is part of a name.
  const path = hostAndPath.startsWith('/') ? hostAndPath : hostAndPath.replace(/[?#].*$/s, '')
  const plain = path
    .replace(/\/{2,}/g, '/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  // `../app.git` means a different folder in each repository.
  return !plain.startsWith('.') && /[/.]/.test(plain) ? redact(plain) : null
}

/** A password may contain `/` and `@`, so it ends with the last `@` before a host; in `host/@scope/app` there is none. */
function withoutUser(address: string): string {
  const user = /^[^/@:]*:(?!\d+\/)\S*[^/\s]@(?=[^/@]+\/)/.exec(address)?.[0] ?? /^[^/]*@/.exec(address)?.[0] ?? ''
  return address.slice(user.length)
}

/** A key that an earlier version stored with credentials or a query in it, as it would be stored today; null when it is fine. */
export function repairedKey(key: ProjectKey): ProjectKey | null {
  if (!key.includes('/') || key.startsWith('/')) return null
  const repaired = normaliseRemote(`https://${key}`)
  return repaired !== null && repaired !== key && /[?#@]|\[redacted:/.test(`${key}${repaired}`) ? asProjectKey(repaired) : null
}

/** The short name people use for a project: the last part of its key, or the name before the fingerprint. */
export function projectName(key: ProjectKey): string {
  return key.includes('/') ? (key.split('/').at(-1) ?? key) : key.replace(/-[0-9a-f]{6}$/, '')
}
