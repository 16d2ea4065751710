import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { OBSERVATION_TYPES } from '../core/memory.ts'
import type { MemoryKind } from '../core/memory-kinds.ts'
import type { Feed, MemoryListItem } from '../wire/view.ts'
import { type Arrivals, addArrival, arrivalsFromCount, describeArrivals, hasArrivals, NO_ARRIVALS } from './arrivals.ts'
import { Chip, Dropdown, EmptyState, ErrorMessage, formatCount, hrefOfRow, MemoryRow, PageHead } from './components.tsx'
import { List, resetScroll, usePagedRows } from './list.tsx'
import { dataVersion, onLiveEvent } from './live.ts'
import { projectOptions } from './project-list.ts'
import { hrefOf } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { forgetNote, forgetObservation } from './user-actions.ts'
import { get, queryString } from './worker-requests.ts'

/** What a feed shows when nobody chooses: what was made of the work, not every word that was typed. */
const DEFAULT_FEED_KINDS: MemoryKind[] = ['observation', 'summary', 'note']

/** Everything that is remembered, the newest first. What comes in meanwhile says so and moves nothing. */
export function FeedPage() {
  const { query } = currentRoute.value
  const { project = '', types = '', agent = '', kinds = DEFAULT_FEED_KINDS.join(',') } = query
  const key = `feed ${project} ${types} ${agent} ${kinds}`
  const shown = useSignal(0)
  const rows = usePagedRows<MemoryListItem, Feed>(
    key,
    '/api/feed',
    { project, types, agent, kinds },
    (answer) => ({ rows: answer.rows, total: answer.total, pin: { upTo: answer.upTo } }),
    shown.value,
    dataVersion.value,
  )
  const arrivals = useSignal<Arrivals>(NO_ARRIVALS)
  const wanted = { project, kinds: kinds.split(','), types: types ? types.split(',') : [] }
  useEffect(() => {
    arrivals.value = NO_ARRIVALS
    return onLiveEvent((event) => {
      arrivals.value = addArrival(arrivals.value, event, wanted)
    })
  }, [key, shown.value])
  // What was not heard is counted: how much has come in since the list was fetched.
  const upTo = (rows.first as Feed | undefined)?.upTo
  useEffect(() => {
    if (upTo === undefined) return
    let isOver = false
    const countAnew = async (): Promise<void> => {
      const before = arrivals.value
      const asked = await get<Feed>(`/api/feed?${queryString({ project, types, agent, kinds, after: upTo, limit: 0 })}`)
      if (isOver || asked.kind !== 'answered' || asked.value.total === null) return
      // Something was heard while it was counted: it may be in the count or not, so it is counted again.
      if (arrivals.value !== before) return countAnew()
      arrivals.value = arrivalsFromCount(asked.value.total)
    }
    void countAnew()
    return () => {
      isOver = true
    }
  }, [dataVersion.value])
  const showNew = () => {
    arrivals.value = NO_ARRIVALS
    resetScroll(key)
    document.querySelector('.list')?.scrollTo(0, 0)
    shown.value++
  }
  useKeyBindings({ n: showNew })
  const choose = (part: Record<string, string>) => navigate(hrefOf('feed', '', { ...query, ...part }), 'replace')
  const toggled = (list: string, word: string) =>
    (list.split(',').includes(word) ? list.split(',').filter((one) => one !== word) : [...list.split(','), word]).filter(Boolean).join(',')
  return (
    <>
      <PageHead title="Feed">
        <Dropdown label="Project" value={project} options={projectOptions()} onChoose={(value) => choose({ project: value })} />
        <Dropdown
          label="Agent"
          value={agent}
          options={[
            { value: '', text: 'All agents' },
            { value: 'claude-code', text: 'Claude Code' },
          ]}
          onChoose={(value) => choose({ agent: value })}
        />
        <fieldset class="chips" aria-label="Types of observations">
          {OBSERVATION_TYPES.map((type) => (
            <Chip on={wanted.types.includes(type)} onClick={() => choose({ types: toggled(types, type) })}>
              {type}
            </Chip>
          ))}
          <Chip on={wanted.kinds.includes('prompt')} onClick={() => choose({ kinds: toggled(kinds, 'prompt') })}>
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
      <ErrorMessage text={rows.error} again={rows.refetch} />
      {rows.isLoaded && rows.total === 0 ? (
        <EmptyFeed isFiltered={Boolean(project || types || agent)} />
      ) : (
        <List name={key} label="Memories" rows={rows} href={hrefOfRow} onDelete={forgetRow}>
          {(row) => <MemoryRow row={row} />}
        </List>
      )}
    </>
  )
}

export function forgetRow(row: MemoryListItem): void {
  if (row.kind === 'observation') void forgetObservation(row.id)
  if (row.kind === 'note') void forgetNote(row.id)
}

function EmptyFeed({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <EmptyState title="Nothing fits these filters.">
        <p>
          <a href="/feed">Show everything</a>
        </p>
      </EmptyState>
    )
  return (
    <EmptyState title="Nothing is remembered yet.">
      <p>
        Connect Claude Code with <code>recollect init</code>, bring in your history with <code>recollect import</code>, or look around in a
        sample with <code>recollect demo</code>. Whatever comes in appears here by itself.
      </p>
    </EmptyState>
  )
}
