import { useSignal } from '@preact/signals'
import { OBSERVATION_TYPES } from '../core/memory.ts'
import type { MemoryKind } from '../core/memory-kinds.ts'
import type { FeedResponse } from '../wire/contract/feed.ts'
import { useArrivals } from './arrival-count.ts'
import { type Arrivals, describeArrivals, hasArrivals, NO_ARRIVALS } from './arrivals.ts'
import { agentOptions, Chip, Dropdown, EmptyState, ErrorMessage, hrefOfRow, MemoryRow, PageHead, Segments } from './components.tsx'
import { FeedDays } from './feed-days.tsx'
import { askToForgetMemory } from './forget.tsx'
import { formatCount } from './formats.ts'
import { List, resetScroll, usePagedRows } from './list.tsx'
import { dataVersion } from './live.ts'
import { projectOptions } from './project-list.ts'
import { hrefOf } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { call, filterValue } from './worker-requests.ts'

/** Prompts are off by default: they would outnumber the memories made from them. */
const DEFAULT_FEED_KINDS: MemoryKind[] = ['observation', 'summary', 'note']

/** What happened, the newest first: turns by day and session, or every memory in one list. New arrivals are announced and move nothing. */
export function FeedPage() {
  return currentRoute.value.query.view === 'list' ? <MemoryList /> : <TurnFeed />
}

function TurnFeed() {
  const { project = '', agent = '' } = currentRoute.value.query
  /** Increases when the person asks for the new arrivals. */
  const generation = useSignal(0)
  const upTo = useSignal<number | undefined>(undefined)
  const key = `days ${project} ${agent}`
  const filter = { project, agent, kinds: DEFAULT_FEED_KINDS, types: [] }
  const arrivals = useArrivals(`${key} ${generation.value}`, filter, upTo.value)
  const showNew = () => {
    arrivals.value = NO_ARRIVALS
    document.querySelector('main .scroll')?.scrollTo(0, 0)
    generation.value++
  }
  useKeyBindings({ n: showNew })
  return (
    <>
      <FeedHead />
      <NewArrivals arrivals={arrivals.value} onShow={showNew} />
      <FeedDays
        key={key}
        filter={{ project, agent }}
        generation={generation.value}
        onFetched={(newest) => {
          upTo.value = newest
        }}
        empty={<EmptyFeed isFiltered={Boolean(project || agent)} />}
      />
    </>
  )
}

function FeedHead({ children }: { children?: preact.ComponentChildren }) {
  const { query } = currentRoute.value
  const choose = (part: Record<string, string>) => navigate(hrefOf('feed', '', { ...query, ...part }), 'replace')
  return (
    <PageHead title="Feed">
      <Dropdown label="Project" value={query.project ?? ''} options={projectOptions()} onChoose={(project) => choose({ project })} />
      <Dropdown label="Agent" value={query.agent ?? ''} options={agentOptions()} onChoose={(agent) => choose({ agent })} />
      <Segments
        label="Show"
        value={query.view === 'list' ? 'list' : ''}
        options={[
          { value: '', text: 'Sessions' },
          { value: 'list', text: 'All memories' },
        ]}
        onChoose={(view) => choose({ view, types: '', kinds: '' })}
      />
      {children}
    </PageHead>
  )
}

function NewArrivals({ arrivals, onShow }: { arrivals: Arrivals; onShow: () => void }) {
  return (
    <div class="announce" role="status">
      {hasArrivals(arrivals) && (
        <button type="button" class="pill" onClick={onShow}>
          {describeArrivals(arrivals)} <kbd>n</kbd>
        </button>
      )}
    </div>
  )
}

/** Every memory as one row, to filter by type. */
function MemoryList() {
  const { query } = currentRoute.value
  const { project = '', types = '', agent = '', kinds = DEFAULT_FEED_KINDS.join(',') } = query
  const key = `feed ${project} ${types} ${agent} ${kinds}`
  const generation = useSignal(0)
  const rows = usePagedRows(
    key,
    (page) =>
      call('GET /api/feed', { project: filterValue(project), types: filterValue(types), agent: filterValue(agent), kinds, ...page }),
    ({ rows, total, upTo }: FeedResponse) => ({ rows, total, upTo }),
    generation.value,
    dataVersion.value,
  )
  const filter = { project, agent, kinds: kinds.split(','), types: types ? types.split(',') : [] }
  const arrivals = useArrivals(`${key} ${generation.value}`, filter, rows.upTo)
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
      <FeedHead>
        <span class="dim small">{rows.isLoaded && formatCount(rows.total, 'memory', 'memories')}</span>
      </FeedHead>
      <div class="bar-row">
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
      </div>
      <NewArrivals arrivals={arrivals.value} onShow={showNew} />
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
      <EmptyState icon="search" title="No memories match these filters.">
        <p>
          <a href="/feed">Show all memories</a>
        </p>
      </EmptyState>
    )
  return (
    <EmptyState icon="feed" title="No memories yet.">
      <p>
        Connect your agent with <code>recollect init</code>, import your history with <code>recollect import</code>, or try a sample history
        with <code>recollect demo</code>. New memories appear here as they arrive.
      </p>
    </EmptyState>
  )
}
