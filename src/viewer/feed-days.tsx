import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { sessionAgentTitle } from '../core/agent.ts'
import type { FeedDay, FeedMemory, FeedNote, FeedSession, FeedTurn } from '../wire/contract/feed.ts'
import { ErrorMessage, LoadingOrError, TextWithCode } from './components.tsx'
import { dayLabel, joinDays } from './days.ts'
import { askToForgetMemory } from './forget.tsx'
import { formatCount, formatTimeSpan } from './formats.ts'
import { dataVersion } from './live.ts'
import { MarkdownLine } from './markdown-view.tsx'
import { splitMark } from './marked-title.ts'
import { Marks } from './marks.tsx'
import { nameOfProject } from './project-list.ts'
import { hrefOf, memoryHref } from './route.ts'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { call, describeFailure, filterValue } from './worker-requests.ts'

type DayFilter = { project: string; agent: string }
type LoadedDays = { days: FeedDay[]; next: number | null; pages: number }

/** Minutes that local time is ahead of UTC. */
const shift = -new Date().getTimezoneOffset()

/** Going back to the feed shows it where it was left. */
let lastSeen: { key: string; loaded: LoadedDays; scrollTop: number } | null = null

/** Days, sessions and turns, newest day first. Older days are fetched when the end comes into view. */
export function FeedDays({
  filter,
  generation,
  onFetched,
  empty,
}: {
  filter: DayFilter
  /** A new number fetches the list again from its top. */
  generation: number
  onFetched: (upTo: number) => void
  empty: ComponentChildren
}) {
  const key = JSON.stringify(filter)
  const seen = lastSeen?.key === key ? lastSeen : null
  const loaded = useSignal<LoadedDays | null>(seen?.loaded ?? null)
  const error = useSignal('')
  const isFetching = useRef(false)
  const fetches = useRef(0)
  const box = useRef<HTMLDivElement>(null)
  const fetchPages = async (pages: number, from: LoadedDays | null): Promise<void> => {
    // A fetch from the top replaces one that is under way; older days wait.
    if (from !== null && isFetching.current) return
    const own = ++fetches.current
    isFetching.current = true
    let all = from
    let upTo: number | null = null
    for (let page = 0; page < pages && all?.next !== null; page++) {
      const before = all?.next ?? undefined
      const request = { project: filterValue(filter.project), agent: filterValue(filter.agent), shift }
      const reply = await call('GET /api/feed/days', before === undefined ? request : { ...request, before })
      if (own !== fetches.current) return
      if (reply.kind !== 'answered') {
        error.value = describeFailure(reply)
        isFetching.current = false
        return
      }
      upTo ??= reply.value.upTo
      all = { days: joinDays(all?.days ?? [], reply.value.days), next: reply.value.next, pages: (all?.pages ?? 0) + 1 }
    }
    isFetching.current = false
    error.value = ''
    loaded.value = all
    if (from === null && upTo !== null) onFetched(upTo)
  }
  useEffect(() => void fetchPages(loaded.value?.pages ?? 1, null), [dataVersion.value])
  const firstGeneration = useRef(generation)
  useEffect(() => {
    if (firstGeneration.current !== generation) void fetchPages(1, null)
  }, [generation])
  const isLoaded = loaded.value !== null
  useLayoutEffect(() => {
    if (seen && box.current) box.current.scrollTop = seen.scrollTop
  }, [])
  useEffect(() => {
    if (loaded.value) lastSeen = { key, loaded: loaded.value, scrollTop: box.current?.scrollTop ?? 0 }
  }, [loaded.value])
  useTurnKeys()
  if (!isLoaded) return <LoadingOrError fetched={{ error: error.value, refetch: () => void fetchPages(1, null) }} />
  const { days, next } = loaded.value ?? { days: [], next: null }
  if (days.length === 0) return <>{empty}</>
  const showOlder = () => void fetchPages(1, loaded.value)
  return (
    <div
      class="scroll"
      ref={box}
      onScroll={(event) => {
        if (lastSeen) lastSeen.scrollTop = event.currentTarget.scrollTop
      }}
    >
      <ErrorMessage text={error.value} retry={showOlder} />
      <div class="columns">
        <div>
          {days.map((day) => (
            <DayOfWork day={day} key={day.day} />
          ))}
          {next !== null && <OlderDays key={next} onReached={showOlder} />}
        </div>
        <aside class="quiet" aria-label="What matters now">
          <Standing title="Standing rules" namespace="rules" project={filter.project} />
          <Standing title="Open ends" namespace="open-ends" project={filter.project} />
          <Standing title="Decisions" namespace="decisions" project={filter.project} />
        </aside>
      </div>
    </div>
  )
}

