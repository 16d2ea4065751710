import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { MEMORY_KINDS } from '../core/memory-kinds.ts'
import type { SearchResponse } from '../wire/contract/memories.ts'
import { MAX_QUERY_CHARS_IN_URL } from '../wire/viewer-pages.ts'
import { Chip, Dropdown, EmptyState, ErrorMessage, formatCount, hrefOfRow, MemoryRow, PageHead } from './components.tsx'
import { askToForget, askToForgetMemory } from './forget.tsx'
import { wordsToHighlight } from './highlight.ts'
import { projectOptions } from './project-list.ts'
import { hrefOf } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { filterValue } from './worker-requests.ts'

const TYPING_PAUSE_MS = 90
const HOUR_MS = 3_600_000
const DEFAULT_HITS = 30
const MAX_HITS = 200
const SINCE_OPTIONS = [
  { value: '', text: 'Any time' },
  { value: '1', text: 'Last day' },
  { value: '7', text: 'Last week' },
  { value: '30', text: 'Last month' },
  { value: '365', text: 'Last year' },
]

/** Whether memories about changed or deleted code are shown. */
const CODE_OPTIONS = [
  { value: '', text: 'Any code' },
  { value: 'current', text: 'Not outdated' },
  { value: 'outdated', text: 'Outdated only' },
]

type SearchFilters = { kind: string; project: string; since: string; code: string }

/** Searches while the person types, and shows for each hit which signals found it. */
export function SearchPage() {
  const { q = '', kind = '', project = '', since = '', code = '', many = '' } = currentRoute.value.query
  const filters = { kind, project, since, code }
  const limit = Number(many || DEFAULT_HITS)
  const { response, error, refetch } = useSearch(q, filters, limit)
  const input = useRef<HTMLInputElement>(null)
  const { cursor, move } = useHitCursor(response?.hits ?? [], input)
  const choose = (part: Record<string, string>) => {
    cursor.value = -1
    navigate(hrefOf('search', '', { ...currentRoute.value.query, ...part }), 'replace')
  }
  const moveToFirst = () => {
    cursor.value = -1
    move(1)
  }
  return (
    <>
      <PageHead title="Search">
        <SearchInput input={input} query={q} onQuery={(query) => choose({ q: query })} onLeave={moveToFirst} />
        <SearchFilterControls filters={filters} onChoose={choose} />
        <ForgetMatches query={q} filters={filters} />
      </PageHead>
      <ErrorMessage text={error} retry={refetch} />
      <div class="scroll">
        <SearchNotice response={response} limit={limit} />
        {q.trim() === '' && <SearchHelp />}
        {response?.hits.length === 0 && <NoHits hasFilters={Boolean(kind || project || since || code)} />}
        <HitList hits={response?.hits ?? []} words={wordsToHighlight(q)} cursor={cursor} />
        {response && response.hits.length >= limit && limit < MAX_HITS && (
          <button type="button" onClick={() => choose({ many: String(MAX_HITS) })}>
            Show more
          </button>
        )}
      </div>
    </>
  )
}

/** The response for a query; null without one. The last response stays until the next arrives, so the list does not flicker. */
function useSearch(query: string, { kind, project, since, code }: SearchFilters, limit: number) {
  const request = {
    query,
    kind: MEMORY_KINDS.find((known) => known === kind),
    project: filterValue(project),
    since: sinceTime(since),
    limit,
  }
  const isEmpty = query.trim() === ''
  const { value, error, refetch } = useFetch('GET /api/search', isEmpty ? null : request)
  const last = useRef<SearchResponse | null>(null)
  if (value) last.current = value
  const response = isEmpty ? null : (value ?? last.current)
  const isWanted = (hit: SearchResponse['hits'][number]) => code === '' || (code === 'outdated') === (hit.code !== null)
  return { response: response && { ...response, hits: response.hits.filter(isWanted) }, error, refetch }
}

/** The hit that keys act on: j, k and the arrows move it, x forgets it. */
function useHitCursor(hits: SearchResponse['hits'], input: RefObject<HTMLInputElement | null>) {
  const cursor = useSignal(-1)
  const move = (by: number) => {
    cursor.value = Math.max(0, Math.min(hits.length - 1, cursor.value + by))
    document.querySelector<HTMLElement>(`[data-hit="${cursor.value}"]`)?.focus()
  }
  useKeyBindings({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    '/': () => input.current?.focus(),
    x: () => {
      const hit = hits[cursor.value]
      if (hit) askToForgetMemory(hit.kind, hit.id)
    },
  })
  return { cursor, move }
}

