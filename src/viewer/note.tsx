import { useSignal } from '@preact/signals'
import { memoryId } from '../core/memory-kinds.ts'
import { NOTE_SCOPES, NOTE_TYPES, type Note, parsePlace } from '../core/note.ts'
import type { FullNote } from '../wire/contract/notes.ts'
import { FactList, LoadingOrError, PageHead, TimeAgo } from './components.tsx'
import { diffLines } from './diff.ts'
import { askToForgetMemory } from './forget.tsx'
import { Icon } from './icons.tsx'
import { Markdown } from './markdown-view.tsx'
import { MemoryFrame, SessionLink, Sources } from './memory-frame.tsx'
import { marksOfNote } from './memory-marks.ts'
import { draftFromObservation, emptyDraft, isSameText, type NoteFormValues, noteSteps, parseTags } from './note-text.ts'
import { MissingMemory, RelatedMemories } from './related-memories.tsx'
import { hrefOf, memoryHref } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { restoreMemory, runAction } from './user-actions.ts'
import { call } from './worker-requests.ts'

/** One note, which can be edited, pinned, superseded and forgotten. */
export function NoteView({ id }: { id: string }) {
  const fetched = useFetch('GET /api/notes/:id', { id })
  const isEditing = useSignal(false)
  const note = fetched.value
  const change = async (patch: Partial<NoteFormValues>, text: string): Promise<boolean> => {
    if (!note) return false
    const before = Object.fromEntries(Object.keys(patch).map((field) => [field, note[field as keyof NoteFormValues]]))
    const update = (fields: Partial<NoteFormValues>) => call('PATCH /api/notes/:id', { ...fields, id: note.id })
    return (await runAction(update(patch), text, () => update(before))) !== null
  }
  const pin = () => note && void change({ pinned: !note.pinned }, note.pinned ? 'Unpinned.' : 'Pinned. Every brief will contain it.')
  const accept = () => {
    if (note?.state !== 'proposed' || note.deletedAt) return
    const before = { state: note.state, confidence: note.confidence }
    const update = (fields: Partial<Pick<Note, 'state' | 'confidence'>>) => call('PATCH /api/notes/:id', { ...fields, id: note.id })
    void runAction(update({ state: 'accepted', confidence: 1 }), 'Accepted.', () => update(before))
  }
  useKeyBindings({
    a: accept,
    e: () => {
      isEditing.value = true
    },
    x: () => note && !note.deletedAt && askToForgetMemory('note', note.id),
    p: pin,
  })
  if (!note) return fetched.isMissing ? <MissingMemory name={`Note ${id}`} /> : <LoadingOrError fetched={fetched} />
  const stopEditing = () => {
    isEditing.value = false
  }
  const [newer] = note.supersededBy
  if (isEditing.value)
    return (
      <>
        <PageHead title="Edit a note" isForWriting />
        <div class="scroll">
          <div class="column">
            <NoteForm
              note={note}
              saveLabel="Save"
              onCancel={stopEditing}
              onSave={async (draft) => {
                // What could not be saved stays in the form.
                if (await change(draft, 'Saved.')) stopEditing()
              }}
            />
          </div>
        </div>
      </>
    )
  return (
    <MemoryFrame
      kind="note"
      id={note.id}
      title={note.title}
      type={note.namespace}
      project={note.scope === 'project' ? note.project : undefined}
      at={note.updatedAt}
      marks={marksOfNote(note)}
      actions={
        <>
          {note.state === 'proposed' && !note.deletedAt && (
            <button type="button" class="accept" onClick={accept}>
              <Icon name="check" /> Accept <kbd>a</kbd>
            </button>
          )}
          <button
            type="button"
            onClick={() => {
              isEditing.value = true
            }}
          >
            Edit <kbd>e</kbd>
          </button>
          <button type="button" onClick={pin}>
            {note.pinned ? 'Unpin' : 'Pin'} <kbd>p</kbd>
          </button>
          <a class="button" href={hrefOf('memory', 'new', { supersedes: note.id })}>
            Supersede
          </a>
          {note.deletedAt ? (
            <button type="button" onClick={() => void restoreMemory(memoryId('note', note.id), 'the note')}>
              Restore
            </button>
          ) : (
            <button type="button" class="danger" onClick={() => askToForgetMemory('note', note.id)}>
              Forget… <kbd>x</kbd>
            </button>
          )}
        </>
      }
      aside={
        <>
          <section>
            <h2>About</h2>
            <FactList
              facts={[
                ['Scope', note.scope],
                ['Type', note.type],
                ['Source', note.author === null ? note.source : `copied from ${note.author}`],
                ['Written by', note.model],
                ['Confidence', note.confidence],
                ['Machine', note.machine],
                ['Created', <TimeAgo at={note.createdAt} />],
                ['Expires', note.expiresAt ? new Date(note.expiresAt).toLocaleString() : null],
                ['File', <code>{note.path}</code>],
              ]}
            />
          </section>
          {!note.deletedAt && note.supersededBy.length === 0 && <RelatedMemories kind="note" id={note.id} />}
        </>
      }
    >
      {note.deletedAt && <p class="notice-box">Forgotten. It no longer appears in search or briefs until you restore it.</p>}
      {newer && (
        <p class="notice-box">
          A newer note supersedes this one: <a href={memoryHref('note', newer)}>show it</a>
        </p>
      )}
      {!isSameText(note.body, note.title) && <Markdown text={note.body} />}
      {note.tags.length > 0 && (
        <p class="chips">
          {note.tags.map((tag) => (
            <a class="chip" href={hrefOf('search', '', { q: `tag:${tag}` })}>
              {tag}
            </a>
          ))}
        </p>
      )}
      <NoteSources note={note} />
      <History note={note} />
    </MemoryFrame>
  )
}

