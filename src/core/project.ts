import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from './ids.ts'

/** What can be known of a folder without asking git: read by `platform/project.ts`, decided here. */
export type ProjectSigns = {
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
export function projectKey(signs: ProjectSigns): ProjectKey {
  const marker = signs.marker?.trim().toLowerCase()
  if (marker) return asProjectKey(marker.slice(0, 200))
  const remote = signs.origin ? normaliseRemote(signs.origin) : null
  if (remote) return asProjectKey(remote)
  const name = signs.root.split(/[\\/]/).filter(Boolean).at(-1)?.toLowerCase()
  return name ? asProjectKey(`${name}-${signs.fingerprint}`) : GLOBAL_PROJECT
}

/** `git@host:team/app.git`, `ssh://git@host/team/app` and `https://user:pw@host/team/app.git` are one project: `host/team/app`. */
export function normaliseRemote(url: string): string | null {
  const plain = url
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/^[^/@]*@/, '')
    .replace(/^([^/:]+):(\d+\/)?/, (_, host: string) => `${host}/`)
    .replace(/\/{2,}/g, '/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  return plain.includes('/') || plain.includes('.') ? plain : null
}

/** The short name people use for a project: the last part of its key, without the fingerprint. */
export function projectName(key: ProjectKey): string {
  const last = key.split('/').at(-1) ?? key
  return last.replace(/-[0-9a-f]{6}$/, '')
}