function OlderDays({ onReached }: { onReached: () => void }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const watcher = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && onReached(), {
      rootMargin: '400px',
    })
    if (button.current) watcher.observe(button.current)
    return () => watcher.disconnect()
  }, [])
  return (
    <p class="more">
      <button type="button" ref={button} onClick={onReached}>
        Show older days
      </button>
    </p>
  )
}

function useTurnKeys(): void {
  const turns = () => [...document.querySelectorAll<HTMLElement>('[data-turn]')]
  const move = (by: number) => {
    const all = turns()
    const at = all.indexOf(document.activeElement as HTMLElement)
    const next = all[Math.max(0, Math.min(all.length - 1, at + by))]
    next?.focus()
    next?.scrollIntoView({ block: 'nearest' })
  }
  useKeyBindings({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => (document.activeElement as HTMLElement | null)?.click(),
    x: () => {
      const id = (document.activeElement as HTMLElement | null)?.dataset.turn
      if (id) askToForgetMemory('prompt', id)
    },
  })
}

function DayOfWork({ day }: { day: FeedDay }) {
  const turns = day.sessions.reduce((sum, session) => sum + session.turns.length + session.earlierTurns, 0)
  const counts = [
    ...(day.sessions.length > 0 ? [formatCount(day.sessions.length, 'session'), formatCount(turns, 'turn')] : []),
    ...(day.notes.length > 0 ? [formatCount(day.notes.length, 'note')] : []),
  ]
  return (
    <>
      <h2 class="day">
        {dayLabel(day.day, new Date())} <span class="dim">{counts.join(' · ')}</span>
      </h2>
      {day.notes.length > 0 && <NotesOfDay notes={day.notes} />}
      {day.sessions.map((session) => (
        <SessionCard key={session.sessionId} session={session} />
      ))}
    </>
  )
}

function NotesOfDay({ notes }: { notes: FeedNote[] }) {
  return (
    <section class="card">
      {notes.map((note) => (
        <div class="turn" key={note.id}>
          <a class="ask" href={memoryHref('note', note.id)}>
            {note.title}
          </a>
          <div class="out">
            <MarkdownLine text={note.text} />
          </div>
          <p class="memories">
            <Marks
              marks={[
                { kind: 'kind', words: note.type },
                { kind: 'project', words: nameOfProject(note.project) },
              ]}
            />
          </p>
        </div>
      ))}
    </section>
  )
}