function SearchInput({
  input,
  query,
  onQuery,
  onLeave,
}: {
  input: RefObject<HTMLInputElement | null>
  query: string
  onQuery: (query: string) => void
  onLeave: () => void
}) {
  const typed = useSignal(query)
  useEffect(() => input.current?.focus(), [])
  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed.value !== (currentRoute.value.query.q ?? '')) onQuery(typed.value)
    }, TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed.value])
  return (
    <input
      ref={input}
      type="search"
      class="ask"
      aria-label="Search memories"
      placeholder="words, or type:bugfix path:src since:7d"
      maxLength={MAX_QUERY_CHARS_IN_URL}
      value={typed.value}
      onInput={(event) => {
        typed.value = event.currentTarget.value
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown' || event.key === 'Enter') {
          event.preventDefault()
          onLeave()
        }
      }}
    />
  )
}

function SearchFilterControls({ filters, onChoose }: { filters: SearchFilters; onChoose: (part: Partial<SearchFilters>) => void }) {
  return (
    <>
      <fieldset class="chips" aria-label="Kinds">
        {MEMORY_KINDS.map((kind) => (
          <Chip on={filters.kind === kind} onClick={() => onChoose({ kind: filters.kind === kind ? '' : kind })}>
            {kind === 'summary' ? 'summaries' : `${kind}s`}
          </Chip>
        ))}
      </fieldset>
      <Dropdown label="Project" value={filters.project} options={projectOptions()} onChoose={(project) => onChoose({ project })} />
      <Dropdown label="Since" value={filters.since} options={SINCE_OPTIONS} onChoose={(since) => onChoose({ since })} />
      <Dropdown label="Code" value={filters.code} options={CODE_OPTIONS} onChoose={(code) => onChoose({ code })} />
    </>
  )
}

/** Forgets everything that contains the words, not only the hits shown. The dialog lists it first. A kind of memory cannot be forgotten alone: a prompt takes its turn along. */
function ForgetMatches({ query, filters }: { query: string; filters: SearchFilters }) {
  if (query.trim() === '' || filters.kind || filters.code) return null
  const selection = { query, project: filterValue(filters.project), since: sinceTime(filters.since) }
  return (
    <button type="button" class="danger" onClick={() => askToForget(`everything with “${query.trim()}”`, selection)}>
      Forget matches…
    </button>
  )
}

/** Full hours, so that the request stays the same while a person types. */
const sinceTime = (days: string) => (days ? Math.floor(Date.now() / HOUR_MS) * HOUR_MS - Number(days) * 24 * HOUR_MS : undefined)

/** One line above the hits: how many there are, and how the worker understood the query. */
function SearchNotice({ response, limit }: { response: SearchResponse | null; limit: number }) {
  const { hits = [], understood = [], time, message, problems = [] } = response ?? {}
  const parts = [
    ...(hits.length > 0 ? [`${formatCount(hits.length, 'hit')}${hits.length >= limit ? ' or more' : ''}`] : []),
    ...understood.map(({ word, meaning }) => `“${word}” is ${meaning}`),
    ...(time ? [time.said] : []),
    ...(message ? [message] : []),
    ...problems.map(({ word, message }) => `${word}: ${message}`),
  ]
  return (
    <p class="dim notice" role="status">
      {parts.join(' · ')}
    </p>
  )
}

function SearchHelp() {
  return (
    <EmptyState title="Search in your own words.">
      <p>
        Filters narrow the search: <code>type:bugfix</code>, <code>path:src/auth</code>, <code>since:7d</code>, <code>session:…</code>,{' '}
        <code>branch:…</code>. You can also write times such as “last week”.
      </p>
    </EmptyState>
  )
}

function NoHits({ hasFilters }: { hasFilters: boolean }) {
  return (
    <EmptyState title="No memories found.">
      <p>Try fewer or different words{hasFilters && ', or fewer filters'}.</p>
    </EmptyState>
  )
}

function HitList({ hits, words, cursor }: { hits: SearchResponse['hits']; words: string[]; cursor: Signal<number> }) {
  return (
    <ol class="hits" aria-label="Hits">
      {hits.map((hit, index) => (
        <li>
          <a
            class="row hit"
            href={hrefOfRow(hit)}
            data-hit={index}
            onFocus={() => {
              cursor.value = index
            }}
          >
            <MemoryRow row={hit} words={words} />
          </a>
          <ScoreBar signals={hit.signals} highestScore={hits[0]?.score ?? 1} />
        </li>
      ))}
    </ol>
  )
}

/** What each signal contributed to a hit's score, as parts of one bar. */
function ScoreBar({ signals, highestScore }: { signals: Record<string, number>; highestScore: number }) {
  const sorted = Object.entries(signals).sort((a, b) => b[1] - a[1])
  const text = sorted.map(([name, value]) => `${name} ${value.toFixed(2)}`).join(', ')
  return (
    <div class="score" title={`Score: ${text}`}>
      <span class="bar" aria-hidden="true">
        {sorted
          .filter(([, value]) => value > 0)
          .map(([name, value]) => (
            <i class={`s-${name}`} style={{ width: `${(100 * value) / Math.max(highestScore, 0.01)}%` }} />
          ))}
      </span>
      <span class="signals">
        <span class="sr">Score: </span>
        {text}
      </span>
    </div>
  )
}
