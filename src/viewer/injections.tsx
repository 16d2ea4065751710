import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type MemoryKind, memoryId } from '../core/memory-kinds.ts'
import type { InjectionCandidate as ChosenItem, MemoryWithTitle, RecordedInjection } from '../wire/view.ts'
import { Dropdown, EmptyState, ErrorMessage, formatCount, Loading, nameOfProject, PageHead, TimeAgo } from './components.tsx'
import { onLiveEvent } from './live.ts'
import { projectOptions, projects } from './project-list.ts'
import { hrefOf, memoryHref } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useFetch } from './use-fetch.ts'
import { queryString, send } from './worker-requests.ts'

/** What went into the model, word for word, and why; and what would go in next. */
export function InjectionsPage() {
  const { id, query } = currentRoute.value
  return (
    <>
      <PageHead title="Injections">
        <nav class="chips" aria-label="Injections">
          <a class="chip" aria-current={id === 'next' ? undefined : 'page'} href="/injections">
            what was told
          </a>
          <a class="chip" aria-current={id === 'next' ? 'page' : undefined} href="/injections/next">
            the next brief
          </a>
        </nav>
        {query.session && (
          <span class="dim">
            of <a href={hrefOf('sessions', query.session)}>session {query.session}</a> · <a href="/injections">all sessions</a>
          </span>
        )}
      </PageHead>
      {id === 'next' ? <NextBrief /> : <PastInjections id={id} session={query.session ?? ''} />}
    </>
  )
}

function PastInjections({ id, session }: { id: string; session: string }) {
  const asked = useFetch<RecordedInjection[]>(`/api/injections?${queryString({ session, limit: 200 })}`)
  useEffect(() => onLiveEvent((event) => event.type === 'prompt-added' && asked.refetch()), [session])
  if (!asked.value) return asked.error ? <ErrorMessage text={asked.error} again={asked.refetch} /> : <Loading />
  const all = asked.value
  if (all.length === 0)
    return (
      <EmptyState title="Nothing has been told to a model yet.">
        <p>
          The next session in a project with memories starts with a brief. <a href="/injections/next">See what it would say</a>
        </p>
      </EmptyState>
    )
  const shown = all.find((told) => String(told.id) === id) ?? (all[0] as RecordedInjection)
  return (
    <div class="split">
      <ul class="scroll picks" aria-label="Briefs">
        {all.map((told) => (
          <li>
            <a
              class="row pick"
              aria-current={told === shown ? 'true' : undefined}
              href={hrefOf('injections', String(told.id), { session })}
            >
              <span class="what">
                <b>{told.event}</b>
                <span class="snip">
                  {nameOfProject(told.project)} · {formatCount(told.items.filter(isMemory).length, 'memory', 'memories')}
                </span>
              </span>
              <span class="dim">{told.tokens}t</span>
              <TimeAgo at={told.at} />
            </a>
          </li>
        ))}
      </ul>
      <section class="scroll detail" aria-label="What was told">
        <h2>{shown.event}</h2>
        <p class="dim">
          <TimeAgo at={shown.at} /> · {nameOfProject(shown.project)} · {formatCount(shown.tokens, 'token')}
          {shown.sessionId !== null && (
            <>
              {' · '}
              <a href={hrefOf('sessions', String(shown.sessionId), { at: `told:${shown.id}` })}>in its session</a>
            </>
          )}
        </p>
        <pre class="said">{shown.text}</pre>
        <ChosenItems items={shown.items} left={shown.omitted} />
      </section>
    </div>
  )
}

type BriefPreview = {
  project: string
  text: string
  tokens: number
  items: RecordedInjection['items']
  omittedObservations: number
  omitted: RecordedInjection['omitted']
}
const MAX_BRIEF_TOKENS = 2000

/** The brief that the next session would be given, under a budget that one may try. */
function NextBrief() {
  const { project = projects.value[0]?.project ?? '', tokens = String(MAX_BRIEF_TOKENS) } = currentRoute.value.query
  const path = project ? `/api/context/inject?${queryString({ project, tokens, format: 'json' })}` : null
  const asked = useFetch<BriefPreview>(path)
  const last = useSignal<BriefPreview | null>(null)
  if (asked.value && last.value !== asked.value) last.value = asked.value
  const choose = (part: Record<string, string>) => navigate(hrefOf('injections', 'next', { project, tokens, ...part }), 'replace')
  if (projects.value.length === 0) return <EmptyState title="No project yet.">{<p>A brief needs memories to choose from.</p>}</EmptyState>
  const brief = asked.value ?? last.value
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
      <ErrorMessage text={asked.error} again={asked.refetch} />
      {brief && (
        <div class="scroll detail">
          {brief.text ? (
            <pre class="said">{brief.text}</pre>
          ) : (
            <EmptyState title="Nothing would be said.">
              <p>The budget has no room for anything, or nothing is known of the project.</p>
            </EmptyState>
          )}
          <ChosenItems items={brief.items} left={brief.omitted} />
        </div>
      )}
    </>
  )
}

/** Why each line is there, and what there was no room for. */
function ChosenItems({ items, left }: { items: RecordedInjection['items']; left: RecordedInjection['omitted'] }) {
  const titles = useMemoryTitles([...items, ...left].filter(isMemory))
  return (
    <>
      <h2 class="sub">Why these</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Why</th>
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
              Together
            </th>
            <td class="num">{items.reduce((sum, { tokens }) => sum + tokens, 0)}</td>
          </tr>
        </tfoot>
      </table>
      {left.length > 0 && (
        <details>
          <summary>Left out: {left.length}</summary>
          <ul class="near">
            {left.map((item) => (
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

/** A memory by its title, to be opened; a line that is gathered from many by its name. */
function ItemTitle({ item, titles }: { item: ChosenItem; titles: Record<string, string> }) {
  if (!isMemory(item)) return <>line: {item.id}</>
  return <a href={memoryHref(item.kind, item.id)}>{titles[`${item.kind}:${item.id}`] ?? `${item.kind} ${item.id}`}</a>
}

const isMemory = <T extends ChosenItem>(item: T): item is T & { kind: MemoryKind } => item.kind !== 'line'

/** What memories are called, by their kind and id. */
function useMemoryTitles(of: { kind: MemoryKind; id: number | string }[]): Record<string, string> {
  const titles = useSignal<Record<string, string>>({})
  const missing = of.filter(({ kind, id }) => !(`${kind}:${id}` in titles.value)).slice(0, 200)
  const key = missing.map(({ kind, id }) => `${kind}:${id}`).join(' ')
  useEffect(() => {
    if (missing.length === 0) return
    void send<MemoryWithTitle[]>('POST', '/api/memories/batch', { ids: missing.map(({ kind, id }) => memoryId(kind, id)) }).then(
      (asked) => {
        if (asked.kind !== 'answered') return
        const called = new Map(asked.value.map((one) => [one.id, memoryTitle(one)]))
        const found = missing.map(({ kind, id }) => [`${kind}:${id}`, called.get(memoryId(kind, id))])
        titles.value = { ...titles.value, ...Object.fromEntries(found) }
      },
    )
  }, [key])
  return titles.value
}

function memoryTitle(one: MemoryWithTitle): string {
  if (!one.memory) return `${one.kind} ${one.id} (gone)`
  switch (one.kind) {
    case 'summary':
      return `Summary: ${one.title ?? one.memory.request}`
    case 'prompt':
      return one.title ?? one.memory.text.slice(0, 120)
    default:
      return one.memory.title
  }
}