function SessionCard({ session }: { session: FeedSession }) {
  const { sessionId, title, project, branch, live, from, to, turns, earlierTurns } = session
  const machine = turns.filter(({ origin }) => origin === 'machine')
  const count = turns.length + earlierTurns
  return (
    <section class="card">
      <header>
        <h3>
          <a href={hrefOf('sessions', String(sessionId))}>{title}</a>
        </h3>
        <Marks
          marks={[
            live ? { kind: 'live', words: 'live' } : null,
            { kind: 'project', words: nameOfProject(project), href: hrefOf('feed', '', { project }) },
            { kind: 'agent', words: sessionAgentTitle(session) },
            branch ? { kind: 'branch', words: branch, about: 'the branch of the session' } : null,
          ]}
        />
        <span class="when">
          {formatTimeSpan(from, to)} · {formatCount(count, 'turn')}
        </span>
      </header>
      {earlierTurns > 0 && (
        <p class="fold">
          <a href={hrefOf('sessions', String(sessionId))}>{formatCount(earlierTurns, 'earlier turn')} of this session</a>
        </p>
      )}
      {turns
        .filter(({ origin }) => origin === 'person')
        .map((turn) => (
          <TurnOfFeed key={turn.turn} turn={turn} sessionId={sessionId} />
        ))}
      {machine.length > 0 && (
        <details class="fold">
          <summary>
            {formatCount(machine.length, 'machine turn')} folded: {machine[0]?.request}
          </summary>
          {machine.map((turn) => (
            <TurnOfFeed key={turn.turn} turn={turn} sessionId={sessionId} />
          ))}
        </details>
      )}
    </section>
  )
}

function TurnOfFeed({ turn, sessionId }: { turn: FeedTurn; sessionId: number }) {
  const { promptId, request, outcome, isSettled, replacedBy, undoneBy, memories, moreMemories } = turn
  const href =
    promptId === null ? hrefOf('sessions', String(sessionId)) : hrefOf('sessions', String(sessionId), { at: `prompt:${promptId}` })
  return (
    <div class="turn">
      <a class="ask" href={href} data-turn={promptId ?? ''}>
        <span class="clamp">
          <TextWithCode text={request || 'A turn without a prompt'} />
        </span>
      </a>
      {outcome && (
        <div class="out">
          <Marks
            marks={[
              undoneBy ? { kind: 'undone', words: `undone by ${undoneBy}`, href: hrefOf('memory', undoneBy) } : null,
              replacedBy ? { kind: 'replaced', words: `replaced by ${replacedBy}`, href: hrefOf('memory', replacedBy) } : null,
            ]}
          />{' '}
          {isSettled && !replacedBy && !undoneBy && <b>Settled: </b>}
          <MarkdownLine text={outcome} />
        </div>
      )}
      {memories.length > 0 && (
        <ul class="memories">
          {memories.map((memory) => {
            const { title, mark } = splitMark(memoryLabel(memory))
            return (
              <li>
                <a class={`t-${memory.type}`} href={memoryHref(memory.kind, memory.id)}>
                  <span>
                    <TextWithCode text={title} /> <Marks marks={[mark]} />
                  </span>
                </a>
              </li>
            )
          })}
          {moreMemories > 0 && <li class="dim">and {moreMemories.toLocaleString()} more</li>}
        </ul>
      )}
    </div>
  )
}

/** The colour says the type of an observation; for a note its namespace is said in words too. */
function memoryLabel({ kind, type, title }: FeedMemory): string {
  if (kind !== 'note') return title
  return `${type === 'rules' ? 'Rule' : type === 'decisions' ? 'Decision' : type === 'open-ends' ? 'Open' : type}: ${title}`
}

const MAX_STANDING = 5

/** The newest statements of one kind that still hold. */
function Standing({ title, namespace, project }: { title: string; namespace: string; project: string }) {
  const fetched = useFetch('GET /api/notes', { namespace, project: filterValue(project), limit: MAX_STANDING })
  const notes = fetched.value?.notes ?? []
  if (notes.length === 0) return null
  return (
    <section>
      <h3>
        {title}
        <a href={hrefOf('rules', '', { kind: namespace, project })}>
          all<span class="sr"> {title}</span>
        </a>
      </h3>
      <ul class="bullets small">
        {notes.map((note) => (
          <li class={`t-${namespace}`}>
            <span>
              <a class="clamp" href={memoryHref('note', note.id)}>
                <TextWithCode text={note.title} />
              </a>
              {note.said.length > 1 && <span class="dim">said {note.said.length} times</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
