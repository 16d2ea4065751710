import type { ComponentChildren } from 'preact'
import { agentTitle } from '../core/agent.ts'
import { describeInjectionEvent } from '../core/injection-event.ts'
import { type MemoryKind, memoryId, shortMemoryId } from '../core/memory-kinds.ts'
import { CodeState } from './code-state.tsx'
import { PageHead, Tag, TextWithCode, TimeAgo } from './components.tsx'
import { Icon, type IconName } from './icons.tsx'
import { Marks, type MarkText } from './marks.tsx'
import { nameOfProject } from './project-list.ts'
import { hrefOf } from './route.ts'
import { useSessionLabels } from './session-labels.ts'
import { useFetch } from './use-fetch.ts'
import { copyText } from './user-actions.ts'

const KIND_NAMES: Record<MemoryKind, string> = {
  observation: 'Observation',
  summary: 'Summary',
  prompt: 'Turn',
  note: 'Note',
  commit: 'Commit',
}
const KIND_ICONS: Record<MemoryKind, IconName> = {
  observation: 'memory',
  summary: 'feed',
  prompt: 'sessions',
  note: 'memory',
  commit: 'graph',
}

/** The page of one memory: what it is, what can be done with it, and what is known about it. Its title appears once. */
export function MemoryFrame({
  kind,
  id,
  title,
  type,
  marks = [],
  project,
  agent,
  at,
  actions,
  aside,
  children,
}: {
  kind: MemoryKind
  id: string
  title: string
  type: string
  marks?: (MarkText | null)[]
  project?: string | undefined
  agent?: string | undefined
  at: number
  actions: ComponentChildren
  aside: ComponentChildren
  children: ComponentChildren
}) {
  return (
    <>
      <PageHead
        crumb={
          <>
            <Icon name={KIND_ICONS[kind]} /> {KIND_NAMES[kind]} <ShortId kind={kind} id={id} />
          </>
        }
      />
      <div class="scroll">
        <div class="columns">
          <article>
            <div class="about">
              <Tag type={type} />
              <Marks
                marks={[
                  project ? { kind: 'project', words: nameOfProject(project), href: hrefOf('feed', '', { project }) } : null,
                  agent ? { kind: 'agent', words: agentTitle(agent) } : null,
                  ...marks,
                ]}
              />
              <TimeAgo at={at} />
            </div>
            <h1>
              <TextWithCode text={title} />
            </h1>
            <div class="buttons">{actions}</div>
            {children}
          </article>
          <aside aria-label="About this memory">
            <CodeState id={memoryId(kind, id)} />
            {aside}
            <ShownToModel id={memoryId(kind, id)} />
          </aside>
        </div>
      </div>
    </>
  )
}

/** Short enough to type; a click copies it. */
function ShortId({ kind, id }: { kind: MemoryKind; id: string }) {
  const short = shortMemoryId(kind, id)
  return (
    <button type="button" class="plain id" title={`Copy ${short}`} onClick={() => copyText(short, `Copied ${short}.`)}>
      {short}
    </button>
  )
}

const MAX_INJECTIONS_SHOWN = 5

/** When the model saw this memory. */
function ShownToModel({ id }: { id: string }) {
  const fetched = useFetch('GET /api/injections', { memory: id, limit: MAX_INJECTIONS_SHOWN })
  const injections = fetched.value ?? []
  if (injections.length === 0) return null
  return (
    <section>
      <h2>Shown to the model</h2>
      <ul class="bullets small">
        {injections.map((injection) => (
          <li>
            <a href={hrefOf('injections', String(injection.id))}>
              {describeInjectionEvent(injection.event)}, <TimeAgo at={injection.at} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** A fact about where a memory comes from. */
export type BeliefSource = { text: ComponentChildren; when: ComponentChildren }

/** Why a memory is believed: where it was said or seen, and what it replaced. */
export function Sources({ sources }: { sources: (BeliefSource | null)[] }) {
  const shown = sources.filter((source) => source !== null)
  if (shown.length === 0) return null
  return (
    <section class="card panel">
      <h2>Why it is believed</h2>
      <table>
        <tbody>
          {shown.map(({ text, when }) => (
            <tr>
              <td>{text}</td>
              <td class="num dim small">{when}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** A link to a turn of a session, with the title of the session. */
export function SessionLink({ session, at }: { session: number | string; at?: string }) {
  const label = useSessionLabels([session])(session)
  if (!label) return <>session {session}</>
  return <a href={hrefOf('sessions', String(label.id), at ? { at } : {})}>{label.title}</a>
}
