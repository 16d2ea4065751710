import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Project } from '../wire/view.ts'
import { send } from './ask.ts'
import { useAsked } from './asked.ts'
import { act } from './deeds.ts'
import { hear } from './live.ts'
import { count, Dialog, day, Empty, Head, Loading, Trouble } from './parts.tsx'
import { hrefOf } from './place.ts'

type Doing = { kind: 'rename' | 'merge' | 'wipe'; project: Project }

/** Every project with what it holds; renaming, merging and wiping it. */
export function ProjectsPage() {
  const asked = useAsked<Project[]>('/api/projects')
  const doing = useSignal<Doing | null>(null)
  useEffect(() => hear((event) => ['projects-changed', 'session-opened', 'imported'].includes(event.type) && asked.again()), [])
  if (!asked.value) return asked.trouble ? <Trouble text={asked.trouble} again={asked.again} /> : <Loading />
  const all = asked.value
  const start = (kind: Doing['kind'], project: Project) => () => {
    doing.value = { kind, project }
  }
  const done = () => {
    doing.value = null
  }
  return (
    <>
      <Head title="Projects">
        <span class="dim">{count(all.length, 'project')}</span>
      </Head>
      <Trouble text={asked.trouble} again={asked.again} />
      {all.length === 0 ? (
        <Empty title="No project yet.">
          <p>A project appears with its first session or note.</p>
        </Empty>
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
                  <td>{project.lastAt ? day(project.lastAt) : ''}</td>
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

const moving = (from: string, to: string, merge: boolean) => send('POST', '/api/projects/rename', { from, to, merge })

function Rename({ project, onDone }: { project: Project; onDone: () => void }) {
  const name = useSignal(project.project)
  return (
    <Dialog title={`Rename ${project.name}`} onClose={onDone}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onDone()
          const [from, to] = [project.project, name.value.trim()]
          void act(moving(from, to, false), `${project.name} is called ${to} from now on.`, () => moving(to, from, true))
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
          void act(moving(project.project, into.value, true), `${project.name} becomes part of ${into.value}.`)
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
          {count(project.sessions, 'session')}, {count(project.observations, 'observation')} and {count(project.notes, 'note')} move over.
          The two cannot be told apart afterwards.
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
          void act(
            send('POST', '/api/projects/wipe', { project: project.project, confirm: typed.value }),
            `${project.name} is being wiped.`,
          )
        }}
      >
        <p>
          This removes {count(project.sessions, 'session')}, {count(project.prompts, 'prompt')},{' '}
          {count(project.observations, 'observation')} and {count(project.notes, 'note')} for good. There is no way back.
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
