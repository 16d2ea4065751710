import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { inDollars } from '../core/cost.ts'
import type { Note } from '../core/note.ts'
import { CHOICES, type Choice, type SyncState } from '../core/sync.ts'
import type { CostReport, WorkerStatus } from '../wire/api.ts'
import type { Economy } from '../wire/view.ts'
import { send } from './ask.ts'
import { useAsked } from './asked.ts'
import { act } from './deeds.ts'
import { line } from './live.ts'
import { bytes, count, Facts, Head, Loading, Trouble, When } from './parts.tsx'

const EVERY_MS = 5000

/** How the worker is: what waits, what could not be done, how much there is, and what it cost. */
export function HealthPage() {
  const status = useAsked<WorkerStatus>('/api/status')
  const economy = useAsked<Economy>('/api/economy')
  useEffect(() => {
    const timer = setInterval(status.again, EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  if (!status.value) return status.trouble ? <Trouble text={status.trouble} again={status.again} /> : <Loading />
  const s = status.value
  return (
    <>
      <Head title="Health">
        <span class={`dot ${line.value}`} aria-hidden="true" />
        <span class="dim">{isWell(s) ? 'all is well' : 'something needs a look'}</span>
      </Head>
      <Trouble text={status.trouble} again={status.again} />
      <div class="scroll cards">
        <Card title="Worker">
          <Facts
            of={[
              ['Version', s.version],
              ['Process', s.pid],
              ['Port', s.port === s.wantedPort ? s.port : `${s.port} (wanted ${s.wantedPort}, which another program holds)`],
              ['Up since', new Date(s.startedAt).toLocaleString()],
              ['Memory', bytes(s.memoryBytes)],
              ['Live sessions', s.sessions.live],
              ['Last event', s.lastEventAt ? <When at={s.lastEventAt} /> : 'none yet'],
            ]}
          />
          {s.lastEventTroubles > 0 && (
            <p class="trouble">{count(s.lastEventTroubles, 'event')} could not be stored. They are read from the transcript later.</p>
          )}
        </Card>
        <Card title="Queue">
          <Facts
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
                      <span class="dim">tried {count(job.attempts, 'time')}</span>
                    </div>
                    <button type="button" onClick={() => void act(send('POST', '/api/jobs/retry', { id: job.id }), 'It is tried again.')}>
                      Retry<span class="sr"> {job.kind}</span>
                    </button>
                  </li>
                ))}
              </ul>
              <button type="button" onClick={() => void act(send('POST', '/api/jobs/retry', {}), 'All are tried again.')}>
                Retry all
              </button>
            </>
          )}
        </Card>
        <Card title="Disk">
          <Facts
            of={[
              ['Database', bytes(s.databaseBytes)],
              ...(s.databaseParts ?? []).slice(0, 4).map((part): [string, string] => [`· ${part.name}`, bytes(part.bytes)]),
              ['Free', economy.value ? bytes(economy.value.freeBytes) : ''],
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

const isWell = (s: WorkerStatus) => s.jobs.dead + s.problems.length + s.notes.problems.length + s.lastEventTroubles === 0

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
  const told = economy.told.reduce((sum, one) => sum + one.tokens, 0)
  const raw = Math.round(economy.toolUseBytes / BYTES_PER_TOKEN)
  return (
    <Card title="Tokens">
      <Facts
        of={[
          ['Told to models, 30 days', `${told.toLocaleString()} tokens`],
          ...economy.told.map((one): [string, string] => [
            `· at ${one.event}`,
            `${one.tokens.toLocaleString()} in ${count(one.count, 'brief')}`,
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
  const asked = useAsked<SyncState>('/api/sync')
  if (!asked.value || asked.isMissing) return null
  const { remote, ahead, behind, waiting, conflicted, last } = asked.value
  return (
    <Card title="Sync">
      <Facts
        of={[
          ['Remote', remote || 'none: notes are committed here only'],
          ['To be sent', ahead + waiting],
          ['To be merged', behind],
          ['Last', last ? <When at={last.at} /> : 'never'],
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
        <button type="button" onClick={() => void act(send('POST', '/api/sync', {}), 'Synced.')}>
          Sync now
        </button>
      </p>
    </Card>
  )
}

/** Two machines changed one note: both versions side by side, and what to keep. */
function Conflict({ id, of, title, machine }: SyncState['conflicted'][number]) {
  const [ours, theirs] = [useAsked<Note>(`/api/notes/${of}`), useAsked<Note>(`/api/notes/${id}`)]
  const keep = (choice: Choice) =>
    act(send('POST', '/api/sync/resolve', { id, choice }), choice === 'both' ? 'Both are kept.' : `Kept ${choice}.`)
  return (
    <div class="conflict">
      <b>{title}</b>
      <div class="sides">
        <div>
          <h3>The note now{ours.value?.machine && `, by ${ours.value.machine}`}</h3>
          <pre class="said">{ours.value?.body ?? ours.trouble}</pre>
        </div>
        <div>
          <h3>The other version{machine && `, by ${machine}`}</h3>
          <pre class="said">{theirs.value?.body ?? theirs.trouble}</pre>
        </div>
      </div>
      {CHOICES.map((choice) => (
        <button type="button" onClick={() => void keep(choice)}>
          Keep {choice}
        </button>
      ))}
    </div>
  )
}

/** Which models work here, and what they were given, gave and cost. */
function Models({ status }: { status: WorkerStatus }) {
  const cost = useAsked<CostReport>('/api/cost?days=30')
  const sum = (side: 'calls' | 'input' | 'output' | 'usd' | 'unpriced') =>
    (cost.value?.rows ?? []).reduce((total, row) => total + row[side], 0)
  const { embedder, textModel } = status
  return (
    <Card title="Models">
      <Facts
        of={[
          ['Text', 'name' in textModel ? textModel.name : textModel.absent],
          ['Asked, 30 days', count(sum('calls'), 'time')],
          ['Tokens in', sum('input').toLocaleString()],
          ['Tokens out', sum('output').toLocaleString()],
          ['Cost, estimated', inDollars({ usd: sum('usd'), unpriced: sum('unpriced') }, 2)],
          ['Embedder', embedder.name ?? embedder.provider],
          ['Vectors', `${embedder.embedded.toLocaleString()}, ${embedder.waiting.toLocaleString()} waiting`],
        ]}
      />
      {embedder.trouble && <p class="trouble">{embedder.trouble}</p>}
      <p class="dim">By day, model and project: recollect status --cost.</p>
    </Card>
  )
}
