import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { type Note, parsePlace } from '../core/note.ts'
import type { NoteWithUrn } from '../wire/contract/notes.ts'
import { Dropdown, EmptyState, ErrorMessage, LoadingOrError, PageHead, Segments } from './components.tsx'
import { Icon } from './icons.tsx'
import { Markdown } from './markdown-view.tsx'
import { Marks } from './marks.tsx'
import { SessionLink } from './memory-frame.tsx'
import { marksOfStatement } from './memory-marks.ts'
import { projectOptions } from './project-list.ts'
import { hrefOf, memoryHref } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { runAction } from './user-actions.ts'
import { call, filterValue } from './worker-requests.ts'

const KINDS = ['rules', 'decisions', 'open-ends'] as const
type StatementKind = (typeof KINDS)[number]
const KIND_TEXTS: Record<StatementKind, { name: string; about: string; empty: string }> = {
  rules: {
    name: 'Rules',
    about: 'Standing instructions, read from your prompts. Every brief of the project contains them.',
    empty: 'Say “from now on …”, “always …” or “never …” in a prompt, or write a note in the namespace rules.',
  },
  decisions: {
    name: 'Decisions',
    about:
      'Things that were settled, with the reason, from prompts and closing answers. A newer decision replaces an older one about the same thing.',
    empty: 'Decisions appear when a prompt or a closing answer settles something.',
  },
  'open-ends': {
    name: 'Open ends',
    about: 'Work that a session left undone. The next brief mentions the latest.',
    empty: 'Open ends appear when an answer says what is still missing.',
  },
}

type StatementView = 'proposed' | 'accepted' | 'gone'
const MAX_STATEMENTS = 500

/** Statements that were read from sessions, for a person to accept, edit or reject. */
export function RulesPage() {
  const { query } = currentRoute.value
  const kind = KINDS.find((known) => known === query.kind) ?? 'rules'
  const project = query.project ?? ''
  const request = { namespace: kind, project: filterValue(project), limit: MAX_STATEMENTS }
  const fetched = useFetch('GET /api/notes', request)
  const withHidden = useFetch('GET /api/notes', { ...request, hidden: true })
  const choose = (part: Record<string, string>) => navigate(hrefOf('rules', '', { ...query, ...part }), 'replace')
  const holding = fetched.value?.notes ?? []
  const isHolding = new Set(holding.map(({ id }) => id))
  const lists: Record<StatementView, NoteWithUrn[]> = {
    proposed: holding.filter(({ state }) => state === 'proposed'),
    accepted: holding.filter(({ state }) => state === 'accepted'),
    gone: (withHidden.value?.notes ?? []).filter(({ id }) => !isHolding.has(id)),
  }
  const fallback: StatementView = lists.proposed.length > 0 || lists.accepted.length === 0 ? 'proposed' : 'accepted'
  const view = (['proposed', 'accepted', 'gone'] as const).find((known) => known === query.state) ?? fallback
  return (
    <>
      <PageHead title="Rules and decisions">
        <Dropdown label="Project" value={project} options={projectOptions()} onChoose={(value) => choose({ project: value })} />
        <Segments
          label="Kind"
          value={kind}
          options={KINDS.map((value) => ({ value, text: KIND_TEXTS[value].name }))}
          onChoose={(value) => choose({ kind: value, state: '' })}
        />
      </PageHead>
      <ErrorMessage text={fetched.error} retry={fetched.refetch} />
      {!fetched.value ? (
        !fetched.error && <LoadingOrError fetched={fetched} />
      ) : (
        <div class="scroll">
          <div class="column stack">
            <p class="dim">{KIND_TEXTS[kind].about}</p>
            <Segments
              label="State"
              value={view}
              options={[
                { value: 'proposed', text: `Proposed ${lists.proposed.length}` },
                { value: 'accepted', text: `Accepted ${lists.accepted.length}` },
                { value: 'gone', text: `Replaced or rejected ${lists.gone.length}` },
              ]}
              onChoose={(state) => choose({ state })}
            />
            <Statements key={`${kind} ${view}`} notes={lists[view]} newer={newerOf(holding)} kind={kind} view={view} />
          </div>
        </div>
      )}
    </>
  )
}

/** For each replaced statement the one that holds now. */
const newerOf = (holding: Note[]): Map<string, string> =>
  new Map(holding.flatMap((note) => note.supersedes.map((older) => [String(older), String(note.id)] as const)))

