import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ToolUse } from '../core/memory.ts'
import type { SessionContents } from '../wire/view.ts'
import { EmptyState, ErrorMessage, formatClockTime, formatCount, formatDay, Loading, nameOfProject, PageHead, Tag } from './components.tsx'
import { List, type PagedRows } from './list.tsx'
import { onLiveEvent } from './live.ts'
import { Markdown, MarkdownLine } from './markdown-view.tsx'
import { listReplayEvents, type ReplayEvent } from './replay-events.ts'
import { hrefOf, memoryHref } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { get } from './worker-requests.ts'

const PLAY_STEP_MS = 700

/** One session as it went: what was asked, done, made of it and answered, with a scrubber through its time. */
export function ReplayPage({ id }: { id: string }) {
  const asked = useFetch<SessionContents>(`/api/sessions/${encodeURIComponent(id)}`)
  const isPlaying = useSignal(false)
  // What comes in while one looks is added at the end; where one looks stays.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onLiveEvent((event) => {
      const data = event.data as { sessionId?: number; prompt?: { sessionId: number }; observation?: { sessionId: number } } | null
      if (String(data?.sessionId ?? data?.prompt?.sessionId ?? data?.observation?.sessionId) !== id) return
      clearTimeout(timer)
      timer = setTimeout(asked.refetch, 300)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [id])
  const moments = asked.value ? listReplayEvents(asked.value) : []
  const wanted = currentRoute.value.query.at ?? ''
  const current = Math.max(
    0,
    moments.findIndex((moment) => moment.key === wanted),
  )
  const show = (index: number) => {
    const moment = moments[Math.max(0, Math.min(moments.length - 1, index))]
    if (moment) navigate(hrefOf('sessions', id, { at: moment.key }), 'replace')
  }
  useEffect(() => {
    if (!isPlaying.value) return
    const timer = setTimeout(() => {
      if (current >= moments.length - 1) isPlaying.value = false
      else show(current + 1)
    }, PLAY_STEP_MS)
    return () => clearTimeout(timer)
  }, [isPlaying.value, current])
  const play = () => {
    isPlaying.value = !isPlaying.value
  }
  useKeyBindings({ ArrowLeft: () => show(current - 1), ArrowRight: () => show(current + 1), ' ': play })
  if (!asked.value) {
    if (asked.error.includes('there is no'))
      return <EmptyState title={`There is no session ${id}.`}>{<a href="/sessions">All sessions</a>}</EmptyState>
    return asked.error ? <ErrorMessage text={asked.error} again={asked.refetch} /> : <Loading />
  }
  const { session } = asked.value
  const moment = moments[current]
  const rows: PagedRows<ReplayEvent> = {
    total: moments.length,
    at: (index) => moments[index] ?? null,
    fetchRange: () => {},
    error: '',
    isLoaded: true,
    refetch: asked.refetch,
    first: null,
  }
  return (
    <>
      <PageHead title={session.title ?? `Session ${session.id}`}>
        <span class="dim">
          {nameOfProject(session.project)} · {formatDay(session.startedAt)} · {formatCount(moments.length, 'moment')}
        </span>
        <span class="grow" />
        <a class="button" href={hrefOf('injections', '', { session: id })}>
          What it was told
        </a>
      </PageHead>
      {moments.length === 0 ? (
        <EmptyState title="Nothing happened in it yet.">
          <p>Its first prompt will appear here.</p>
        </EmptyState>
      ) : (
        <>
          <div class="scrubber">
            <button type="button" onClick={play} aria-pressed={isPlaying.value}>
              {isPlaying.value ? 'Pause' : 'Play'}
            </button>
            <input
              type="range"
              aria-label="Moment of the session"
              aria-valuetext={moment ? `${formatClockTime(moment.at)}, ${moment.label}: ${moment.title}` : ''}
              min={0}
              max={moments.length - 1}
              value={current}
              onInput={(event) => show(Number(event.currentTarget.value))}
            />
            <span class="dim mono">
              {moment && formatClockTime(moment.at)} · {current + 1}/{moments.length}
            </span>
          </div>
          <div class="split">
            <List
              name={`replay ${id}`}
              label="Moments"
              rows={rows}
              current={current}
              onMove={show}
              href={(one) => hrefOf('sessions', id, { at: one.key })}
            >
              {(one, index) => (
                <span class={`moment ${index > current ? 'later' : ''}`}>
                  <span class="mono dim">{formatClockTime(one.at)}</span>
                  <Tag type={one.label} />
                  <span class="what">{one.title}</span>
                </span>
              )}
            </List>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must be able to do that */}
            <section class="scroll detail" aria-label="The moment in full" aria-live="off" tabIndex={0}>
              {moment && <ReplayEventView key={moment.key} moment={moment} />}
            </section>
          </div>
        </>
      )}
    </>
  )
}

function ReplayEventView({ moment }: { moment: ReplayEvent }) {
  switch (moment.kind) {
    case 'prompt':
      return (
        <>
          <h2>{moment.prompt.origin === 'person' ? 'Asked' : 'The client said'}</h2>
          <pre class="said">{moment.prompt.text}</pre>
        </>
      )
    case 'answer':
      return (
        <>
          <h2>Answered</h2>
          <Markdown text={moment.prompt.answer ?? ''} />
        </>
      )
    case 'tool use':
      return <ToolUseView use={moment.use} clipped={moment.use.clipped} />
    case 'observation':
      return (
        <>
          <h2>
            <a href={memoryHref('observation', moment.observation.id)}>{moment.observation.title}</a>
          </h2>
          <Tag type={moment.observation.type} />
          <Markdown text={moment.observation.narrative} />
          <ul>
            {moment.observation.facts.map((fact) => (
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
            <a href={memoryHref('summary', moment.summary.id)}>Summary</a>
          </h2>
          {(['request', 'investigated', 'learned', 'completed', 'nextSteps', 'notes'] as const).map((field) =>
            moment.summary[field] ? <Markdown text={moment.summary[field]} /> : null,
          )}
        </>
      )
    case 'told':
      return (
        <>
          <h2>
            <a href={hrefOf('injections', String(moment.injection.id))}>Told to the model at {moment.injection.event}</a>
          </h2>
          <pre class="said">{moment.injection.text}</pre>
        </>
      )
  }
}

function ToolUseView({ use, clipped }: { use: ToolUse; clipped: boolean }) {
  const whole = useSignal<ToolUse>(use)
  const isWhole = useSignal(!clipped)
  const showAll = async () => {
    const asked = await get<ToolUse>(`/api/tool-uses/${use.id}`)
    if (asked.kind !== 'answered') return
    whole.value = asked.value
    isWhole.value = true
  }
  return (
    <>
      <h2>{use.tool}</h2>
      <h3>In</h3>
      <pre class="said">{prettyJson(whole.value.input)}</pre>
      <h3>{whole.value.error ? 'Failed' : 'Out'}</h3>
      <pre class="said">{prettyJson(whole.value.error ?? whole.value.output ?? '')}</pre>
      {!isWhole.value && (
        <button type="button" onClick={() => void showAll()}>
          Show all of it
        </button>
      )}
    </>
  )
}

function prettyJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2).replaceAll('\\n', '\n')
  } catch {
    return text
  }
}
