import { useEffect } from 'preact/hooks'
import { inDollars } from '../core/cost.ts'
import { CONFLICT_CHOICES, type ConflictChoice, type SyncState } from '../core/sync.ts'
import type { WorkerStatus } from '../wire/contract/status.ts'
import type { Economy } from '../wire/contract/upkeep.ts'
import { Card, ErrorMessage, FactList, LoadingOrError, PageHead, TimeAgo } from './components.tsx'
import { formatBytes, formatCount } from './formats.ts'
import { Marks } from './marks.tsx'
import { useFetch } from './use-fetch.ts'
import { runAction } from './user-actions.ts'
import { call } from './worker-requests.ts'

const REFRESH_INTERVAL_MS = 5000

/** The state of the worker: jobs, failures, disk use, tokens, sync, models and their cost. */
export function HealthPage() {
  const status = useFetch('GET /api/status', {})
  const economy = useFetch('GET /api/economy', {})
  useEffect(() => {
    const timer = setInterval(status.refetch, REFRESH_INTERVAL_MS)
    return () => clearInterval(timer)
  }, [])
  if (!status.value) return <LoadingOrError fetched={status} />
  const s = status.value
  return (
    <>
      <PageHead title="Health">
        <Marks marks={[isHealthy(s) ? { kind: 'same', words: 'no problems' } : { kind: 'failed', words: 'needs attention' }]} />
      </PageHead>
      <ErrorMessage text={status.error} retry={status.refetch} />
      <div class="scroll">
        <div class="cards wide-facts">
          <Card title="Worker">
            <FactList
              facts={[
                ['Version', s.version],
                ['Process', s.pid],
                ['Port', s.port === s.wantedPort ? s.port : `${s.port} (another program uses ${s.wantedPort})`],
                ['Started', new Date(s.startedAt).toLocaleString()],
                ['Memory', formatBytes(s.memoryBytes)],
                ['Live sessions', s.sessions.live],
                ['Last event', s.lastEventAt ? <TimeAgo at={s.lastEventAt} /> : 'none yet'],
              ]}
            />
            {s.unstoredEvents > 0 && (
              <p class="notice-box">
                {formatCount(s.unstoredEvents, 'event')} could not be stored. The worker reads them from the transcript later.
              </p>
            )}
          </Card>
          <Card title="Jobs">
            <FactList
              facts={[
                ['Waiting', s.jobs.waiting],
                ['Running', s.jobs.running],
                ['Failed', s.jobs.dead],
                ['Spooled', s.spooled],
              ]}
            />
            {s.deadJobs.length === 0 ? (
              <p class="dim small">No failed jobs.</p>
            ) : (
              <>
                <ul class="entries">
                  {s.deadJobs.map((job) => (
                    <li>
                      <div>
                        <b>{job.kind}</b> <span class="mono dim">{job.key}</span>
                        <div>{job.error || 'no error message'}</div>
                        <span class="dim">tried {formatCount(job.attempts, 'time')}</span>
                      </div>
                      <button
                        type="button"
                        onClick={() => void runAction(call('POST /api/jobs/retry', { id: job.id }), 'Retrying the job.')}
                      >
                        Retry<span class="sr"> {job.kind}</span>
                      </button>
                    </li>
                  ))}
                </ul>
                <button type="button" onClick={() => void runAction(call('POST /api/jobs/retry'), 'Retrying all jobs.')}>
                  Retry all
                </button>
              </>
            )}
          </Card>
          <Card title="Disk">
            <FactList
              facts={[
                ['Database', formatBytes(s.databaseBytes)],
                ...(s.databaseParts ?? []).slice(0, 4).map((part): [string, string] => [`· ${part.name}`, formatBytes(part.bytes)]),
                ['Free', economy.value ? formatBytes(economy.value.freeBytes) : ''],
                ['Notes', `${s.notes.all} (${s.notes.hidden} hidden)`],
                ['Home', <code>{s.home}</code>],
              ]}
            />
            {s.notes.problems.map(({ path, problem }) => (
              <p class="notice-box">
                <code>{path}</code>: {problem}
              </p>
            ))}
          </Card>
          {economy.value && <Tokens economy={economy.value} />}
          <Sync />
          <Models status={s} />
          {s.problems.length > 0 && (
            <Card title="Invalid settings">
              {s.problems.map((problem) => (
                <p class="notice-box">{problem}</p>
              ))}
            </Card>
          )}
        </div>
      </div>
    </>
  )
}

const isHealthy = (s: WorkerStatus) => s.jobs.dead + s.problems.length + s.notes.problems.length + s.unstoredEvents === 0

