import { effect, signal } from '@preact/signals'
import type { Project } from '../wire/view.ts'
import { dataVersion, onLiveEvent } from './live.ts'
import { get } from './worker-requests.ts'

/** Every project there is, for the choices on other pages. */
export const projects = signal<Project[]>([])

export function watchProjects(): void {
  const fetchThem = async () => {
    const asked = await get<Project[]>('/api/projects')
    if (asked.kind === 'answered') projects.value = asked.value
  }
  effect(() => {
    dataVersion.value
    void fetchThem()
  })
  onLiveEvent((event) => {
    if (['session-opened', 'projects-changed', 'imported'].includes(event.type)) void fetchThem()
  })
}

/** The projects as choices; two of one name are told apart by their keys. */
export function projectOptions(): { value: string; text: string }[] {
  const names = projects.value.map((one) => one.name)
  const text = (one: Project) => (names.filter((name) => name === one.name).length > 1 ? one.project : one.name)
  return [{ value: '', text: 'All projects' }, ...projects.value.map((one) => ({ value: one.project, text: text(one) }))]
}
