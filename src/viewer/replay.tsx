import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { describeInjectionEvent } from '../core/injection-event.ts'
import type { ToolUse } from '../core/memory.ts'
import { EmptyState, LoadingOrError, PageHead, Tag } from './components.tsx'
import { askToForgetMemory } from './forget.tsx'
import { formatClockTime, prettyJson } from './formats.ts'
import { Icon } from './icons.tsx'
import { List, type PagedRows } from './list.tsx'
import { onLiveEvent } from './live.ts'
import { Markdown, MarkdownLine } from './markdown-view.tsx'
import { isSelected, listReplayEvents, memoryOf, type ReplayEvent, sessionIdIn } from './replay-events.ts'
import { hrefOf, memoryHref } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { SessionHead } from './session-head.tsx'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { call } from './worker-requests.ts'

const PLAY_STEP_MS = 700
/** Waits for more live events before fetching the session again. */
const LIVE_REFETCH_MS = 300

/** One session from start to end: prompts, tool uses, observations, answers and injections, with a slider to move through it. */
export function ReplayPage({ id }: { id: string }) {
  const contents = useFetch('GET /api/sessions/:id', { id })
  const isPlaying = useSignal(false)
  // New events are added at the end; the selected event stays selected.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onLiveEvent((event) => {
      if (String(sessionIdIn(event)) !== id) return
      clearTimeout(timer)
      timer = setTimeout(contents.refetch, LIVE_REFETCH_MS)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [id])
  const events = contents.value ? listReplayEvents(contents.value) : []
  const selectedKey = currentRoute.value.query.at ?? ''
  const current = Math.max(0, events.findIndex(isSelected(selectedKey)))
  const show = (index: number) => {
    const event = events[Math.max(0, Math.min(events.length - 1, index))]
    if (event) navigate(hrefOf('sessions', id, { at: event.key }), 'replace')
  }
  useEffect(() => {
    if (!isPlaying.value) return
    const timer = setTimeout(() => {
      if (current >= events.length - 1) isPlaying.value = false
      else show(current + 1)
    }, PLAY_STEP_MS)
    return () => clearTimeout(timer)
  }, [isPlaying.value, current])
  const togglePlay = () => {
    isPlaying.value = !isPlaying.value
  }
  const forgetSelected = () => {
    const event = events[current]
    const memory = event && memoryOf(event)
    if (memory) askToForgetMemory(memory.kind, memory.id)
  }
  useKeyBindings({ x: forgetSelected, ArrowLeft: () => show(current - 1), ArrowRight: () => show(current + 1), ' ': togglePlay })
  if (!contents.value) {
    if (contents.isMissing)
      return (
        <>
          <PageHead title="Session" />
          <EmptyState icon="missing" title={`Session ${id} was not found.`}>
            <p>
              It may have been <a href="/forgotten">forgotten</a>. <a href="/sessions">All sessions</a>
            </p>
          </EmptyState>
        </>
      )
    return <LoadingOrError fetched={contents} />
  }
  const selected = events[current]
  const rows: PagedRows<ReplayEvent> = {
    total: events.length,
    at: (index) => events[index] ?? null,
    fetchRange: () => {},
    error: '',
    isLoaded: true,
    refetch: contents.refetch,
  }
  return (
    <>
      <PageHead
        crumb={
          <>
            <Icon name="sessions" /> <a href="/sessions">Sessions</a>
          </>
        }
      />
      <div class="session-page">
        <SessionHead contents={contents.value} />
        {events.length === 0 ? (
          <EmptyState icon="sessions" title="No events yet.">
            <p>The first prompt of this session will appear here.</p>
          </EmptyState>
        ) : (
          <>
            <div class="bar-row">
              <button type="button" onClick={togglePlay} aria-pressed={isPlaying.value}>
                {isPlaying.value ? 'Pause' : 'Play'}
              </button>
              <input
                type="range"
                aria-label="Position in the session"
                aria-valuetext={selected ? `${formatClockTime(selected.at)}, ${selected.label}: ${selected.title}` : ''}
                min={0}
                max={events.length - 1}
                value={current}
                onInput={(event) => show(Number(event.currentTarget.value))}
              />
              <span class="dim mono small">
                {selected && formatClockTime(selected.at)} · {current + 1}/{events.length}
              </span>
            </div>
            <div class="split">
              <List
                name={`replay ${id}`}
                label="Events"
                rows={rows}
                current={current}
                onMove={show}
                href={(event) => hrefOf('sessions', id, { at: event.key })}
              >
                {(event, index) => (
                  <span class={`event ${index > current ? 'later' : ''}`}>
                    <span class="mono dim small">{formatClockTime(event.at)}</span>
                    <Tag type={event.label} />
                    <span class="what">{event.title}</span>
                  </span>
                )}
              </List>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must be able to scroll it */}
              <section class="scroll detail" aria-label="Selected event" aria-live="off" tabIndex={0}>
                {selected && <ReplayEventView key={selected.key} event={selected} />}
                {selected && memoryOf(selected) && (
                  <p>
                    <button type="button" class="danger" onClick={forgetSelected}>
                      Forget this {memoryOf(selected)?.kind === 'prompt' ? 'turn' : selected.kind} <kbd>x</kbd>
                    </button>
                  </p>
                )}
              </section>
            </div>
          </>
        )}
      </div>
    </>
  )
}

