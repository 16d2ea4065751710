import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { KINDS } from '../core/kinds.ts'
import { LONGEST_IN_ADDRESS } from '../wire/pages.ts'
import type { Found } from '../wire/view.ts'
import { queryString } from './ask.ts'
import { useAsked } from './asked.ts'
import { forgetRow } from './feed.tsx'
import { wordsOf } from './highlight.ts'
import { Chip, Choice, count, Empty, Head, hrefOfRow, MemoryRow, Trouble } from './parts.tsx'
import { hrefOf } from './place.ts'
import { projectOptions } from './projects-known.ts'
import { go, place } from './router.ts'
import { useKeys } from './shortcuts.ts'

const SOON_MS = 90
const SINCE = [
  { value: '', text: 'Any time' },
  { value: '1', text: 'Last day' },
  { value: '7', text: 'Last week' },
  { value: '30', text: 'Last month' },
  { value: '365', text: 'Last year' },
]

/** Finds as one types, and says of every hit why it is here. */
export function SearchPage() {
  const { query } = place.value
  const { q = '', kind = '', project = '', since = '', many = '' } = query
  const typed = useSignal(q)
  const input = useRef<HTMLInputElement>(null)
  const cursor = useSignal(-1)
  useEffect(() => input.current?.focus(), [])
  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed.value !== (place.value.query.q ?? '')) choose({ q: typed.value })
    }, SOON_MS)
    return () => clearTimeout(timer)
  }, [typed.value])
  const choose = (part: Record<string, string>) => {
    cursor.value = -1
    go(hrefOf('search', '', { ...place.value.query, ...part }), 'replace')
  }
  const from = since ? Math.floor(Date.now() / 3_600_000) * 3_600_000 - Number(since) * 86_400_000 : undefined
  const path = q.trim() === '' ? null : `/api/search?${queryString({ query: q, kind, project, since: from, limit: many || 30 })}`
  const found = useAsked<Found>(path)
  const last = useRef<Found | null>(null)
  if (found.value) last.current = found.value
  // While the next answer is on its way the last one stays: a list that blinks cannot be read.
  const answer = path === null ? null : (found.value ?? last.current)
  const hits = answer?.hits ?? []
  const words = wordsOf(q)
  const move = (by: number) => {
    cursor.value = Math.max(0, Math.min(hits.length - 1, cursor.value + by))
    document.querySelector<HTMLElement>(`[data-hit="${cursor.value}"]`)?.focus()
  }
  const deleteHere = () => {
    const hit = hits[cursor.value]
    if (hit) forgetRow(hit)
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    '/': () => input.current?.focus(),
    x: deleteHere,
  })
  return (
    <>
      <Head title="Search">
        <input
          ref={input}
          type="search"
          class="ask"
          aria-label="What are you looking for?"
          placeholder="words, or type:bugfix path:src since:7d"
          maxLength={LONGEST_IN_ADDRESS}
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
          {KINDS.map((one) => (
            <Chip on={kind === one} onClick={() => choose({ kind: kind === one ? '' : one })}>
              {one === 'summary' ? 'summaries' : `${one}s`}
            </Chip>
          ))}
        </fieldset>
        <Choice label="Project" value={project} options={projectOptions()} onChoose={(value) => choose({ project: value })} />
        <Choice label="Since" value={since} options={SINCE} onChoose={(value) => choose({ since: value })} />
      </Head>
      <Trouble text={found.trouble} again={found.again} />
      <div class="scroll">
        <p class="dim notice" role="status">
          {path !== null &&
            answer &&
            (hits.length === 0 ? '' : `${count(hits.length, 'hit')}${hits.length >= Number(many || 30) ? ' or more' : ''}`)}
          {answer?.understood.map((time) => ` · “${time.word}” is ${time.meaning}`)}
          {answer?.time && ` · ${answer.time.said}`}
          {answer?.said && ` · ${answer.said}`}
          {answer?.problems.map((one) => ` · ${one.word}: ${one.message}`)}
        </p>
        {path === null && (
          <Empty title="Ask in your own words.">
            <p>
              Filters narrow it down: <code>type:bugfix</code>, <code>path:src/auth</code>, <code>since:7d</code>, <code>session:…</code>,{' '}
              <code>branch:…</code>. Times such as “last week” are understood too.
            </p>
          </Empty>
        )}
        {path !== null && answer && hits.length === 0 && (
          <Empty title="Nothing is known about that.">
            <p>Fewer or other words may find it{(kind || project || since) && '; so may fewer filters'}.</p>
          </Empty>
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
              <Why signals={hit.signals} most={hits[0]?.score ?? 1} />
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
function Why({ signals, most }: { signals: Record<string, number>; most: number }) {
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
