import { useSignal } from '@preact/signals'
import { sessionAgentTitle } from '../core/agent.ts'
import type { Session } from '../core/memory.ts'
import type { SessionContents } from '../wire/contract/sessions.ts'
import { Dialog, LoadingOrError, Menu } from './components.tsx'
import { askToForgetSession } from './forget.tsx'
import { formatCount, formatDay, formatTimeSpan } from './formats.ts'
import { Marks } from './marks.tsx'
import { OutcomeBox } from './outcome-box.tsx'
import { nameOfProject } from './project-list.ts'
import { hrefOf, memoryHref } from './route.ts'
import { navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { copyText, runAction } from './user-actions.ts'
import { call } from './worker-requests.ts'

/** The top of a session's page: what it was about, what came of it, and what can be done with it. */
export function SessionHead({ contents }: { contents: SessionContents }) {
  const { session, outcome, prompts, toolUses, observations } = contents
  const dialog = useSignal<'rename' | 'hand over' | null>(null)
  const close = () => {
    dialog.value = null
  }
  const rename = () => {
    dialog.value = 'rename'
  }
  const id = String(session.id)
  useKeyBindings({ e: rename })
  return (
    <div class="session-top">
      <h1 class="page-title">{session.title ?? `Session ${session.id}`}</h1>
      <div class="about">
        <Marks
          marks={[
            { kind: 'project', words: nameOfProject(session.project), href: hrefOf('feed', '', { project: session.project }) },
            { kind: 'agent', words: sessionAgentTitle(session) },
            session.branch ? { kind: 'branch', words: session.branch } : null,
          ]}
        />
        <span>
          {formatDay(session.startedAt)}, {formatTimeSpan(session.startedAt, session.lastEventAt)}
        </span>
        <span>
          {formatCount(prompts.length, 'turn')}, {formatCount(toolUses.length, 'tool use')},{' '}
          {formatCount(observations.length, 'observation')}
        </span>
      </div>
      <div class="buttons">
        <button
          type="button"
          onClick={() => {
            dialog.value = 'hand over'
          }}
        >
          Hand over…
        </button>
        <button type="button" onClick={rename}>
          Rename <kbd>e</kbd>
        </button>
        <a class="button" href={hrefOf('injections', '', { session: id })}>
          Injections
        </a>
        <Menu
          label="More actions for this session"
          items={[
            { text: 'Export as markdown', href: `/api/sessions/${id}/export?format=markdown`, download: `session-${id}.md` },
            { text: 'Export as JSON', href: `/api/sessions/${id}/export?format=json`, download: `session-${id}.json` },
            { text: 'Forget session…', isDanger: true, onChoose: () => askToForgetSession(session, () => navigate('/sessions')) },
          ]}
        />
      </div>
      <OutcomeBox outcome={outcome} of="this session" />
      {dialog.value === 'rename' && <RenameSession session={session} onDone={close} />}
      {dialog.value === 'hand over' && <HandOver session={session} onDone={close} />}
    </div>
  )
}

function RenameSession({ session, onDone }: { session: Session; onDone: () => void }) {
  const title = useSignal(session.title ?? '')
  const rename = (text: string) => call('PATCH /api/sessions/:id', { id: session.id, title: text })
  return (
    <Dialog title="Rename this session" onClose={onDone}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onDone()
          const before = session.title
          void runAction(rename(title.value), 'Renamed.', before ? () => rename(before) : null)
        }}
      >
        <label>
          Title
          <input value={title.value} maxLength={200} onInput={(event) => (title.value = event.currentTarget.value)} />
        </label>
        <div class="actions">
          <button type="button" onClick={onDone}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={title.value.trim() === ''}>
            Rename
          </button>
        </div>
      </form>
    </Dialog>
  )
}

const HANDOVER_DAYS = 30

/** A text with which another person or agent can continue: to copy, or to keep as a note for the next session. */
function HandOver({ session, onDone }: { session: Session; onDone: () => void }) {
  const fetched = useFetch('GET /api/sessions/:id/handover', { id: String(session.id) })
  const handover = fetched.value
  const keep = async () => {
    if (!handover) return
    const note = {
      title: `Hand-over: ${handover.title}`.slice(0, 500),
      body: handover.text,
      namespace: 'progress',
      project: session.project,
      scope: 'project' as const,
      expiresAt: Date.now() + HANDOVER_DAYS * 86_400_000,
    }
    onDone()
    const saved = await runAction(call('POST /api/notes', note), `Saved as a note for ${HANDOVER_DAYS} days.`)
    if (saved) navigate(memoryHref('note', saved.note.id))
  }
  return (
    <Dialog title="Hand over this session" onClose={onDone} isWide>
      {!handover ? (
        <LoadingOrError fetched={fetched} />
      ) : (
        <>
          <p class="dim">
            Paste this into another agent or send it to a person; {formatCount(handover.tokens, 'token')}. Saved as a note, the next
            sessions in this project find it.
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must be able to scroll it */}
          <pre class="verbatim handover" tabIndex={0}>
            {handover.text}
          </pre>
          <div class="actions">
            <button type="button" onClick={() => void keep()}>
              Save as a note
            </button>
            <button type="button" class="primary" onClick={() => void copyText(handover.text, 'Copied the hand-over.')}>
              Copy
            </button>
          </div>
        </>
      )}
    </Dialog>
  )
}