const MAX_PLACES_SHOWN = 6

/** The places where a note was said, and the notes it replaced. */
function NoteSources({ note }: { note: FullNote }) {
  const history = useFetch('GET /api/notes/:id/history', { id: note.id })
  return (
    <Sources
      sources={[
        ...note.said.slice(-MAX_PLACES_SHOWN).map((place) => {
          const { session, turn } = parsePlace(place)
          return {
            text: (
              <>
                Said in turn {turn} of <SessionLink session={session} at={`turn:${turn}`} />
              </>
            ),
            when: place.slice(0, 10),
          }
        }),
        ...(history.value?.older ?? []).map((older) => ({
          text: (
            <>
              Replaces <a href={memoryHref('note', older.id)}>{older.title}</a>
            </>
          ),
          when: <TimeAgo at={older.at} />,
        })),
      ]}
    />
  )
}

/** Suggestions; any other namespace is accepted too. */
const SUGGESTED_NAMESPACES = [
  'decisions',
  'learnings',
  'blockers',
  'progress',
  'patterns',
  'context',
  'apis',
  'config',
  'security',
  'testing',
]

function NoteForm({
  note,
  saveLabel,
  onSave,
  onCancel,
}: {
  note: NoteFormValues
  saveLabel: string
  onSave: (draft: NoteFormValues) => void
  onCancel: () => void
}) {
  const draft = useSignal<NoteFormValues>({
    title: note.title,
    body: note.body,
    namespace: note.namespace,
    type: note.type,
    scope: note.scope,
    tags: note.tags,
    pinned: note.pinned,
  })
  /** As it is typed: a comma at its end is not yet a tag. */
  const tagText = useSignal(note.tags.join(', '))
  const save = () => onSave({ ...draft.value, tags: parseTags(tagText.value) })
  const set = (part: Partial<NoteFormValues>) => {
    draft.value = { ...draft.value, ...part }
  }
  useKeyBindings({ Escape: onCancel })
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save()
      }}
    >
      <label>
        Title
        <input value={draft.value.title} maxLength={500} onInput={(event) => set({ title: event.currentTarget.value })} />
      </label>
      <label>
        Text (markdown)
        <textarea ref={focusOnce} rows={12} value={draft.value.body} onInput={(event) => set({ body: event.currentTarget.value })} />
      </label>
      <div class="fields">
        <label>
          Namespace
          <input list="namespaces" value={draft.value.namespace} onInput={(event) => set({ namespace: event.currentTarget.value })} />
        </label>
        <datalist id="namespaces">
          {SUGGESTED_NAMESPACES.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <label>
          Type
          <select value={draft.value.type} onChange={(event) => set({ type: event.currentTarget.value as Note['type'] })}>
            {NOTE_TYPES.map((type) => (
              <option value={type}>{type}</option>
            ))}
          </select>
        </label>
        <label>
          Scope
          <select value={draft.value.scope} onChange={(event) => set({ scope: event.currentTarget.value as Note['scope'] })}>
            {NOTE_SCOPES.map((scope) => (
              <option value={scope}>{scope}</option>
            ))}
          </select>
        </label>
        <label>
          Tags
          <input value={tagText.value} onInput={(event) => (tagText.value = event.currentTarget.value)} />
        </label>
        <label class="check">
          <input type="checkbox" checked={draft.value.pinned} onChange={(event) => set({ pinned: event.currentTarget.checked })} />
          Pinned
        </label>
      </div>
      <p class="buttons">
        <button type="submit" class="primary">
          {saveLabel} <kbd>Ctrl Enter</kbd>
        </button>
        <button type="button" onClick={onCancel}>
          Cancel <kbd>Esc</kbd>
        </button>
      </p>
    </form>
  )
}

