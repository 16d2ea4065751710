import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { AGENT_NAMES, agentTitle } from '../core/agent.ts'
import { MEMORY_KINDS } from '../core/memory-kinds.ts'
import type { SearchHit, SearchResponse } from '../wire/contract/memories.ts'
import { MAX_QUERY_CHARS_IN_URL } from '../wire/viewer-pages.ts'
import {
  agentOptions,
  Chip,
  Dropdown,
  EmptyState,
  ErrorMessage,
  HighlightedText,
  hrefOfRow,
  PageHead,
  Tag,
  TimeAgo,
} from './components.tsx'
import { askToForget, askToForgetMemory } from './forget.tsx'
import { formatCount } from './formats.ts'
import { wordsToHighlight } from './highlight.ts'
import { explainHit, groupBySession } from './hit-reasons.ts'
import { Icon } from './icons.tsx'
import { MarkdownLine } from './markdown-view.tsx'
import { splitMark } from './marked-title.ts'
import { Marks } from './marks.tsx'
import { codeMark, marksOfHit } from './memory-marks.ts'
import { nameOfProject, projectOptions } from './project-list.ts'
import { hrefOf } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useSessionLabels } from './session-labels.ts'
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

type SearchFilters = { kind: string; project: string; since: string; agent: string; code: string }

/** Searches while the person types, and shows for each hit which signals found it. */
export function SearchPage() {
  const { q = '', kind = '', project = '', agent = '', since = '', code = '', many = '' } = currentRoute.value.query
  const filters = { kind, project, agent, since, code }
  const limit = Number(many || DEFAULT_HITS)
  const { response, hits, hasMore, error, refetch } = useSearch(q, filters, limit)
  const input = useRef<HTMLInputElement>(null)
  const { cursor, move } = useHitCursor(hits, input)
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
        <Dropdown label="Project" value={project} options={projectOptions()} onChoose={(value) => choose({ project: value })} />
        <Dropdown label="Agent" value={agent} options={agentOptions()} onChoose={(value) => choose({ agent: value })} />
        <Dropdown label="Since" value={since} options={SINCE_OPTIONS} onChoose={(value) => choose({ since: value })} />
        <Dropdown label="Code" value={code} options={CODE_OPTIONS} onChoose={(value) => choose({ code: value })} />
      </PageHead>
      <div class="bar-row">
        <KindChips kind={kind} onChoose={(value) => choose({ kind: value })} />
        <span class="grow" />
        <ForgetMatches query={q} filters={filters} />
      </div>
      <ErrorMessage text={error} retry={refetch} />
      <div class="scroll">
        {q.trim() === '' && <SearchHelp />}
        {response && hits.length === 0 && <NoHits hasFilters={Boolean(kind || project || agent || since || code)} />}
        <div class="columns" hidden={!response}>
          <div>
            <SearchNotice response={response} hits={hits} hasMore={hasMore} />
            <HitGroups hits={hits} words={wordsToHighlight(q)} cursor={cursor} />
            {hasMore && limit < MAX_HITS && (
              <p class="more">
                <button type="button" onClick={() => choose({ many: String(MAX_HITS) })}>
                  Show more
                </button>
              </p>
            )}
          </div>
          <aside class="quiet" aria-label="Narrow down">
            <NarrowDown hits={hits} query={q} onChoose={choose} />
          </aside>
        </div>
      </div>
    </>
  )
}

/**
 * The response for a query, null without one, and the hits of it that are wanted. The last response stays until the next arrives, so the list does not
 * flicker. `hasMore`: the worker may know more than it was asked for.
 */
function useSearch(query: string, { kind, project, agent, since, code }: SearchFilters, limit: number) {
  const request = {
    query,
    kind: MEMORY_KINDS.find((known) => known === kind),
    project: filterValue(project),
    agent: AGENT_NAMES.find((known) => known === agent),
    since: sinceTime(since),
    limit,
  }
  const isEmpty = query.trim() === ''
  const { value, error, refetch } = useFetch('GET /api/search', isEmpty ? null : request)
  const last = useRef<SearchResponse | null>(null)
  if (value) last.current = value
  const response = isEmpty ? null : (value ?? last.current)
  const isWanted = (hit: SearchHit) => code === '' || (code === 'outdated') === (hit.code !== null)
  const all = response?.hits ?? []
  // In the order on the screen, through which the keys move.
  const hits = groupBySession(all.filter(isWanted)).flatMap((group) => group.hits)
  return { response, hits, hasMore: response !== null && all.length >= limit, error, refetch }
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
    <span class="searchbar">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
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
    </span>
  )
}

