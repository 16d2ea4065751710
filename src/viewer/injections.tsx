import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { describeInjectionEvent } from '../core/injection-event.ts'
import { type MemoryKind, memoryId } from '../core/memory-kinds.ts'
import type { InjectResponse } from '../wire/contract/inject.ts'
import type { InjectionCandidate, MemoryResponse, RecordedInjection, ShownItem } from '../wire/contract/memories.ts'
import { Dropdown, EmptyState, ErrorMessage, LoadingOrError, PageHead, Segments, TimeAgo } from './components.tsx'
import { formatCount } from './formats.ts'
import { onLiveEvent } from './live.ts'
import { Marks } from './marks.tsx'
import { markOfUsage } from './memory-marks.ts'
import { firstProject, nameOfProject, projectOptions, projects } from './project-list.ts'
import { hrefOf, memoryHref } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useSessionLabels } from './session-labels.ts'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { call, filterValue } from './worker-requests.ts'

/** The exact texts that were injected, why, and what came up again; and a preview of the next brief. */
export function InjectionsPage() {
  const { id, query } = currentRoute.value
  const labelOf = useSessionLabels([query.session ? Number(query.session) : null])
  return (
    <>
      <PageHead title="Injections">
        <Segments
          label="Injections"
          value={id === 'next' ? 'next' : ''}
          options={[
            { value: '', text: 'Shown' },
            { value: 'next', text: 'Next brief' },
          ]}
          onChoose={(value) => navigate(hrefOf('injections', value))}
        />
        {query.session && (
          <span class="dim small ellipsis">
            in <a href={hrefOf('sessions', query.session)}>{labelOf(Number(query.session))?.title ?? `session ${query.session}`}</a> ·{' '}
            <a href="/injections">all sessions</a>
          </span>
        )}
      </PageHead>
      {id === 'next' ? <NextBrief /> : <PastInjections id={id} session={query.session ?? ''} />}
    </>
  )
}

