import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ProjectSummary } from '../wire/contract/projects.ts'
import { Dialog, EmptyState, ErrorMessage, LoadingOrError, Menu, type MenuItem, PageHead, TimeAgo } from './components.tsx'
import { formatCount } from './formats.ts'
import { onLiveEvent } from './live.ts'
import { ProjectOffers } from './project-offers.tsx'
import { hrefOf } from './route.ts'
import { useFetch } from './use-fetch.ts'
import { runAction } from './user-actions.ts'
import { call } from './worker-requests.ts'

type ProjectDialog = { kind: 'rename' | 'merge' | 'wipe'; project: ProjectSummary }

/** All projects with their counts. Joining, renaming and wiping are in a menu, and each asks first. */
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
        <span class="dim small">{formatCount(all.length, 'project')}</span>
      </PageHead>
      <ErrorMessage text={fetched.error} retry={fetched.refetch} />
      <ProjectOffers />
      {all.length === 0 ? (
        <EmptyState icon="projects" title="No projects yet.">
          <p>A project appears with its first session or note.</p>
        </EmptyState>
      ) : (
        <div class="scroll">
          <div class="column">
            <ul class="card projects" aria-label="Projects">
              {all.map((project) => (
                <ProjectRow
                  key={project.project}
                  project={project}
                  items={[
                    { text: 'Rename…', onChoose: openDialog('rename', project) },
                    ...(all.length > 1 ? [{ text: 'Join into another…', onChoose: openDialog('merge', project) }] : []),
                    { text: 'Wipe…', isDanger: true, onChoose: openDialog('wipe', project) },
                  ]}
                />
              ))}
            </ul>
          </div>
        </div>
      )}
      {dialog.value?.kind === 'rename' && <Rename project={dialog.value.project} onDone={closeDialog} />}
      {dialog.value?.kind === 'merge' && <Merge project={dialog.value.project} others={all} onDone={closeDialog} />}
      {dialog.value?.kind === 'wipe' && <Wipe project={dialog.value.project} onDone={closeDialog} />}
    </>
  )
}

function ProjectRow({ project, items }: { project: ProjectSummary; items: MenuItem[] }) {
  const { name, sessions, prompts, observations, notes, commits, lastAt } = project
  const counts: [number, string][] = [
    [sessions, 'session'],
    [prompts, 'prompt'],
    [observations, 'observation'],
    [notes, 'note'],
    [commits, 'commit'],
  ]
  return (
    <li>
      <div>
        <h2>
          <a href={hrefOf('feed', '', { project: project.project })}>{name}</a>
        </h2>
        {name !== project.project && <p class="mono dim small">{project.project}</p>}
        <p class="dim small">
          {counts
            .filter(([count]) => count > 0)
            .map(([count, word]) => formatCount(count, word))
            .join(' · ')}
        </p>
      </div>
      <span class="dim small last">{lastAt ? <TimeAgo at={lastAt} /> : ''}</span>
      <Menu label={`Actions for ${name}`} items={items} />
    </li>
  )
}

function DialogActions({ onCancel, children }: { onCancel: () => void; children: ComponentChildren }) {
  return (
    <div class="actions">
      <button type="button" onClick={onCancel}>
        Cancel
      </button>
      {children}
    </div>
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
        <DialogActions onCancel={onDone}>
          <button type="submit" class="primary" disabled={name.value.trim() === '' || name.value.trim() === project.project}>
            Rename
          </button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

function Merge({ project, others, onDone }: { project: ProjectSummary; others: ProjectSummary[]; onDone: () => void }) {
  const targets = others.filter((other) => other.project !== project.project)
  const into = useSignal(targets[0]?.project ?? '')
  return (
    <Dialog title={`Join ${project.name} into another`} onClose={onDone}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onDone()
          void runAction(moveProject(project.project, into.value, true), `Joining ${project.name} into ${into.value}.`)
        }}
      >
        <label>
          Into
          <select value={into.value} onChange={(event) => (into.value = event.currentTarget.value)}>
            {targets.map((target) => (
              <option value={target.project}>{target.name === target.project ? target.name : `${target.name} (${target.project})`}</option>
            ))}
          </select>
        </label>
        <p class="dim">
          {formatCount(project.sessions, 'session')}, {formatCount(project.observations, 'observation')} and{' '}
          {formatCount(project.notes, 'note')} will move. You cannot separate the two projects again.
        </p>
        <DialogActions onCancel={onDone}>
          <button type="submit" class="primary">
            Join
          </button>
        </DialogActions>
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
          void runAction(call('POST /api/projects/wipe', { project: project.project, confirm: project.project }), `Wiping ${project.name}.`)
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
        <DialogActions onCancel={onDone}>
          <button type="submit" class="danger" disabled={typed.value.trim().toLowerCase() !== project.name.toLowerCase()}>
            Wipe project
          </button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
