import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from './ids.ts'

/** What can be known of a folder without asking git: read by `platform/project.ts`, decided here. */
export type ProjectEvidence = {
  /** First line of the nearest `.recollect/project`. */
  marker: string | null
  /** URL of the remote called origin. */
  origin: string | null
  /** The root of the repository (of the main one, for a worktree), or the folder itself. */
  root: string
  /** A short fingerprint of `root`, so that two folders called `api` stay two projects. */
  fingerprint: string
}

/** The project of a folder: a marker a person put there, else the origin remote, else the root's name and fingerprint. */
export function projectKey(signs: ProjectEvidence): ProjectKey {
  const marker = signs.marker?.trim().toLowerCase()
  // What holds for every project is for a person to say, not for a repository that was cloned.
  if (marker && marker !== GLOBAL_PROJECT) return asProjectKey(marker.slice(0, 200))
  const remote = signs.origin ? normaliseRemote(signs.origin) : null
  if (remote) return asProjectKey(remote)
  const name = signs.root.split(/[\\/]/).filter(Boolean).at(-1)?.toLowerCase()
  return name ? asProjectKey(`${name}-${signs.fingerprint}`) : GLOBAL_PROJECT
}

/** `git@host:team/app.git`, `ssh://git@host/team/app` and `https://user:pw@host/team/app.git` are one project: `host/team/app`. */
export function normaliseRemote(url: string): string | null {
  const given = url.trim().toLowerCase()
  const address = given.replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
  const place =
    address === given
      ? given.replace(/^[^/@:]*@/, '').replace(/^([^/:]+):/, '$1/')
      : // Behind a scheme, a number after the host is a port; in `git@host:42/app` it is a team.
        address.replace(/^[^/]*@/, '').replace(/^([^/:]+):\d*\//, '$1/')
  const plain = place
    .replace(/\/{2,}/g, '/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  // `../app.git` is another place for every repository that says it.
  return !plain.startsWith('.') && /[/.]/.test(plain) ? plain : null
}

/** The short name people use for a project: the last part of its key, or the name before the fingerprint. */
export function projectName(key: ProjectKey): string {
  return key.includes('/') ? (key.split('/').at(-1) ?? key) : key.replace(/-[0-9a-f]{6}$/, '')
}
