import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from './ids.ts'

/** What `platform/project.ts` finds out about a folder without running git. */
export type ProjectEvidence = {
  /** First line of the nearest `.recollect/project`. */
  marker: string | null
  /** URL of the remote called origin. */
  origin: string | null
  /** The root of the repository (of the main one, for a worktree), or the folder itself. */
  root: string
  /** A short hash of `root`, so that two folders called `api` are two projects. */
  fingerprint: string
}

/** The project of a folder: its marker file, else its origin remote, else the root's name and fingerprint. */
export function projectKey(evidence: ProjectEvidence): ProjectKey {
  const marker = evidence.marker?.trim().toLowerCase()
  // A cloned repository must not declare itself global; only the person may.
  if (marker && marker !== GLOBAL_PROJECT) return asProjectKey(marker.slice(0, 200))
  const remote = evidence.origin ? normaliseRemote(evidence.origin) : null
  if (remote) return asProjectKey(remote)
  const name = evidence.root.split(/[\\/]/).filter(Boolean).at(-1)?.toLowerCase()
  return name ? asProjectKey(`${name}-${evidence.fingerprint}`) : GLOBAL_PROJECT
}

/** `git@host:team/app.git`, `ssh://git@host/team/app` and `https://user:pw@host/team/app.git` are one project: `host/team/app`. */
export function normaliseRemote(url: string): string | null {
  const given = url.trim().toLowerCase()
  const address = given.replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
  const hostAndPath =
    address === given
      ? given.replace(/^[^/@:]*@/, '').replace(/^([^/:]+):/, '$1/')
      : // After a scheme, a number after the host is a port; in `git@host:42/app` it is a team.
        address.replace(/^[^/]*@/, '').replace(/^([^/:]+):\d*\//, '$1/')
  const plain = hostAndPath
    .replace(/\/{2,}/g, '/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  // `../app.git` means a different folder in each repository.
  return !plain.startsWith('.') && /[/.]/.test(plain) ? plain : null
}

/** The short name people use for a project: the last part of its key, or the name before the fingerprint. */
export function projectName(key: ProjectKey): string {
  return key.includes('/') ? (key.split('/').at(-1) ?? key) : key.replace(/-[0-9a-f]{6}$/, '')
}