function KindChips({ kind, onChoose }: { kind: string; onChoose: (kind: string) => void }) {
  return (
    <fieldset class="chips" aria-label="Kinds">
      {MEMORY_KINDS.map((name) => (
        <Chip on={kind === name} onClick={() => onChoose(kind === name ? '' : name)}>
          {name === 'summary' ? 'summaries' : `${name}s`}
        </Chip>
      ))}
    </fieldset>
  )
}

const MAX_NARROW_ROWS = 6

/** Types and projects of the hits, as links that narrow the search. */
function NarrowDown({ hits, query, onChoose }: { hits: SearchHit[]; query: string; onChoose: (part: Record<string, string>) => void }) {
  const count = (keys: string[]) =>
    [...Map.groupBy(keys, (key) => key)].map(([key, all]) => ({ key, count: all.length })).sort((a, b) => b.count - a.count)
  const types = count(hits.filter(({ kind }) => kind === 'observation').map(({ type }) => type)).slice(0, MAX_NARROW_ROWS)
  const inProjects = count(hits.map(({ project }) => project)).slice(0, MAX_NARROW_ROWS)
  if (hits.length === 0) return null
  return (
    <>
      {types.length > 0 && (
        <section>
          <h2>By type</h2>
          <ul class="bullets small">
            {types.map(({ key, count }) => (
              <li class={`t-${key}`}>
                <a href={hrefOf('search', '', { ...currentRoute.value.query, q: `${query} type:${key}` })}>
                  {key} <span class="dim">{count}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {inProjects.length > 1 && (
        <section>
          <h2>By project</h2>
          <ul class="bullets small">
            {inProjects.map(({ key, count }) => (
              <li>
                <a
                  href={hrefOf('search', '', { ...currentRoute.value.query, project: key })}
                  onClick={(event) => {
                    event.preventDefault()
                    onChoose({ project: key })
                  }}
                >
                  {nameOfProject(key)} <span class="dim">{count}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

/** Forgets everything that contains the words, not only the hits shown. The dialog lists it first. A kind of memory cannot be forgotten alone: a prompt takes its turn along. */
function ForgetMatches({ query, filters }: { query: string; filters: SearchFilters }) {
  if (query.trim() === '' || filters.kind || filters.agent || filters.code) return null
  const selection = { query, project: filterValue(filters.project), since: sinceTime(filters.since) }
  return (
    <button type="button" class="plain danger" onClick={() => askToForget(`everything with “${query.trim()}”`, selection)}>
      Forget matches…
    </button>
  )
}

/** Full hours, so that the request stays the same while a person types. */
const sinceTime = (days: string) => (days ? Math.floor(Date.now() / HOUR_MS) * HOUR_MS - Number(days) * 24 * HOUR_MS : undefined)

/** One line above the hits: how many there are, and how the worker understood the query. */
function SearchNotice({ response, hits, hasMore }: { response: SearchResponse | null; hits: SearchHit[]; hasMore: boolean }) {
  const { understood = [], time, message, problems = [] } = response ?? {}
  const parts = [
    ...(hits.length > 0 ? [`${formatCount(hits.length, 'hit')}${hasMore ? ' or more' : ''}`] : []),
    ...understood.map(({ word, meaning }) => `“${word}” is ${meaning}`),
    ...(time ? [time.said] : []),
    ...(message ? [message] : []),
    ...problems.map(({ word, message }) => `${word}: ${message}`),
  ]
  return (
    <p class="notice" role="status">
      {parts.join(' · ')}
    </p>
  )
}

const EXAMPLES = ['why did the test fail', 'decided about caching last week', 'type:bugfix path:src', 'since:7d branch:main']

function SearchHelp() {
  return (
    <EmptyState icon="search" title="Search in your own words.">
      <p>
        Filters narrow the search: <code>type:bugfix</code>, <code>path:src/auth</code>, <code>since:7d</code>, <code>session:…</code>,{' '}
        <code>branch:…</code>. You can also write times such as “last week”.
      </p>
      <p class="examples">
        {EXAMPLES.map((example) => (
          <a class="chip" href={hrefOf('search', '', { ...currentRoute.value.query, q: example })}>
            {example}
          </a>
        ))}
      </p>
    </EmptyState>
  )
}

function NoHits({ hasFilters }: { hasFilters: boolean }) {
  return (
    <EmptyState icon="search" title="No memories found.">
      <p>Try fewer or different words{hasFilters && ', or fewer filters'}.</p>
    </EmptyState>
  )
}

/** Hits by session, so that what belongs together is read together. */
function HitGroups({ hits, words, cursor }: { hits: SearchHit[]; words: string[]; cursor: Signal<number> }) {
  const labelOf = useSessionLabels(hits.map(({ sessionId }) => sessionId))
  const highestScore = hits[0]?.score ?? 1
  return (
    <ol class="hits" aria-label="Hits">
      {groupBySession(hits).map((group) => {
        const label = labelOf(group.sessionId)
        const [first] = group.hits
        return (
          <li class="card">
            <header>
              {group.sessionId !== null ? (
                <h2>
                  <a href={hrefOf('sessions', String(group.sessionId))}>{label?.title ?? `Session ${group.sessionId}`}</a>
                </h2>
              ) : (
                <h2>{first?.kind === 'commit' ? 'From the git history' : 'A note'}</h2>
              )}
              <Marks
                marks={[
                  { kind: 'project', words: nameOfProject(first?.project ?? '') },
                  label ? { kind: 'agent', words: agentTitle(label.agent) } : null,
                  label?.branch ? { kind: 'branch', words: label.branch } : null,
                ]}
              />
              <span class="when">
                <TimeAgo at={label?.lastEventAt ?? first?.at ?? 0} />
              </span>
            </header>
            <Conclusions hits={group.hits} />
            {group.hits.map((hit) => (
              <HitRow hit={hit} words={words} index={hits.indexOf(hit)} cursor={cursor} highestScore={highestScore} />
            ))}
          </li>
        )
      })}
    </ol>
  )
}

const CONCLUSION_LABELS = { 'this turn': 'Result', 'this work': 'Ended with', 'newer work': 'Now holds', 'newer value': 'Changed later' }

/** The results of the work that the hits belong to, each once, above the steps that led to it. */
function Conclusions({ hits }: { hits: SearchHit[] }) {
  const outcomes = hits.flatMap(({ outcome }) => (outcome && outcome.of !== 'this turn' ? [outcome] : []))
  return (
    <>
      {[...Map.groupBy(outcomes, ({ id, of }) => `${of} ${id}`).values()].flatMap(([outcome]) =>
        outcome ? (
          <p class="ended">
            <b>{CONCLUSION_LABELS[outcome.of]}: </b>
            <MarkdownLine text={outcome.text} /> <a href={hrefOf('memory', outcome.id)}>{outcome.id}</a>
          </p>
        ) : (
          []
        ),
      )}
    </>
  )
}

type HitRowProps = { hit: SearchHit; words: string[]; index: number; cursor: Signal<number>; highestScore: number }

function HitRow({ hit, words, index, cursor, highestScore }: HitRowProps) {
  const { outcome } = hit
  const { title, mark } = splitMark(hit.title)
  const isReplaced = outcome?.of === 'newer work' || (hit.signals.replaced ?? 0) < 0
  return (
    <div class={`hit ${isReplaced ? 'is-replaced' : ''}`}>
      <a
        href={hrefOfRow(hit)}
        data-hit={index}
        onFocus={() => {
          cursor.value = index
        }}
      >
        <span class="title">
          <b>
            <HighlightedText text={title} words={words} />
          </b>
          <Tag type={hit.kind === 'observation' || hit.kind === 'note' ? hit.type || hit.kind : hit.kind} />
          <Marks marks={[mark, codeMark(hit.code), ...marksOfHit(hit)]} />
        </span>
        {hit.snippet && (
          <span class="snippet clamp">
            <HighlightedText text={hit.snippet} words={words} />
          </span>
        )}
      </a>
      <div class="why">
        <span>{explainHit(hit, words)}</span>
        <ScoreDetails signals={hit.signals} score={hit.score} highestScore={highestScore} />
      </div>
    </div>
  )
}

/** What each signal contributed, for those who want the numbers. */
function ScoreDetails({ signals, score, highestScore }: { signals: Record<string, number>; score: number; highestScore: number }) {
  const sorted = Object.entries(signals).sort((a, b) => b[1] - a[1])
  const scale = Math.max(highestScore, 0.01)
  return (
    <details>
      <summary>Score {score.toFixed(2)}</summary>
      <div class="score">
        {sorted.map(([name, value]) => (
          <div>
            <span>{name}</span>
            <span class={`bar ${value < 0 ? 'minus' : ''}`} aria-hidden="true">
              <i style={{ width: `${Math.min(100, (100 * Math.abs(value)) / scale)}%` }} />
            </span>
            <span class="num">{value.toFixed(2)}</span>
          </div>
        ))}
      </div>
    </details>
  )
}
