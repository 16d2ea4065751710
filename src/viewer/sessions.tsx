import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ListedSession, Sessions } from '../wire/view.ts'
import { List, useRows } from './list.tsx'
import { epoch, hear } from './live.ts'
import { Choice, count, Empty, Head, nameOf, Tag, Trouble, When } from './parts.tsx'
import { hrefOf } from './place.ts'
import { projectOptions } from './projects-known.ts'
import { ReplayPage } from './replay.tsx'
import { go, place } from './router.ts'

/** All sessions, the latest first; one of them as a replay. */
export function SessionsPage() {
  const { id, query } = place.value
  return id ? <ReplayPage key={id} id={id} /> : <SessionList project={query.project ?? ''} />
}

function SessionList({ project }: { project: string }) {
  const key = `sessions ${project}`
  const news = useSignal(0)
  const rows = useRows<ListedSession, Sessions>(
    key,
    '/api/sessions',
    { project },
    (answer) => ({ rows: answer.sessions, total: answer.total }),
    '',
    `${epoch.value} ${news.value}`,
  )
  // A session that begins goes to the top: shown at once to whoever looks there, and to others when they come back.
  useEffect(
    () =>
      hear((event) => {
        const isAtTop = (document.querySelector('.list')?.scrollTop ?? 0) === 0
        if (/^session-/.test(event.type) && isAtTop) news.value++
      }),
    [],
  )
  return (
    <>
      <Head title="Sessions">
        <Choice
          label="Project"
          value={project}
          options={projectOptions()}
          onChoose={(value) => go(hrefOf('sessions', '', { project: value }), 'replace')}
        />
        <span class="grow" />
        <span class="dim">{rows.isLoaded && count(rows.total, 'session')}</span>
      </Head>
      <Trouble text={rows.trouble} again={rows.again} />
      {rows.isLoaded && rows.total === 0 ? (
        <Empty title="No session yet.">
          <p>
            A session appears as soon as a connected agent starts one. <code>recollect init</code> connects Claude Code,{' '}
            <code>recollect import</code> brings in what it did before.
          </p>
        </Empty>
      ) : (
        <List name={key} label="Sessions" rows={rows} href={(session) => hrefOf('sessions', String(session.id))}>
          {(session) => (
            <>
              <Tag type={session.live ? 'live' : session.status === 'completed' ? 'ended' : 'open'} />
              <span class="what">
                <b>{session.title ?? `Session ${session.id}`}</b>
                <span class="snip">
                  {count(session.promptCount, 'prompt')}, {count(session.toolUses, 'tool use')},{' '}
                  {count(session.observations, 'observation')}
                  {session.branch && `, on ${session.branch}`}
                </span>
              </span>
              <span class="proj">{nameOf(session.project)}</span>
              <When at={session.lastEventAt} />
            </>
          )}
        </List>
      )}
    </>
  )
}
