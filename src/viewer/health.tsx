import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { inDollars } from '../core/cost.ts'
import type { Note } from '../core/note.ts'
import { CONFLICT_CHOICES, type ConflictChoice, type SyncState } from '../core/sync.ts'
import type { CostReport, WorkerStatus } from '../wire/api.ts'
import type { Economy } from '../wire/view.ts'
import { ErrorMessage, FactList, formatBytes, formatCount, Loading, PageHead, TimeAgo } from './components.tsx'
import { connectionState } from './live.ts'
import { useFetch } from './use-fetch.ts'
import { runAction } from './user-actions.ts'
import { send } from './worker-requests.ts'

const REFRESH_INTERVAL_MS = 5000

/** How the worker is: what waits, what could not be done, how much there is, and what it cost. */
export function HealthPage() {
  const status = useFetch<WorkerStatus>('/api/status')
  const economy = useFetch<Economy>('/api/economy')
  useEffect(() => {
    const timer = setInterval(status.refetch, REFRESH_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [])
  if (!status.value) return status.error ? <ErrorMessage text={status.error} again={status.refetch} /> : <Loading />
  const s = status.value
  return (
    <>
      <PageHead title="Health">
        <span class={`dot ${connectionState.value}`} aria-hidden="true" />
        <span class="dim">{isHealthy(s) ? 'all is well' : 'something needs a look'}</span>
      </PageHead>
      <ErrorMessage text={status.error} again={status.refetch} />
      <div class="scroll cards">
        <Card title="Worker">
          <FactList
            of={[
              ['Version', s.version],
              ['Process', s.pid],
              ['Port', s.port === s.wantedPort ? s.port : `${s.port} (wanted ${s.wantedPort}, which another program holds)`],
              ['Up since', new Date(s.startedAt).toLocaleString()],
              ['Memory', formatBytes(s.memoryBytes)],
              ['Live sessions', s.sessions.live],
              ['Last event', s.lastEventAt ? <TimeAgo at={s.lastEventAt} /> : 'none yet'],
            ]}
          />
          {s.unstoredEvents > 0 && (
            <p class="trouble">{formatCount(s.unstoredEvents, 'event')} could not be stored. They are read from the transcript later.</p>
          )}
        </Card>
        <Card title="Queue">
          <FactList
            of={[
              ['Waiting', s.jobs.waiting],
              ['Running', s.jobs.running],
              ['Given up', s.jobs.dead],
              ['Spooled', s.spooled],
            ]}
          />
          {s.deadJobs.length === 0 ? (
            <p class="dim">Nothing was given up.</p>
          ) : (
            <>
              <ul class="dead">
                {s.deadJobs.map((job) => (
                  <li>
                    <div>
                      <b>{job.kind}</b> <span class="mono dim">{job.key}</span>
                      <div>{job.error || 'no reason was given'}</div>
                      <span class="dim">tried {formatCount(job.attempts, 'time')}</span>
                    </div>
                    <button
                      type="button"
                      onClick={() => void runAction(send('POST', '/api/jobs/retry', { id: job.id }), 'It is tried again.')}
                    >
                      Retry<span class="sr"> {job.kind}</span>
                    </button>
                  </li>
                ))}
              </ul>
              <button type="button" onClick={() => void runAction(send('POST', '/api/jobs/retry', {}), 'All are tried again.')}>
                Retry all
              </button>
            </>
          )}
        </Card>
        <Card title="Disk">
          <FactList
            of={[
              ['Database', formatBytes(s.databaseBytes)],
              ...(s.databaseParts ?? []).slice(0, 4).map((part): [string, string] => [`· ${part.name}`, formatBytes(part.bytes)]),
              ['Free', economy.value ? formatBytes(economy.value.freeBytes) : ''],
              ['Notes', `${s.notes.all} (${s.notes.hidden} hidden)`],
              ['Home', <code>{s.home}</code>],
            ]}
          />
          {s.notes.problems.map((one) => (
            <p class="trouble">
              <code>{one.path}</code>: {one.problem}
            </p>
          ))}
        </Card>
        {economy.value && <Tokens economy={economy.value} />}
        <Sync />
        <Models status={s} />
        {s.problems.length > 0 && (
          <Card title="Settings that cannot be used">
            {s.problems.map((problem) => (
              <p class="trouble">{problem}</p>
            ))}
          </Card>
        )}
      </div>
    </>
  )
}

const isHealthy = (s: WorkerStatus) => s.jobs.dead + s.problems.length + s.notes.problems.length + s.unstoredEvents === 0

function Card({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="card">
      <h2>{title}</h2>
      {children}
    </section>
  )
}

/** How many bytes of text make a token, about: good enough to compare, not to bill. */
const BYTES_PER_TOKEN = 4

/** What was told to models, and what it stands for. What it saved nobody can measure from here, and it says so. */
function Tokens({ economy }: { economy: Economy }) {
  const told = economy.shown.reduce((sum, one) => sum + one.tokens, 0)
  const raw = Math.round(economy.toolUseBytes / BYTES_PER_TOKEN)
  return (
    <Card title="Tokens">
      <FactList
        of={[
          ['Told to models, 30 days', `${told.toLocaleString()} tokens`],
          ...economy.shown.map((one): [string, string] => [
            `· at ${one.event}`,
            `${one.tokens.toLocaleString()} in ${formatCount(one.count, 'brief')}`,
          ]),
          ['Memories', `${economy.observations.count.toLocaleString()}, ${economy.observations.tokens.toLocaleString()} tokens`],
          ['Tool uses still kept', `about ${raw.toLocaleString()} tokens of text`],
        ]}
      />
      <p class="dim">
        Every token told is a token spent. What a session saved because it was told something cannot be seen from here, so no number stands
        for it.
      </p>
    </Card>
  )
}

/** Where the notes stand among the person's machines, and what they have to choose between. */
function Sync() {
  const asked = useFetch<SyncState>('/api/sync')
  if (!asked.value || asked.isMissing) return null
  const { remote, ahead, behind, waiting, conflicted, last } = asked.value
  return (
    <Card title="Sync">
      <FactList
        of={[
          ['Remote', remote || 'none: notes are committed here only'],
          ['To be sent', ahead + waiting],
          ['To be merged', behind],
          ['Last', last ? <TimeAgo at={last.at} /> : 'never'],
          ['It ended', last ? (last.reason ?? last.outcome) : ''],
        ]}
      />
      {last?.withheld.map((one) => (
        <p class="trouble">
          <code>
            {one.path}:{one.line}
          </code>{' '}
          stays here: something in it must not leave this machine.
        </p>
      ))}
      {conflicted.map((conflict) => (
        <Conflict key={conflict.id} {...conflict} />
      ))}
      <p>
        <button type="button" onClick={() => void runAction(send('POST', '/api/sync', {}), 'Synced.')}>
          Sync now
        </button>
      </p>
    </Card>
  )
}

/** Two machines changed one note: both versions side by side, and what to keep. */
function Conflict({ id, of, title, machine }: SyncState['conflicted'][number]) {
  const [ours, theirs] = [useFetch<Note>(`/api/notes/${of}`), useFetch<Note>(`/api/notes/${id}`)]
  const keep = (choice: ConflictChoice) =>
    runAction(send('POST', '/api/sync/resolve', { id, choice }), choice === 'both' ? 'Both are kept.' : `Kept ${choice}.`)
  return (
    <div class="conflict">
      <b>{title}</b>
      <div class="sides">
        <div>
          <h3>The note now{ours.value?.machine && `, by ${ours.value.machine}`}</h3>
          <pre class="said">{ours.value?.body ?? ours.error}</pre>
        </div>
        <div>
          <h3>The other version{machine && `, by ${machine}`}</h3>
          <pre class="said">{theirs.value?.body ?? theirs.error}</pre>
        </div>
      </div>
      {CONFLICT_CHOICES.map((choice) => (
        <button type="button" onClick={() => void keep(choice)}>
          Keep {choice}
        </button>
      ))}
    </div>
  )
}

/** Which models work here, and what they were given, gave and cost. */
function Models({ status }: { status: WorkerStatus }) {
  const cost = useFetch<CostReport>('/api/cost?days=30')
  const sum = (side: 'calls' | 'input' | 'output' | 'usd' | 'unpriced') =>
    (cost.value?.rows ?? []).reduce((total, row) => total + row[side], 0)
  const { embedder, textModel } = status
  return (
    <Card title="Models">
      <FactList
        of={[
          ['Text', 'name' in textModel ? textModel.name : textModel.absent],
          ['Asked, 30 days', formatCount(sum('calls'), 'time')],
          ['Tokens in', sum('input').toLocaleString()],
          ['Tokens out', sum('output').toLocaleString()],
          ['Cost, estimated', inDollars({ usd: sum('usd'), unpriced: sum('unpriced') }, 2)],
          ['Embedder', embedder.name ?? embedder.provider],
          ['Vectors', `${embedder.embedded.toLocaleString()}, ${embedder.waiting.toLocaleString()} waiting`],
        ]}
      />
      {embedder.problem && <p class="trouble">{embedder.problem}</p>}
      <p class="dim">By day, model and project: recollect status --cost.</p>
    </Card>
  )
}
