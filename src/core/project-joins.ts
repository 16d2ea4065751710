import { GLOBAL_PROJECT, type ProjectKey } from './ids.ts'
import { projectName } from './project.ts'

/** A project as far as joining needs to know it. `isHere`: one of its sessions was in a folder of this machine. */
export type ProjectPresence = { project: ProjectKey; memories: number; isHere: boolean }

/** Two keys that may be one project: the memories of `from` would move to `into`. */
export type JoinOffer = { name: string; from: ProjectKey; into: ProjectKey; memories: number }

/**
 * Projects of this machine that have a namesake from an import or from another machine. Two folders of this machine are never offered: they are two
 * projects by their paths. The memories end up under the address of a repository where there is one, because every machine finds that by itself;
 * otherwise under the key that came from elsewhere, so that both machines use it.
 */
export function joinOffers(projects: ProjectPresence[]): JoinOffer[] {
  const byName = Map.groupBy(
    projects.filter(({ project }) => project !== GLOBAL_PROJECT),
    ({ project }) => projectName(project),
  )
  return [...byName].flatMap(([name, same]) => {
    const away = same.filter(({ isHere, memories }) => !isHere && memories > 0)
    return same.filter(({ isHere }) => isHere).flatMap((here) => away.map((other) => offerOf(name, here, other)))
  })
}

function offerOf(name: string, here: ProjectPresence, other: ProjectPresence): JoinOffer {
  const into = isRemoteKey(here.project) ? here : other
  return { name, from: (into === here ? other : here).project, into: into.project, memories: other.memories }
}

/** `github.com/team/app`, and not the path of a local repository. */
const isRemoteKey = (key: string) => key.includes('/') && !key.startsWith('/')
