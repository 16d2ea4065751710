import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { MEMORY_KINDS } from '../core/memory-kinds.ts'
import type { ViewerSearchResponse } from '../wire/view.ts'
import { MAX_QUERY_CHARS_IN_URL } from '../wire/viewer-pages.ts'
import { Chip, Dropdown, EmptyState, ErrorMessage, formatCount, hrefOfRow, MemoryRow, PageHead } from './components.tsx'
import { forgetRow } from './feed.tsx'
import { wordsToHighlight } from './highlight.ts'
import { projectOptions } from './project-list.ts'
import { hrefOf } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { queryString } from './worker-requests.ts'

const TYPING_PAUSE_MS = 90
const SINCE_OPTIONS = [
  { value: '', text: 'Any time' },
  { value: '1', text: 'Last day' },
  { value: '7', text: 'Last week' },
  { value: '30', text: 'Last month' },
  { value: '365', text: 'Last year' },
]

/** Finds as one types, and says of every hit why it is here. */
export function SearchPage() {
  const { query } = currentRoute.value
  const { q = '', kind = '', project = '', since = '', many = '' } = query
  const typed = useSignal(q)
  const input = useRef<HTMLInputElement>(null)
  const cursor = useSignal(-1)
  useEffect(() => input.current?.focus(), [])
  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed.value !== (currentRoute.value.query.q ?? '')) choose({ q: typed.value })
    }, TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed.value])
  const choose = (part: Record<string, string>) => {
    cursor.value = -1
    navigate(hrefOf('search', '', { ...currentRoute.value.query, ...part }), 'replace')
  }
  const from = since ? Math.floor(Date.now() / 3_600_000) * 3_600_000 - Number(since) * 86_400_000 : undefined
  const path = q.trim() === '' ? null : `/api/search?${queryString({ query: q, kind, project, since: from, limit: many || 30 })}`
  const found = useFetch<ViewerSearchResponse>(path)
  const last = useRef<ViewerSearchResponse | null>(null)
  if (found.value) last.current = found.value
  // While the next answer is on its way the last one stays: a list that blinks cannot be read.
  const answer = path === null ? null : (found.value ?? last.current)
  const hits = answer?.hits ?? []
  const words = wordsToHighlight(q)
  const move = (by: number) => {
    cursor.value = Math.max(0, Math.min(hits.length - 1, cursor.value + by))
    document.querySelector<HTMLElement>(`[data-hit="${cursor.value}"]`)?.focus()
  }
  const deleteHere = () => {
    const hit = hits[cursor.value]
    if (hit) forgetRow(hit)
  }
  useKeyBindings({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    '/': () => input.current?.focus(),
    x: deleteHere,
  })
  return (
    <>
      <PageHead title="Search">
        <input
          ref={input}
          type="search"
          class="ask"
          aria-label="What are you looking for?"
          placeholder="words, or type:bugfix path:src since:7d"
          maxLength={MAX_QUERY_CHARS_IN_URL}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' || event.key === 'Enter') {
              event.preventDefault()
              cursor.value = -1
              move(1)
            }
          }}
        />
        <fieldset class="chips" aria-label="Kinds">
          {MEMORY_KINDS.map((one) => (
            <Chip on={kind === one} onClick={() => choose({ kind: kind === one ? '' : one })}>
              {one === 'summary' ? 'summaries' : `${one}s`}
            </Chip>
          ))}
        </fieldset>
        <Dropdown label="Project" value={project} options={projectOptions()} onChoose={(value) => choose({ project: value })} />
        <Dropdown label="Since" value={since} options={SINCE_OPTIONS} onChoose={(value) => choose({ since: value })} />
      </PageHead>
      <ErrorMessage text={found.error} again={found.refetch} />
      <div class="scroll">
        <p class="dim notice" role="status">
          {path !== null &&
            answer &&
            (hits.length === 0 ? '' : `${formatCount(hits.length, 'hit')}${hits.length >= Number(many || 30) ? ' or more' : ''}`)}
          {answer?.understood.map((time) => ` · “${time.word}” is ${time.meaning}`)}
          {answer?.time && ` · ${answer.time.said}`}
          {answer?.message && ` · ${answer.message}`}
          {answer?.problems.map((one) => ` · ${one.word}: ${one.message}`)}
        </p>
        {path === null && (
          <EmptyState title="Ask in your own words.">
            <p>
              Filters narrow it down: <code>type:bugfix</code>, <code>path:src/auth</code>, <code>since:7d</code>, <code>session:…</code>,{' '}
              <code>branch:…</code>. Times such as “last week” are understood too.
            </p>
          </EmptyState>
        )}
        {path !== null && answer && hits.length === 0 && (
          <EmptyState title="Nothing is known about that.">
            <p>Fewer or other words may find it{(kind || project || since) && '; so may fewer filters'}.</p>
          </EmptyState>
        )}
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
              <ScoreBar signals={hit.signals} most={hits[0]?.score ?? 1} />
            </li>
          ))}
        </ol>
        {hits.length >= Number(many || 30) && hits.length < 200 && (
          <button type="button" onClick={() => choose({ many: '200' })}>
            Show more
          </button>
        )}
      </div>
    </>
  )
}

/** What each signal gave to a hit, as parts of one bar. */
function ScoreBar({ signals, most }: { signals: Record<string, number>; most: number }) {
  const all = Object.entries(signals).sort((a, b) => b[1] - a[1])
  const parts = all.filter(([, value]) => value > 0)
  const told = all.map(([name, value]) => `${name} ${value.toFixed(2)}`).join(', ')
  return (
    <div class="why" title={`Why it is here: ${told}`}>
      <span class="bar" aria-hidden="true">
        {parts.map(([name, value]) => (
          <i class={`s-${name}`} style={{ width: `${(100 * value) / Math.max(most, 0.01)}%` }} />
        ))}
      </span>
      <span class="told">
        <span class="sr">Why it is here: </span>
        {told}
      </span>
    </div>
  )
}