function ReplayEventView({ event }: { event: ReplayEvent }) {
  switch (event.kind) {
    case 'prompt':
      return (
        <>
          <h2>{event.prompt.origin === 'person' ? 'Prompt' : 'Message from the client'}</h2>
          <pre class="verbatim">{event.prompt.text}</pre>
        </>
      )
    case 'answer':
      return (
        <>
          <h2>Answer</h2>
          <Markdown text={event.prompt.answer ?? ''} />
        </>
      )
    case 'tool use':
      return <ToolUseView use={event.use} clipped={event.use.clipped} />
    case 'observation':
      return (
        <>
          <h2>
            <a href={memoryHref('observation', event.observation.id)}>{event.observation.title}</a>
          </h2>
          <Tag type={event.observation.type} />
          <Markdown text={event.observation.narrative} />
          <ul>
            {event.observation.facts.map((fact) => (
              <li>
                <MarkdownLine text={fact} />
              </li>
            ))}
          </ul>
        </>
      )
    case 'summary':
      return (
        <>
          <h2>
            <a href={memoryHref('summary', event.summary.id)}>Summary</a>
          </h2>
          {(['request', 'investigated', 'learned', 'completed', 'nextSteps', 'notes'] as const).map((field) =>
            event.summary[field] ? <Markdown text={event.summary[field]} /> : null,
          )}
        </>
      )
    case 'injection':
      return (
        <>
          <h2>
            <a href={hrefOf('injections', String(event.injection.id))}>{describeInjectionEvent(event.injection.event)}</a>
          </h2>
          <pre class="verbatim">{event.injection.text}</pre>
        </>
      )
  }
}

function ToolUseView({ use, clipped }: { use: ToolUse; clipped: boolean }) {
  const shown = useSignal<ToolUse>(use)
  const isComplete = useSignal(!clipped)
  const showAll = async () => {
    const reply = await call('GET /api/tool-uses/:id', { id: use.id })
    if (reply.kind !== 'answered') return
    shown.value = reply.value
    isComplete.value = true
  }
  return (
    <>
      <h2>{use.tool}</h2>
      <h3>Input</h3>
      <pre class="verbatim">{prettyJson(shown.value.input)}</pre>
      <h3>{shown.value.error ? 'Error' : 'Output'}</h3>
      <pre class="verbatim">{prettyJson(shown.value.error ?? shown.value.output ?? '')}</pre>
      {!isComplete.value && (
        <button type="button" onClick={() => void showAll()}>
          Show all
        </button>
      )}
    </>
  )
}
