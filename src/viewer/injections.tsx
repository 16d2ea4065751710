import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type MemoryKind, memoryId } from '../core/memory-kinds.ts'
import type { InjectResponse } from '../wire/contract/inject.ts'
import type { InjectionCandidate, MemoryResponse, RecordedInjection, ShownItem } from '../wire/contract/memories.ts'
import { Dropdown, EmptyState, ErrorMessage, formatCount, LoadingOrError, nameOfProject, PageHead, TimeAgo } from './components.tsx'
import { onLiveEvent } from './live.ts'
import { projectOptions, projects } from './project-list.ts'
import { hrefOf, memoryHref } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useFetch } from './use-fetch.ts'
import { call, filterValue } from './worker-requests.ts'

/** The exact texts that were injected, with the reason for each item; and a preview of the next brief. */
export function InjectionsPage() {
  const { id, query } = currentRoute.value
  return (
    <>
      <PageHead title="Injections">
        <nav class="chips" aria-label="Injections">
          <a class="chip" aria-current={id === 'next' ? undefined : 'page'} href="/injections">
            past injections
          </a>
          <a class="chip" aria-current={id === 'next' ? 'page' : undefined} href="/injections/next">
            next brief
          </a>
        </nav>
        {query.session && (
          <span class="dim">
            from <a href={hrefOf('sessions', query.session)}>session {query.session}</a> · <a href="/injections">all sessions</a>
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
  if (!injections.value) return <LoadingOrError fetched={injections} />
  const all = injections.value
  if (all.length === 0)
    return (
      <EmptyState title="Nothing has been injected yet.">
        <p>
          The next session in a project with memories starts with a brief. <a href="/injections/next">Preview it</a>
        </p>
      </EmptyState>
    )
  const shown = all.find((injection) => String(injection.id) === id) ?? (all[0] as RecordedInjection)
  return (
    <div class="split">
      <ul class="scroll picks" aria-label="Past injections">
        {all.map((injection) => (
          <li>
            <a
              class="row pick"
              aria-current={injection === shown ? 'true' : undefined}
              href={hrefOf('injections', String(injection.id), { session })}
            >
              <span class="what">
                <b>{injection.event}</b>
                <span class="snip">
                  {nameOfProject(injection.project)} · {formatCount(injection.items.filter(isMemory).length, 'memory', 'memories')}
                </span>
              </span>
              <span class="dim">{injection.tokens}t</span>
              <TimeAgo at={injection.at} />
            </a>
          </li>
        ))}
      </ul>
      <section class="scroll detail" aria-label="Injected text">
        <h2>{shown.event}</h2>
        <p class="dim">
          <TimeAgo at={shown.at} /> · {nameOfProject(shown.project)} · {formatCount(shown.tokens, 'token')}
          {shown.sessionId !== null && (
            <>
              {' · '}
              <a href={hrefOf('sessions', String(shown.sessionId), { at: `injection:${shown.id}` })}>show in its session</a>
            </>
          )}
        </p>
        <pre class="verbatim">{shown.text}</pre>
        <ChosenItems items={shown.items} omitted={shown.omitted} />
      </section>
    </div>
  )
}

const MAX_BRIEF_TOKENS = 2000

/** The brief that the next session would get, with a budget to experiment with. */
function NextBrief() {
  const { project = projects.value[0]?.project ?? '', tokens = String(MAX_BRIEF_TOKENS) } = currentRoute.value.query
  const preview = useFetch('GET /api/context/inject', project ? { project, tokens, format: 'json' } : null)
  const last = useSignal<InjectResponse | null>(null)
  if (preview.value && last.value !== preview.value) last.value = preview.value
  const choose = (part: Record<string, string>) => navigate(hrefOf('injections', 'next', { project, tokens, ...part }), 'replace')
  if (projects.value.length === 0) return <EmptyState title="No projects yet.">{<p>A brief needs memories to choose from.</p>}</EmptyState>
  const brief = preview.value ?? last.value
  return (
    <>
      <div class="scrubber">
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
        <span class="mono dim">
          {brief?.tokens ?? 0} of {tokens} tokens
        </span>
      </div>
      <ErrorMessage text={preview.error} retry={preview.refetch} />
      {brief && (
        <div class="scroll detail">
          {brief.text ? (
            <pre class="verbatim">{brief.text}</pre>
          ) : (
            <EmptyState title="The brief would be empty.">
              <p>The budget is too small, or the project has no memories.</p>
            </EmptyState>
          )}
          <ChosenItems items={brief.items} omitted={brief.omitted} />
        </div>
      )}
    </>
  )
}

/** The items of an injection with the reason for each, and the candidates that were left out. */
function ChosenItems({ items, omitted }: { items: ShownItem[]; omitted: InjectionCandidate[] }) {
  const titles = useMemoryTitles([...items, ...omitted].filter(isMemory))
  return (
    <>
      <h2 class="sub">Items</h2>
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
          <ul class="near">
            {omitted.map((item) => (
              <li>
                <ItemTitle item={item} titles={titles} /> <span class="dim">{item.why}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** The title of a memory, as a link; or the name of a line that belongs to no single memory. */
function ItemTitle({ item, titles }: { item: InjectionCandidate; titles: Record<string, string> }) {
  if (!isMemory(item)) return <>line: {item.id}</>
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