function PastInjections({ id, session }: { id: string; session: string }) {
  const injections = useFetch('GET /api/injections', { session: filterValue(session), limit: 200 })
  useEffect(() => onLiveEvent((event) => event.type === 'prompt-added' && injections.refetch()), [session])
  const all = injections.value ?? []
  const labelOf = useSessionLabels(all.map(({ sessionId }) => sessionId))
  const index = Math.max(
    0,
    all.findIndex((injection) => String(injection.id) === id),
  )
  const show = (at: number) => {
    const next = all[Math.max(0, Math.min(all.length - 1, at))]
    if (next) navigate(hrefOf('injections', String(next.id), { session }), 'replace')
  }
  useKeyBindings({ j: () => show(index + 1), k: () => show(index - 1) })
  if (!injections.value) return <LoadingOrError fetched={injections} />
  const shown = all[index]
  if (!shown)
    return (
      <EmptyState icon="injections" title="Nothing has been shown to a model yet.">
        <p>
          The next session in a project with memories starts with a brief. <a href="/injections/next">Preview it</a>
        </p>
      </EmptyState>
    )
  return (
    <div class="split narrow-list">
      <ul class="scroll picks" aria-label="Past injections">
        {all.map((injection) => (
          <li>
            <a
              class="pick"
              aria-current={injection === shown ? 'true' : undefined}
              href={hrefOf('injections', String(injection.id), { session })}
            >
              <span class="title">
                <b class="ellipsis">{describeInjectionEvent(injection.event)}</b>
                <TimeAgo at={injection.at} />
              </span>
              <span class="dim ellipsis">
                {[
                  labelOf(injection.sessionId)?.title,
                  nameOfProject(injection.project),
                  formatCount(injection.items.filter(isMemory).length, 'memory', 'memories'),
                  formatCount(injection.tokens, 'token'),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must be able to scroll it */}
      <section class="scroll detail" aria-label="Injected text" tabIndex={0}>
        <h2 class="page-title">{describeInjectionEvent(shown.event)}</h2>
        <p class="about">
          <TimeAgo at={shown.at} />
          <span>{nameOfProject(shown.project)}</span>
          <span>{formatCount(shown.tokens, 'token')}</span>
          {shown.sessionId !== null && (
            <a href={hrefOf('sessions', String(shown.sessionId), { at: `injection:${shown.id}` })}>
              {labelOf(shown.sessionId)?.title ?? 'show in its session'}
            </a>
          )}
        </p>
        <ShownText key={shown.id} injection={shown} />
        <ChosenItems items={shown.items} omitted={shown.omitted} />
      </section>
    </div>
  )
}

/** The text, with the lines that came up again in the session, and what that means. */
function ShownText({ injection }: { injection: RecordedInjection }) {
  const fetched = useFetch('GET /api/injections/:id/usage', injection.sessionId === null ? null : { id: injection.id })
  const usage = fetched.value
  const lines = usage?.lines ?? injection.text.split('\n').map((text) => ({ text, isUsed: null }))
  return (
    <>
      {usage && (
        <p class="about">
          <Marks marks={[markOfUsage(usage)]} />
          <span>
            A line counts as used when the session later says or writes two or more of its distinctive words or values in one passage. Names
            of files and code do not count. This shows that the words came up again, not that the line was the reason.
          </span>
        </p>
      )}
      <div class="shown-text">
        {lines.map((line) => (
          <p class={line.isUsed ? 'used' : ''}>
            {line.text}
            {line.isUsed && <span class="sr"> (used later)</span>}
          </p>
        ))}
      </div>
    </>
  )
}

const MAX_BRIEF_TOKENS = 2000

/** The brief that the next session would get, with a budget to experiment with. */
function NextBrief() {
  const { project = firstProject(), tokens = String(MAX_BRIEF_TOKENS) } = currentRoute.value.query
  const preview = useFetch('GET /api/context/inject', project ? { project, tokens, format: 'json' } : null)
  const last = useSignal<InjectResponse | null>(null)
  if (preview.value && last.value !== preview.value) last.value = preview.value
  const choose = (part: Record<string, string>) => navigate(hrefOf('injections', 'next', { project, tokens, ...part }), 'replace')
  if (projects.value.length === 0)
    return (
      <EmptyState icon="projects" title="No projects yet.">
        {<p>A brief needs memories to choose from.</p>}
      </EmptyState>
    )
  const brief = preview.value ?? last.value
  return (
    <>
      <div class="bar-row">
        <Dropdown label="Project" value={project} options={projectOptions().slice(1)} onChoose={(value) => choose({ project: value })} />
        <label class="budget">
          <span>Budget</span>
          <input
            type="range"
            min={0}
            max={MAX_BRIEF_TOKENS}
            step={50}
            value={tokens}
            onInput={(event) => choose({ tokens: event.currentTarget.value })}
          />
        </label>
        <span class="mono dim small">
          {brief?.tokens ?? 0} of {tokens} tokens
        </span>
      </div>
      <ErrorMessage text={preview.error} retry={preview.refetch} />
      {brief && (
        <div class="scroll">
          <div class="column stack">
            {brief.text ? (
              <pre class="verbatim">{brief.text}</pre>
            ) : (
              <EmptyState icon="injections" isInline title="The brief would be empty.">
                <p>The budget is too small, or the project has no memories.</p>
              </EmptyState>
            )}
            <ChosenItems items={brief.items} omitted={brief.omitted} />
          </div>
        </div>
      )}
    </>
  )
}

/** The items of an injection with the reason for each, and the candidates that were left out. */
function ChosenItems({ items, omitted }: { items: ShownItem[]; omitted: InjectionCandidate[] }) {
  const titles = useMemoryTitles([...items, ...omitted].filter(isMemory))
  return (
    <section class="card panel">
      <h2>Why each part is there</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col">Reason</th>
            <th scope="col" class="num">
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr>
              <td>
                <ItemTitle item={item} titles={titles} />
              </td>
              <td>{item.why}</td>
              <td class="num">{item.tokens}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={2}>
              Total
            </th>
            <td class="num">{items.reduce((sum, { tokens }) => sum + tokens, 0)}</td>
          </tr>
        </tfoot>
      </table>
      {omitted.length > 0 && (
        <details>
          <summary>Left out: {omitted.length}</summary>
          <ul class="plain-list small">
            {omitted.map((item) => (
              <li>
                <ItemTitle item={item} titles={titles} /> <span class="dim">{item.why}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

/** The title of a memory, as a link; or the name of a line that belongs to no single memory. */
function ItemTitle({ item, titles }: { item: InjectionCandidate; titles: Record<string, string> }) {
  if (!isMemory(item)) return <span class="dim">{item.id}</span>
  return <a href={memoryHref(item.kind, item.id)}>{titles[`${item.kind}:${item.id}`] ?? `${item.kind} ${item.id}`}</a>
}

const isMemory = <T extends InjectionCandidate>(item: T): item is T & { kind: MemoryKind } => item.kind !== 'line'

/** The titles of memories, by `kind:id`. */
function useMemoryTitles(memories: { kind: MemoryKind; id: number | string }[]): Record<string, string> {
  const titles = useSignal<Record<string, string>>({})
  const missing = memories.filter(({ kind, id }) => !(`${kind}:${id}` in titles.value)).slice(0, 200)
  const key = missing.map(({ kind, id }) => `${kind}:${id}`).join(' ')
  useEffect(() => {
    if (missing.length === 0) return
    void call('POST /api/memories/batch', { ids: missing.map(({ kind, id }) => memoryId(kind, id)) }).then((reply) => {
      if (reply.kind !== 'answered') return
      const titleById = new Map(reply.value.map((entry) => [entry.id, titleOf(entry)]))
      const fetched = missing.map(({ kind, id }) => [`${kind}:${id}`, titleById.get(memoryId(kind, id))])
      titles.value = { ...titles.value, ...Object.fromEntries(fetched) }
    })
  }, [key])
  return titles.value
}

function titleOf(entry: MemoryResponse): string {
  if (!entry.memory) return `${entry.kind} ${entry.id} (deleted)`
  switch (entry.kind) {
    case 'summary':
      return `Summary: ${entry.title ?? entry.memory.request}`
    case 'prompt':
      return entry.title ?? entry.memory.text.slice(0, 120)
    case 'commit':
      return entry.memory.subject
    default:
      return entry.memory.title
  }
}