const focused = new WeakSet<Element>()
function focusOnce(element: HTMLTextAreaElement | null): void {
  if (!element || focused.has(element)) return
  focused.add(element)
  element.focus()
}

/** The form for a new note: empty, or filled from an observation or from the note that it will supersede. */
export function NewNote() {
  const { from = '', supersedes = '', project: givenProject = '' } = currentRoute.value.query
  const source = useFetch('GET /api/observations/:id', from ? { id: from } : null)
  const older = useFetch('GET /api/notes/:id', supersedes ? { id: supersedes } : null)
  if (from && !source.value) return <LoadingOrError fetched={source} />
  if (supersedes && !older.value) return <LoadingOrError fetched={older} />
  const observation = source.value?.observation ?? null
  const project = older.value?.project ?? observation?.project ?? givenProject
  const save = async (written: NoteFormValues) => {
    const body = { ...written, ...(project ? { project } : {}), ...(supersedes ? { supersedes: [supersedes] } : {}) }
    const saved = await runAction(call('POST /api/notes', body), ({ kind }) =>
      kind === 'same' ? 'A note already says this. Here it is.' : supersedes ? 'Saved. It supersedes the older note.' : 'Note saved.',
    )
    if (saved) navigate(memoryHref('note', saved.note.id))
  }
  return (
    <>
      <PageHead title={supersedes ? 'Supersede a note' : 'New note'} isForWriting />
      <div class="scroll">
        <div class="column">
          <NoteForm
            note={older.value ?? (observation ? draftFromObservation(observation) : emptyDraft(project))}
            saveLabel="Save"
            onSave={(written) => void save(written)}
            onCancel={() => history.back()}
          />
        </div>
      </div>
    </>
  )
}

/** Earlier versions of a note, each as a diff to the version that followed. */
function History({ note }: { note: FullNote }) {
  const fetched = useFetch('GET /api/notes/:id/history', { id: note.id })
  if (!fetched.value || fetched.value.versions.length + fetched.value.older.length === 0) return null
  const steps = noteSteps(note, fetched.value)
  return (
    <section class="card panel">
      <h2>History</h2>
      {steps.map((step) => (
        <details>
          <summary>
            {step.id ? 'Superseded a note from ' : 'Until '}
            <TimeAgo at={step.at} />
            {step.before.title !== step.after.title && <span class="dim"> · title was “{step.before.title}”</span>}
          </summary>
          {step.id && (
            <p>
              <a href={memoryHref('note', step.id)}>{step.before.title}</a>
            </p>
          )}
          <pre class="diff">
            {diffLines(step.before.body, step.after.body).map((part) => (
              <span class={part.kind}>
                {part.kind === 'removed' ? '- ' : part.kind === 'added' ? '+ ' : '  '}
                {part.text}
                {'\n'}
              </span>
            ))}
          </pre>
        </details>
      ))}
    </section>
  )
}
