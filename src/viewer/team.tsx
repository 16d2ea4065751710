import { useSignal } from '@preact/signals'
import type { ReceivedVersion, TeamConflict, TeamProject, TeamState } from '../core/team.ts'
import type { HubDevice } from '../wire/contract/hub.ts'
import { Card, Dialog, EmptyState, ErrorMessage, FactList, LoadingOrError, PageHead, TimeAgo } from './components.tsx'
import { formatCount } from './formats.ts'
import { Marks } from './marks.tsx'
import { hrefOf } from './route.ts'
import { useFetch } from './use-fetch.ts'
import { runAction } from './user-actions.ts'
import { call } from './worker-requests.ts'

type Joined = Extract<TeamState, { kind: 'joined' }>

/** The Team page: shared memories and their authors, reviews and conflicts that wait for this person, members with their rights, and devices. */
export function TeamPage() {
  const fetched = useFetch('GET /api/team', {})
  if (!fetched.value) return <LoadingOrError fetched={fetched} />
  const team = fetched.value
  if (team.kind === 'none')
    return (
      <>
        <PageHead title="Team" />
        <EmptyState icon="team" title="This machine has not joined a team.">
          <p>
            A team shares notes through a hub. With a code from its operator, run <code>recollect team join &lt;url&gt; &lt;code&gt;</code>.
            Nothing of yours is shared until you share a project.
          </p>
        </EmptyState>
      </>
    )
  const isWell = team.problem === null && team.conflicts === 0 && team.problems.length === 0
  return (
    <>
      <PageHead title="Team">
        <Marks marks={[isWell ? { kind: 'same', words: 'no problems' } : { kind: 'failed', words: 'needs attention' }]} />
      </PageHead>
      <ErrorMessage text={fetched.error} retry={fetched.refetch} />
      <div class="scroll">
        <div class="cards wide-facts">
          <Membership team={team} />
          <Projects team={team} />
          <Review />
          <Conflicts />
          <Members />
          <Devices />
        </div>
      </div>
    </>
  )
}

function Membership({ team }: { team: Joined }) {
  const own = team.own.kind === 'off' ? 'off' : team.own.kind === 'on' ? `on, ${team.own.waiting} to send` : 'needs the new recovery phrase'
  return (
    <Card title="Membership">
      <FactList
        facts={[
          ['You are', team.member],
          ['This machine', team.device],
          ['Hub', team.url],
          ['To send', team.waiting],
          ['Waiting for a curator', team.proposed],
          ['Rejected', team.rejected],
          ['Own machines', own],
          ['Last contact', team.lastContact === null ? 'never' : <TimeAgo at={team.lastContact} />],
        ]}
      />
      {team.problem && <p class="notice-box">{team.problem}</p>}
      {team.problems.map(({ id, title, problem }) => (
        <p class="notice-box" key={id}>
          {title} is not shared: {problem}
        </p>
      ))}
      <p>
        <button type="button" onClick={() => void runAction(call('POST /api/team/exchange', {}), 'Exchanged with the hub.')}>
          Exchange now
        </button>
      </p>
    </Card>
  )
}

