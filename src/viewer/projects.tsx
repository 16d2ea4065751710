import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Project } from '../wire/view.ts'
import { Dialog, EmptyState, ErrorMessage, formatCount, formatDay, Loading, PageHead } from './components.tsx'
import { onLiveEvent } from './live.ts'
import { hrefOf } from './route.ts'
import { useFetch } from './use-fetch.ts'
import { runAction } from './user-actions.ts'
import { send } from './worker-requests.ts'

type ProjectDialog = { kind: 'rename' | 'merge' | 'wipe'; project: Project }

/** Every project with what it holds; renaming, merging and wiping it. */
export function ProjectsPage() {
  const asked = useFetch<Project[]>('/api/projects')
  const doing = useSignal<ProjectDialog | null>(null)
  useEffect(() => onLiveEvent((event) => ['projects-changed', 'session-opened', 'imported'].includes(event.type) && asked.refetch()), [])
  if (!asked.value) return asked.error ? <ErrorMessage text={asked.error} again={asked.refetch} /> : <Loading />
  const all = asked.value
  const start = (kind: ProjectDialog['kind'], project: Project) => () => {
    doing.value = { kind, project }
  }
  const done = () => {
    doing.value = null
  }
  return (
    <>
      <PageHead title="Projects">
        <span class="dim">{formatCount(all.length, 'project')}</span>
      </PageHead>
      <ErrorMessage text={asked.error} again={asked.refetch} />
      {all.length === 0 ? (
        <EmptyState title="No project yet.">
          <p>A project appears with its first session or note.</p>
        </EmptyState>
      ) : (
        <div class="scroll detail">
          <table class="wide">
            <thead>
              <tr>
                <th scope="col">Project</th>
                <th scope="col" class="num">
                  Sessions
                </th>
                <th scope="col" class="num">
                  Prompts
                </th>
                <th scope="col" class="num">
                  Observations
                </th>
                <th scope="col" class="num">
                  Notes
                </th>
                <th scope="col">Last</th>
                <th scope="col">
                  <span class="sr">What to do</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map((project) => (
                <tr>
                  <td>
                    <a href={hrefOf('feed', '', { project: project.project })}>{project.name}</a>
                    {project.name !== project.project && <div class="dim mono">{project.project}</div>}
                  </td>
                  <td class="num">{project.sessions}</td>
                  <td class="num">{project.prompts}</td>
                  <td class="num">{project.observations}</td>
                  <td class="num">{project.notes}</td>
                  <td>{project.lastAt ? formatDay(project.lastAt) : ''}</td>
                  <td class="deeds">
                    <button type="button" onClick={start('rename', project)}>
                      Rename<span class="sr"> {project.name}</span>
                    </button>
                    {all.length > 1 && (
                      <button type="button" onClick={start('merge', project)}>
                        Merge<span class="sr"> {project.name}</span>
                      </button>
                    )}
                    <button type="button" class="danger" onClick={start('wipe', project)}>
                      Wipe<span class="sr"> {project.name}</span>
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {doing.value?.kind === 'rename' && <Rename project={doing.value.project} onDone={done} />}
      {doing.value?.kind === 'merge' && <Merge project={doing.value.project} others={all} onDone={done} />}
      {doing.value?.kind === 'wipe' && <Wipe project={doing.value.project} onDone={done} />}
    </>
  )
}

const moveProject = (from: string, to: string, merge: boolean) => send('POST', '/api/projects/rename', { from, to, merge })

function Rename({ project, onDone }: { project: Project; onDone: () => void }) {
  const name = useSignal(project.project)
  return (
    <Dialog title={`Rename ${project.name}`} onClose={onDone}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onDone()
          const [from, to] = [project.project, name.value.trim()]
          void runAction(moveProject(from, to, false), `${project.name} is called ${to} from now on.`, () => moveProject(to, from, true))
        }}
      >
        <label>
          New name
          <input value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
        </label>
        <p class="dim">Sessions in its folder go on under the new name. What it holds is moved in the background.</p>
        <button type="submit" class="primary">
          Rename
        </button>
      </form>
    </Dialog>
  )
}

function Merge({ project, others, onDone }: { project: Project; others: Project[]; onDone: () => void }) {
  const choices = others.filter((one) => one.project !== project.project)
  const into = useSignal(choices[0]?.project ?? '')
  return (
    <Dialog title={`Merge ${project.name} into another`} onClose={onDone}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onDone()
          void runAction(moveProject(project.project, into.value, true), `${project.name} becomes part of ${into.value}.`)
        }}
      >
        <label>
          Into
          <select value={into.value} onChange={(event) => (into.value = event.currentTarget.value)}>
            {choices.map((one) => (
              <option value={one.project}>{one.project}</option>
            ))}
          </select>
        </label>
        <p class="dim">
          {formatCount(project.sessions, 'session')}, {formatCount(project.observations, 'observation')} and{' '}
          {formatCount(project.notes, 'note')} move over. The two cannot be told apart afterwards.
        </p>
        <button type="submit" class="primary">
          Merge
        </button>
      </form>
    </Dialog>
  )
}

function Wipe({ project, onDone }: { project: Project; onDone: () => void }) {
  const typed = useSignal('')
  return (
    <Dialog title={`Wipe ${project.name}`} onClose={onDone}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onDone()
          void runAction(
            send('POST', '/api/projects/wipe', { project: project.project, confirm: typed.value }),
            `${project.name} is being wiped.`,
          )
        }}
      >
        <p>
          This removes {formatCount(project.sessions, 'session')}, {formatCount(project.prompts, 'prompt')},{' '}
          {formatCount(project.observations, 'observation')} and {formatCount(project.notes, 'note')} for good. There is no way back.
        </p>
        <label>
          Type <b>{project.name}</b> to go on
          <input value={typed.value} autoComplete="off" onInput={(event) => (typed.value = event.currentTarget.value)} />
        </label>
        <button type="submit" class="danger" disabled={typed.value.toLowerCase() !== project.name}>
          Wipe it
        </button>
      </form>
    </Dialog>
  )
}
