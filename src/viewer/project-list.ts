import { effect, signal } from '@preact/signals'
import { asProjectKey } from '../core/ids.ts'
import { projectName } from '../core/project.ts'
import type { ProjectSummary } from '../wire/contract/projects.ts'
import { dataVersion, onLiveEvent } from './live.ts'
import { call } from './worker-requests.ts'

/** All projects, for the dropdowns of other pages. */
export const projects = signal<ProjectSummary[]>([])

export function watchProjects(): void {
  const fetchProjects = async () => {
    const reply = await call('GET /api/projects')
    if (reply.kind === 'answered') projects.value = reply.value
  }
  effect(() => {
    dataVersion.value
    void fetchProjects()
  })
  onLiveEvent((event) => {
    if (['session-opened', 'projects-changed', 'imported'].includes(event.type)) void fetchProjects()
  })
}

/** The options of a project dropdown. */
export const projectOptions = (): { value: string; text: string }[] => [
  { value: '', text: 'All projects' },
  ...projects.value.map(({ project, name }) => ({ value: project, text: name })),
]

/** The project that a page opens with: the latest in which somebody worked, because others have neither topics nor a brief. */
export const firstProject = (): string => (projects.value.find(({ sessions }) => sessions > 0) ?? projects.value[0])?.project ?? ''

/** The short and unique name of a project; for one that is not listed, the last part of its key. */
export const nameOfProject = (project: string) =>
  projects.value.find((known) => known.project === project)?.name ?? projectName(asProjectKey(project))