function Projects({ team }: { team: Joined }) {
  return (
    <Card title="Projects">
      {team.projects.length === 0 ? (
        <p class="dim">
          None yet. To share one, run <code>recollect team share &lt;project&gt;</code>.
        </p>
      ) : (
        <ul class="entries">
          {team.projects.map((project) => (
            <ProjectEntry key={project.key} project={project} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function ProjectEntry({ project }: { project: TeamProject }) {
  const { key, may, policy, shared, received, review, authors } = project
  const isWithdrawing = useSignal(false)
  return (
    <li>
      <div>
        <a href={hrefOf('feed', '', { project: project.project })}>{key}</a>
        <div class="dim small">
          {may === null ? 'you have no access any more' : `you may ${may}`}
          {review ? ', a curator accepts what is shared' : ''}
        </div>
        <div class="small">
          {policy === 'off' ? 'You share nothing here' : `You share ${formatCount(shared, 'memory', 'memories')} (${policy})`};{' '}
          {received === 0
            ? 'nothing came from others'
            : `from others: ${authors.map(({ name, memories }) => `${name} ${memories}`).join(', ')}`}
          .
        </div>
      </div>
      {shared > 0 && (
        <button type="button" onClick={() => (isWithdrawing.value = true)}>
          Withdraw…<span class="sr"> {key}</span>
        </button>
      )}
      {isWithdrawing.value && (
        <Dialog title={`Withdraw ${key}`} onClose={() => (isWithdrawing.value = false)}>
          <p>
            {formatCount(shared, 'memory', 'memories')} of yours will be deleted on the hub and on every laptop. Yours stay here, and
            nothing more is shared.
          </p>
          <div class="actions">
            <button type="button" onClick={() => (isWithdrawing.value = false)}>
              Cancel
            </button>
            <button
              type="button"
              class="danger"
              onClick={() => {
                isWithdrawing.value = false
                void runAction(call('POST /api/team/withdraw', { project: project.project, dryRun: false }), `Withdrew ${key}.`)
              }}
            >
              Withdraw
            </button>
          </div>
        </Dialog>
      )}
    </li>
  )
}

function Review() {
  const waiting = useFetch('GET /api/team/review', {})
  const memories = waiting.value?.memories ?? []
  return (
    <Card title="Review">
      {memories.length === 0 ? <p class="dim">Nothing is waiting for you.</p> : null}
      <ul class="entries">
        {memories.map((memory) => (
          <ReviewEntry key={memory.id} memory={memory} />
        ))}
      </ul>
    </Card>
  )
}

function ReviewEntry({ memory }: { memory: ReceivedVersion }) {
  const { key, id, hash, title, text, author, changedAt } = memory
  const decide = (verdict: 'accepted' | 'rejected') =>
    runAction(call('POST /api/team/review', { key, id, hash, verdict }), verdict === 'accepted' ? 'Accepted.' : 'Rejected.')
  return (
    <li>
      <div>
        <b>{title}</b>
        <div class="dim small">
          from {author}, <TimeAgo at={changedAt} />, for {key}
        </div>
        {text.trim() !== title.trim() && <pre class="verbatim">{text}</pre>}
      </div>
      <button type="button" class="primary" onClick={() => void decide('accepted')}>
        Accept<span class="sr"> {title}</span>
      </button>
      <button type="button" onClick={() => void decide('rejected')}>
        Reject<span class="sr"> {title}</span>
      </button>
    </li>
  )
}

function Conflicts() {
  const fetched = useFetch('GET /api/team/conflicts', {})
  const conflicts = fetched.value?.conflicts ?? []
  if (conflicts.length === 0) return null
  return (
    <Card title="Conflicts">
      {conflicts.map((conflict) => (
        <ConflictEntry key={`${conflict.key} ${conflict.id}`} conflict={conflict} />
      ))}
    </Card>
  )
}

/** Both versions side by side. Only their author chooses. */
function ConflictEntry({ conflict: { key, id, title, current, kept, isOwn } }: { conflict: TeamConflict }) {
  const resolve = (choice: 'mine' | 'theirs') =>
    runAction(
      call('POST /api/team/resolve', { key, id, choice }),
      choice === 'mine' ? 'The team gets your version.' : "Your note has the team's version.",
    )
  return (
    <div class="conflict">
      <b>{title}</b>
      <div class="sides">
        {[
          ...(current ? [{ ...current, label: 'The team has' }] : []),
          ...kept.map((version) => ({ ...version, label: 'Kept beside it' })),
        ].map((version) => (
          <div key={version.hash}>
            <h3>
              {version.label}, from {version.author}
            </h3>
            <pre class="verbatim">{version.text}</pre>
          </div>
        ))}
      </div>
      {isOwn && current && (
        <>
          <button type="button" onClick={() => void resolve('mine')}>
            Keep mine
          </button>
          <button type="button" onClick={() => void resolve('theirs')}>
            Keep theirs
          </button>
        </>
      )}
    </div>
  )
}

/** Asks the hub, so it is empty while the hub is away. */
function Members() {
  const fetched = useFetch('GET /api/team/members', {})
  return (
    <Card title="Members">
      <ErrorMessage text={fetched.error} retry={fetched.refetch} />
      <ul class="entries">
        {(fetched.value?.members ?? []).map(({ id, name, role, grants, disabledAt }) => (
          <li key={id}>
            <div>
              <b>{name}</b> {role === 'admin' && <span class="dim">admin</span>}
              <div class="dim small">
                {disabledAt !== null
                  ? 'has no access any more'
                  : grants.map(({ project, may }) => `${may} ${project}`).join(', ') || 'no rights in your projects'}
              </div>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Devices() {
  const fetched = useFetch('GET /api/team/devices', {})
  const phrase = useSignal<string | null>(null)
  const devices = (fetched.value?.devices ?? []).filter(({ revokedAt }) => revokedAt === null)
  return (
    <Card title="Your devices">
      <ErrorMessage text={fetched.error} retry={fetched.refetch} />
      <ul class="entries">
        {devices.map((device) => (
          <DeviceEntry
            key={device.id}
            device={device}
            isHere={device.id === fetched.value?.current}
            onPhrase={(words) => (phrase.value = words)}
          />
        ))}
      </ul>
      {phrase.value !== null && (
        <Dialog title="Your new recovery phrase" onClose={() => (phrase.value = null)}>
          <p>Write it down now: it is shown only here. Your other machines ask for it once.</p>
          <pre class="verbatim">{phrase.value}</pre>
        </Dialog>
      )}
    </Card>
  )
}

function DeviceEntry({ device, isHere, onPhrase }: { device: HubDevice; isHere: boolean; onPhrase: (words: string | null) => void }) {
  const isRevoking = useSignal(false)
  const revoke = async () => {
    isRevoking.value = false
    const revoked = await runAction(call('POST /api/team/devices/revoke', { id: device.id }), `${device.name} no longer has access.`)
    onPhrase(revoked?.phrase ?? null)
  }
  return (
    <li>
      <div>
        <b>{device.name}</b> {isHere && <span class="dim">this machine</span>}
        <div class="dim small">
          joined <TimeAgo at={device.enrolledAt} />
          {device.lastSeenAt !== null && (
            <>
              , seen <TimeAgo at={device.lastSeenAt} />
            </>
          )}
        </div>
      </div>
      {!isHere && (
        <button type="button" onClick={() => (isRevoking.value = true)}>
          Revoke…<span class="sr"> {device.name}</span>
        </button>
      )}
      {isRevoking.value && (
        <Dialog title={`Revoke ${device.name}`} onClose={() => (isRevoking.value = false)}>
          <p>It loses access to the hub at once. If your own machines share memories, a new recovery phrase is made.</p>
          <div class="actions">
            <button type="button" onClick={() => (isRevoking.value = false)}>
              Cancel
            </button>
            <button type="button" class="danger" onClick={() => void revoke()}>
              Revoke
            </button>
          </div>
        </Dialog>
      )}
    </li>
  )
}
