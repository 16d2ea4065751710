import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { sessionAgentTitle } from '../core/agent.ts'
import { agentOptions, Dropdown, EmptyState, ErrorMessage, PageHead, TimeAgo } from './components.tsx'
import { askToForgetSession } from './forget.tsx'
import { formatCount } from './formats.ts'
import { List, usePagedRows } from './list.tsx'
import { dataVersion, onLiveEvent } from './live.ts'
import { Marks } from './marks.tsx'
import { nameOfProject, projectOptions } from './project-list.ts'
import { ReplayPage } from './replay.tsx'
import { hrefOf } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { call, filterValue } from './worker-requests.ts'

/** All sessions, the latest first; or the replay of one. */
export function SessionsPage() {
  const { id, query } = currentRoute.value
  return id ? <ReplayPage key={id} id={id} /> : <SessionList project={query.project ?? ''} agent={query.agent ?? ''} />
}

function SessionList({ project, agent }: { project: string; agent: string }) {
  const key = `sessions ${project} ${agent}`
  const liveVersion = useSignal(0)
  const rows = usePagedRows(
    key,
    ({ limit, offset }) => call('GET /api/sessions', { project: filterValue(project), agent: filterValue(agent), limit, offset }),
    ({ sessions, total }) => ({ rows: sessions, total }),
    '',
    `${dataVersion.value} ${liveVersion.value}`,
  )
  // New sessions appear at the top. Fetch them only if the list is scrolled to the top, so that no row moves under the reader.
  useEffect(
    () =>
      onLiveEvent((event) => {
        const isAtTop = (document.querySelector('.list')?.scrollTop ?? 0) === 0
        if (/^session-/.test(event.type) && isAtTop) liveVersion.value++
      }),
    [],
  )
  return (
    <>
      <PageHead title="Sessions">
        <Dropdown
          label="Project"
          value={project}
          options={projectOptions()}
          onChoose={(value) => navigate(hrefOf('sessions', '', { project: value, agent }), 'replace')}
        />
        <Dropdown
          label="Agent"
          value={agent}
          options={agentOptions()}
          onChoose={(value) => navigate(hrefOf('sessions', '', { project, agent: value }), 'replace')}
        />
        <span class="dim small">{rows.isLoaded && formatCount(rows.total, 'session')}</span>
      </PageHead>
      <ErrorMessage text={rows.error} retry={rows.refetch} />
      {rows.isLoaded && rows.total === 0 ? (
        <EmptyState icon="sessions" title="No sessions yet.">
          <p>
            A session appears as soon as a connected agent starts one. Connect your agent with <code>recollect init</code>; import its
            earlier sessions with <code>recollect import</code>.
          </p>
        </EmptyState>
      ) : (
        <List
          name={key}
          label="Sessions"
          rows={rows}
          onDelete={askToForgetSession}
          href={(session) => hrefOf('sessions', String(session.id))}
        >
          {(session) => (
            <>
              <span class="place">{nameOfProject(session.project)}</span>
              <span class="what">
                <b>{session.title ?? `Session ${session.id}`}</b>{' '}
                <Marks
                  marks={[{ kind: 'agent', words: sessionAgentTitle(session) }, session.live ? { kind: 'live', words: 'live' } : null]}
                />
                <span class="snippet">
                  {formatCount(session.promptCount, 'turn')}, {formatCount(session.observations, 'observation')}
                </span>
              </span>
              <span class="place branch">{session.branch}</span>
              <TimeAgo at={session.lastEventAt} />
            </>
          )}
        </List>
      )}
    </>
  )
}
