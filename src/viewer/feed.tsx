import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { OBSERVATION_TYPES } from '../core/memory.ts'
import type { MemoryKind } from '../core/memory-kinds.ts'
import type { FeedResponse } from '../wire/contract/feed.ts'
import { type Arrivals, addArrival, arrivalsFromCount, describeArrivals, hasArrivals, NO_ARRIVALS } from './arrivals.ts'
import { agentOptions, Chip, Dropdown, EmptyState, ErrorMessage, formatCount, hrefOfRow, MemoryRow, PageHead } from './components.tsx'
import { askToForgetMemory } from './forget.tsx'
import { List, resetScroll, usePagedRows } from './list.tsx'
import { dataVersion, onLiveEvent } from './live.ts'
import { projectOptions } from './project-list.ts'
import { hrefOf } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { call, filterValue } from './worker-requests.ts'

/** Prompts are off by default: they would outnumber the memories made from them. */
const DEFAULT_FEED_KINDS: MemoryKind[] = ['observation', 'summary', 'note']

/** All memories, the newest first. New arrivals are announced in a button, so that no row moves while a person reads. */
export function FeedPage() {
  const { query } = currentRoute.value
  const { project = '', types = '', agent = '', kinds = DEFAULT_FEED_KINDS.join(',') } = query
  const key = `feed ${project} ${types} ${agent} ${kinds}`
  /** Increases when the person asks for the new arrivals. */
  const generation = useSignal(0)
  const request = { project: filterValue(project), types: filterValue(types), agent: filterValue(agent), kinds }
  const rows = usePagedRows(
    key,
    (page) => call('GET /api/feed', { ...request, ...page }),
    ({ rows, total, upTo }: FeedResponse) => ({ rows, total, upTo }),
    generation.value,
    dataVersion.value,
  )
  const arrivals = useSignal<Arrivals>(NO_ARRIVALS)
  const filter = { project, kinds: kinds.split(','), types: types ? types.split(',') : [] }
  useEffect(() => {
    arrivals.value = NO_ARRIVALS
    return onLiveEvent((event) => {
      arrivals.value = addArrival(arrivals.value, event, filter)
    })
  }, [key, generation.value])
  // Live events may have been missed, so the worker counts what arrived since the list was fetched.
  const { upTo } = rows
  useEffect(() => {
    if (upTo === undefined) return
    let isCancelled = false
    const recount = async (): Promise<void> => {
      const before = arrivals.value
      const reply = await call('GET /api/feed', { ...request, after: upTo, limit: 0 })
      if (isCancelled || reply.kind !== 'answered' || reply.value.total === null) return
      // A memory that arrived during the count may or may not be included, so count again.
      if (arrivals.value !== before) return recount()
      arrivals.value = arrivalsFromCount(reply.value.total)
    }
    void recount()
    return () => {
      isCancelled = true
    }
  }, [dataVersion.value])
  const showNew = () => {
    arrivals.value = NO_ARRIVALS
    resetScroll(key)
    document.querySelector('.list')?.scrollTo(0, 0)
    generation.value++
  }
  useKeyBindings({ n: showNew })
  const choose = (part: Record<string, string>) => navigate(hrefOf('feed', '', { ...query, ...part }), 'replace')
  const toggle = (list: string[], value: string) =>
    (list.includes(value) ? list.filter((one) => one !== value) : [...list, value]).join(',')
  return (
    <>
      <PageHead title="Feed">
        <Dropdown label="Project" value={project} options={projectOptions()} onChoose={(value) => choose({ project: value })} />
        <Dropdown label="Agent" value={agent} options={agentOptions()} onChoose={(value) => choose({ agent: value })} />
        <fieldset class="chips" aria-label="Observation types">
          {OBSERVATION_TYPES.map((type) => (
            <Chip on={filter.types.includes(type)} onClick={() => choose({ types: toggle(filter.types, type) })}>
              {type}
            </Chip>
          ))}
          <Chip on={filter.kinds.includes('prompt')} onClick={() => choose({ kinds: toggle(filter.kinds, 'prompt') })}>
            prompts
          </Chip>
        </fieldset>
        <span class="grow" />
        <span class="dim">{rows.isLoaded && formatCount(rows.total, 'memory', 'memories')}</span>
      </PageHead>
      <div class="announce" role="status">
        {hasArrivals(arrivals.value) && (
          <button type="button" class="pill" onClick={showNew}>
            {describeArrivals(arrivals.value)} <kbd>n</kbd>
          </button>
        )}
      </div>
      <ErrorMessage text={rows.error} retry={rows.refetch} />
      {rows.isLoaded && rows.total === 0 ? (
        <EmptyFeed isFiltered={Boolean(project || types || agent)} />
      ) : (
        <List name={key} label="Memories" rows={rows} href={hrefOfRow} onDelete={({ kind, id }) => askToForgetMemory(kind, id)}>
          {(row) => <MemoryRow row={row} />}
        </List>
      )}
    </>
  )
}

function EmptyFeed({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="No memories match these filters.">
        <p>
          <a href="/feed">Show all memories</a>
        </p>
      </EmptyState>
    )
  return (
    <EmptyState title="No memories yet.">
      <p>
        Connect your agent with <code>recollect init</code>, import your history with <code>recollect import</code>, or try a sample history
        with <code>recollect demo</code>. New memories appear here as they arrive.
      </p>
    </EmptyState>
  )
}
