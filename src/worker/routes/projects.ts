import { asProjectKey, type ProjectKey } from '../../core/ids.ts'
import { projectName } from '../../core/project.ts'
import { type ProjectPlace, projectNames } from '../../core/project-names.ts'
import type { Store } from '../../store/store.ts'
import type { ProjectSummary, projects } from '../../wire/contract/projects.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import { planDeletion, previewOf } from '../forget.ts'
import { countsOf, joinProjects, keepApart, planJoin, projectJoinOffers, splitProject } from '../project-joins.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'
import { queueErase } from './forget.ts'

export const handlers = {
  'GET /api/projects': listProjects,
  'GET /api/projects/names': async ({ store }) => Object.fromEntries(await namesOfProjects(store)),
  'POST /api/projects/rename': renameProject,
  'GET /api/projects/offers': async ({ store }, { project }) => projectJoinOffers(store, project ? asProjectKey(project) : null),
  'POST /api/projects/join': join,
  'POST /api/projects/split': split,
  'POST /api/projects/apart': async (services, { a, b }) => {
    await keepApart(services, asProjectKey(a), asProjectKey(b))
    return { kind: 'apart' as const }
  },
  'POST /api/projects/wipe': wipeProject,
} satisfies Handlers<typeof projects>

async function listProjects({ store }: Services): Promise<ProjectSummary[]> {
  const names = await namesOfProjects(store)
  return (await store.projects.totals()).map((totals) => ({ ...totals, name: names.get(totals.project) ?? projectName(totals.project) }))
}

/** Projects without sessions have no folder; they are named with the others, so that no two names are equal. */
async function namesOfProjects(store: Store): Promise<Map<ProjectKey, string>> {
  const places: ProjectPlace[] = await store.sessions.projects()
  const seen = new Set(places.map(({ project }) => project))
  const others = (await store.notes.projects()).filter((project) => !seen.has(project))
  return projectNames([...places, ...others.map((project) => ({ project, folder: null }))])
}

async function renameProject({ store, queue }: Services, { from, to, merge }: ParsedRequest<typeof projects, 'POST /api/projects/rename'>) {
  const known = (await store.projects.totals()).map(({ project }): string => project)
  if (!known.includes(from)) throw new BadRequest(`there is no project ${from}`)
  if (from === to) throw new BadRequest(`the project is already called ${to}`)
  if (known.includes(to) && !merge) throw new BadRequest(`there already is a project ${to}; pass merge: true, or choose another name`)
  await store.transaction(async () => {
    await store.projects.rename(asProjectKey(from), asProjectKey(to))
    await store.jobs.add('move-project', from, { from, to }, Date.now())
    await store.audit.add({ at: Date.now(), action: merge ? 'merge-project' : 'rename-project', subject: from, details: { to } })
  })
  queue.kick()
  return { kind: 'moving' as const, from, to }
}

async function join(services: Services, { from, into, dryRun }: ParsedRequest<typeof projects, 'POST /api/projects/join'>) {
  const plan = await planJoin(services, asProjectKey(from), asProjectKey(into))
  if (!dryRun) await joinProjects(services, plan)
  return { kind: dryRun ? ('planned' as const) : ('joined' as const), from, into, ...countsOf(plan) }
}

async function split(services: Services, { project, dryRun }: ParsedRequest<typeof projects, 'POST /api/projects/split'>) {
  const counts = await splitProject(services, asProjectKey(project), dryRun)
  if (!dryRun) services.stream.publish({ type: 'projects-changed', data: {} })
  return { kind: dryRun ? ('planned' as const) : ('split' as const), project, ...counts }
}

async function wipeProject(services: Services, { project, confirm }: ParsedRequest<typeof projects, 'POST /api/projects/wipe'>) {
  if (confirm !== project && confirm !== projectName(asProjectKey(project)))
    throw new BadRequest(`confirm must repeat the project's key or name: ${project}`)
  if (!(await services.store.projects.totals()).some((totals) => totals.project === project))
    throw new BadRequest(`there is no project ${project}`)
  const plan = await planDeletion(services, { project, hard: true })
  await queueErase(services, plan, (await previewOf(services, plan, true)).counts, Date.now())
  return { kind: 'wiping' as const, project }
}