/** A rough average, good enough for comparisons. */
const BYTES_PER_TOKEN = 4

/** How many tokens were injected, compared with how much the memories were made from. */
function Tokens({ economy }: { economy: Economy }) {
  const injectedTokens = economy.shown.reduce((sum, { tokens }) => sum + tokens, 0)
  const toolUseTokens = Math.round(economy.toolUseBytes / BYTES_PER_TOKEN)
  return (
    <Card title="Tokens">
      <FactList
        facts={[
          ['Injected in 30 days', `${injectedTokens.toLocaleString()} tokens`],
          ...economy.shown.map(({ event, tokens, count }): [string, string] => [
            `· at ${event}`,
            `${tokens.toLocaleString()} in ${formatCount(count, 'injection')}`,
          ]),
          ['Observations', `${economy.observations.count.toLocaleString()}, ${economy.observations.tokens.toLocaleString()} tokens`],
          ['Stored tool uses', `about ${toolUseTokens.toLocaleString()} tokens of text`],
        ]}
      />
      <p class="dim small">Every injected token is a token spent. The worker cannot measure how many tokens a session saved in return.</p>
    </Card>
  )
}

/** The state of note sync, and the conflicts to resolve. */
function Sync() {
  const sync = useFetch('GET /api/sync', {})
  if (!sync.value || sync.isMissing) return null
  const { remote, ahead, behind, waiting, conflicted, last } = sync.value
  return (
    <Card title="Sync">
      <FactList
        facts={[
          ['Remote', remote || 'none (notes are committed on this machine only)'],
          ['To send', ahead + waiting],
          ['To merge', behind],
          ['Last sync', last ? <TimeAgo at={last.at} /> : 'never'],
          ['Result', last ? (last.reason ?? last.outcome) : ''],
        ]}
      />
      {last?.withheld.map(({ path, line }) => (
        <p class="notice-box">
          <code>
            {path}:{line}
          </code>{' '}
          is not synced, because this line contains a secret or private text.
        </p>
      ))}
      {conflicted.map((conflict) => (
        <Conflict key={conflict.id} {...conflict} />
      ))}
      <p>
        <button type="button" onClick={() => void runAction(call('POST /api/sync'), 'Synced.')}>
          Sync now
        </button>
      </p>
    </Card>
  )
}

/** Two machines changed the same note: both versions side by side, and buttons to choose one or keep both. */
function Conflict({ id, of, title, machine }: SyncState['conflicted'][number]) {
  const [ours, theirs] = [useFetch('GET /api/notes/:id', { id: of }), useFetch('GET /api/notes/:id', { id })]
  const resolve = (choice: ConflictChoice) => runAction(call('POST /api/sync/resolve', { id, choice }), `Kept ${choice}.`)
  return (
    <div class="conflict">
      <b>{title}</b>
      <div class="sides">
        <div>
          <h3>Current version{ours.value?.machine && `, from ${ours.value.machine}`}</h3>
          <pre class="verbatim">{ours.value?.body ?? ours.error}</pre>
        </div>
        <div>
          <h3>Other version{machine && `, from ${machine}`}</h3>
          <pre class="verbatim">{theirs.value?.body ?? theirs.error}</pre>
        </div>
      </div>
      {CONFLICT_CHOICES.map((choice) => (
        <button type="button" onClick={() => void resolve(choice)}>
          Keep {choice}
        </button>
      ))}
    </div>
  )
}

/** The text model and the embedder in use, with calls, tokens and cost. */
function Models({ status }: { status: WorkerStatus }) {
  const cost = useFetch('GET /api/cost', { days: 30 })
  const sum = (field: 'calls' | 'input' | 'output' | 'usd' | 'unpriced') =>
    (cost.value?.rows ?? []).reduce((total, row) => total + row[field], 0)
  const { embedder, textModel } = status
  return (
    <Card title="Models">
      <FactList
        facts={[
          ['Text model', 'name' in textModel ? textModel.name : textModel.absent],
          ['Calls in 30 days', sum('calls').toLocaleString()],
          ['Tokens in', sum('input').toLocaleString()],
          ['Tokens out', sum('output').toLocaleString()],
          ['Estimated cost', inDollars({ usd: sum('usd'), unpriced: sum('unpriced') }, 2)],
          ['Embedder', embedder.name ?? embedder.provider],
          ['Vectors', `${embedder.embedded.toLocaleString()}, ${embedder.waiting.toLocaleString()} waiting`],
        ]}
      />
      {embedder.problem && <p class="notice-box">{embedder.problem}</p>}
      <p class="dim small">
        For cost by day, model and project, run <code>recollect status --cost</code>.
      </p>
    </Card>
  )
}