function Statements({
  notes,
  newer,
  kind,
  view,
}: {
  notes: NoteWithUrn[]
  newer: Map<string, string>
  kind: StatementKind
  view: StatementView
}) {
  const current = useSignal(0)
  const editing = useSignal<string | null>(null)
  const list = useRef<HTMLUListElement>(null)
  const move = (by: number) => {
    current.value = Math.max(0, Math.min(notes.length - 1, current.value + by))
    const item = list.current?.children[current.value]
    if (item instanceof HTMLElement) item.focus()
  }
  const chosen = notes[Math.min(current.value, notes.length - 1)]
  useKeyBindings({
    j: () => move(1),
    k: () => move(-1),
    a: () => chosen?.state === 'proposed' && view !== 'gone' && accept(chosen),
    e: () => {
      if (chosen && view !== 'gone') editing.value = chosen.id
    },
    x: () => chosen && view !== 'gone' && reject(chosen),
  })
  if (notes.length === 0) {
    const titles = { proposed: 'Nothing is waiting for you.', accepted: 'Nothing accepted yet.', gone: 'Nothing was replaced or rejected.' }
    return (
      <EmptyState icon="rules" isInline title={titles[view]}>
        <p>
          {view === 'gone'
            ? 'What you reject does not come back by itself, and stays here so that you can restore it.'
            : KIND_TEXTS[kind].empty}
        </p>
      </EmptyState>
    )
  }
  return (
    <ul class="plain-list statements" ref={list} aria-label={KIND_TEXTS[kind].name}>
      {notes.map((note, index) => (
        <li
          key={note.id}
          class={`card statement ${index === current.value ? 'current' : ''}`}
          tabIndex={-1}
          onFocusCapture={() => {
            current.value = index
          }}
        >
          {editing.value === note.id ? (
            <EditStatement
              note={note}
              onDone={() => {
                editing.value = null
              }}
            />
          ) : (
            <Statement
              note={note}
              newer={newer.get(note.id) ?? null}
              view={view}
              onEdit={() => {
                editing.value = note.id
              }}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

const update = (id: string, fields: Partial<Pick<Note, 'state' | 'confidence' | 'body'>>) => call('PATCH /api/notes/:id', { ...fields, id })

function accept({ id, state, confidence }: Note): void {
  void runAction(update(id, { state: 'accepted', confidence: 1 }), 'Accepted.', () => update(id, { state, confidence }))
}

/** A rejected statement does not come back when it is said again. */
function reject({ id }: Note): void {
  void runAction(call('DELETE /api/notes/:id', { id }), 'Rejected. It will not come back by itself.', () => restore(id))
}

const restore = (id: string) => call('POST /api/notes/:id/restore', { id })

function Statement({ note, newer, view, onEdit }: { note: NoteWithUrn; newer: string | null; view: StatementView; onEdit: () => void }) {
  return (
    <>
      <blockquote>
        <Markdown text={note.body || note.title} />
      </blockquote>
      <div class="about">
        <Marks marks={marksOfStatement(note, newer)} />
        <Places note={note} />
      </div>
      <div class="buttons">
        {view === 'gone' ? (
          <button
            type="button"
            onClick={() => void runAction(restore(note.id), 'Restored.', () => call('DELETE /api/notes/:id', { id: note.id }))}
          >
            Restore
          </button>
        ) : (
          <>
            {note.state === 'proposed' && (
              <button type="button" class="accept" onClick={() => accept(note)}>
                <Icon name="check" /> Accept <kbd>a</kbd>
              </button>
            )}
            <button type="button" onClick={onEdit}>
              Edit <kbd>e</kbd>
            </button>
            <button type="button" class="danger" onClick={() => reject(note)}>
              Reject <kbd>x</kbd>
            </button>
          </>
        )}
        <a class="button plain" href={memoryHref('note', note.id)}>
          Details
        </a>
      </div>
    </>
  )
}

/** The first and the last place where it was said. */
function Places({ note }: { note: Note }) {
  const [first] = note.said
  const last = note.said.at(-1)
  const places = [...new Set([first, last])].filter((place) => place !== undefined)
  if (places.length === 0) return <span>written on {new Date(note.createdAt).toISOString().slice(0, 10)}</span>
  return (
    <>
      {places.map((place) => {
        const { session, turn } = parsePlace(place)
        return (
          <span>
            {place.slice(0, 10)} in <SessionLink session={session} at={`turn:${turn}`} />
          </span>
        )
      })}
    </>
  )
}

/** A person's own wording needs no acceptance. */
function EditStatement({ note, onDone }: { note: Note; onDone: () => void }) {
  const body = useSignal(note.body)
  useKeyBindings({ Escape: onDone })
  const isEmpty = body.value.trim() === ''
  const save = async () => {
    if (isEmpty) return
    const before = { body: note.body, state: note.state, confidence: note.confidence }
    const saved = await runAction(update(note.id, { body: body.value, state: 'accepted', confidence: 1 }), 'Saved and accepted.', () =>
      update(note.id, before),
    )
    // What could not be saved stays in the form.
    if (saved) onDone()
  }
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save()
      }}
    >
      <label>
        Text
        <textarea
          ref={(element) => element?.focus()}
          rows={3}
          value={body.value}
          onInput={(event) => (body.value = event.currentTarget.value)}
        />
      </label>
      <div class="buttons">
        <button type="submit" class="primary" disabled={isEmpty}>
          Save and accept <kbd>Ctrl Enter</kbd>
        </button>
        <button type="button" onClick={onDone}>
          Cancel <kbd>Esc</kbd>
        </button>
      </div>
    </form>
  )
}
