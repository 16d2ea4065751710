import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ProjectSummary } from '../wire/contract/projects.ts'
import { Dialog, EmptyState, ErrorMessage, formatCount, formatDay, LoadingOrError, PageHead } from './components.tsx'
import { onLiveEvent } from './live.ts'
import { ProjectOffers } from './project-offers.tsx'
import { hrefOf } from './route.ts'
import { useFetch } from './use-fetch.ts'
import { runAction } from './user-actions.ts'
import { call } from './worker-requests.ts'

type ProjectDialog = { kind: 'rename' | 'merge' | 'wipe'; project: ProjectSummary }

/** All projects with their counts, and buttons to rename, merge or wipe each. */
export function ProjectsPage() {
  const fetched = useFetch('GET /api/projects', {})
  const dialog = useSignal<ProjectDialog | null>(null)
  useEffect(() => onLiveEvent((event) => ['projects-changed', 'session-opened', 'imported'].includes(event.type) && fetched.refetch()), [])
  if (!fetched.value) return <LoadingOrError fetched={fetched} />
  const all = fetched.value
  const openDialog = (kind: ProjectDialog['kind'], project: ProjectSummary) => () => {
    dialog.value = { kind, project }
  }
  const closeDialog = () => {
    dialog.value = null
  }
  return (
    <>
      <PageHead title="Projects">
        <span class="dim">{formatCount(all.length, 'project')}</span>
      </PageHead>
      <ErrorMessage text={fetched.error} retry={fetched.refetch} />
      <ProjectOffers />
      {all.length === 0 ? (
        <EmptyState title="No projects yet.">
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
                <th scope="col">Last active</th>
                <th scope="col">
                  <span class="sr">Actions</span>
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
                  <td class="actions">
                    <button type="button" onClick={openDialog('rename', project)}>
                      Rename<span class="sr"> {project.name}</span>
                    </button>
                    {all.length > 1 && (
                      <button type="button" onClick={openDialog('merge', project)}>
                        Merge<span class="sr"> {project.name}</span>
                      </button>
                    )}
                    <button type="button" class="danger" onClick={openDialog('wipe', project)}>
                      Wipe<span class="sr"> {project.name}</span>
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {dialog.value?.kind === 'rename' && <Rename project={dialog.value.project} onDone={closeDialog} />}
      {dialog.value?.kind === 'merge' && <Merge project={dialog.value.project} others={all} onDone={closeDialog} />}
      {dialog.value?.kind === 'wipe' && <Wipe project={dialog.value.project} onDone={closeDialog} />}
    </>
  )
}

const moveProject = (from: string, to: string, merge: boolean) => call('POST /api/projects/rename', { from, to, merge })

function Rename({ project, onDone }: { project: ProjectSummary; onDone: () => void }) {
  const name = useSignal(project.project)
  return (
    <Dialog title={`Rename ${project.name}`} onClose={onDone}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onDone()
          const [from, to] = [project.project, name.value.trim()]
          void runAction(moveProject(from, to, false), `Renamed ${project.name} to ${to}.`, () => moveProject(to, from, true))
        }}
      >
        <label>
          New name
          <input value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
        </label>
        <p class="dim">New sessions in its folder use the new name. Existing memories are moved in the background.</p>
        <button type="submit" class="primary">
          Rename
        </button>
      </form>
    </Dialog>
  )
}

function Merge({ project, others, onDone }: { project: ProjectSummary; others: ProjectSummary[]; onDone: () => void }) {
  const targets = others.filter((other) => other.project !== project.project)
  const into = useSignal(targets[0]?.project ?? '')
  return (
    <Dialog title={`Merge ${project.name} into another`} onClose={onDone}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onDone()
          void runAction(moveProject(project.project, into.value, true), `Merging ${project.name} into ${into.value}.`)
        }}
      >
        <label>
          Into
          <select value={into.value} onChange={(event) => (into.value = event.currentTarget.value)}>
            {targets.map((target) => (
              <option value={target.project}>{target.project}</option>
            ))}
          </select>
        </label>
        <p class="dim">
          {formatCount(project.sessions, 'session')}, {formatCount(project.observations, 'observation')} and{' '}
          {formatCount(project.notes, 'note')} will move. You cannot separate the two projects again.
        </p>
        <button type="submit" class="primary">
          Merge
        </button>
      </form>
    </Dialog>
  )
}

function Wipe({ project, onDone }: { project: ProjectSummary; onDone: () => void }) {
  const typed = useSignal('')
  return (
    <Dialog title={`Wipe ${project.name}`} onClose={onDone}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onDone()
          void runAction(call('POST /api/projects/wipe', { project: project.project, confirm: typed.value }), `Wiping ${project.name}.`)
        }}
      >
        <p>
          This deletes {formatCount(project.sessions, 'session')}, {formatCount(project.prompts, 'prompt')},{' '}
          {formatCount(project.observations, 'observation')}, {formatCount(project.notes, 'note')} and{' '}
          {formatCount(project.commits, 'commit')} permanently. You cannot undo this.
        </p>
        <label>
          Type <b>{project.name}</b> to confirm
          <input value={typed.value} autoComplete="off" onInput={(event) => (typed.value = event.currentTarget.value)} />
        </label>
        <button type="submit" class="danger" disabled={typed.value.toLowerCase() !== project.name}>
          Wipe project
        </button>
      </form>
    </Dialog>
  )
}
