import { useSignal } from '@preact/signals'
import type { Observation } from '../core/memory.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { NOTE_SCOPES, NOTE_TYPES, type Note } from '../core/note.ts'
import type { FullNote } from '../wire/contract/notes.ts'
import { FactList, LoadingOrError, nameOfProject, PageHead, Tag, TimeAgo } from './components.tsx'
import { diffLines } from './diff.ts'
import { askToForgetMemory } from './forget.tsx'
import { Markdown } from './markdown-view.tsx'
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
  const change = (patch: Partial<NoteFormValues>, text: string) => {
    if (!note) return
    const before = Object.fromEntries(Object.keys(patch).map((field) => [field, note[field as keyof NoteFormValues]]))
    const update = (fields: Partial<NoteFormValues>) => call('PATCH /api/notes/:id', { ...fields, id: note.id })
    void runAction(update(patch), text, () => update(before))
  }
  const pin = () => note && change({ pinned: !note.pinned }, note.pinned ? 'Unpinned.' : 'Pinned. Every brief will contain it.')
  useKeyBindings({
    e: () => {
      isEditing.value = true
    },
    x: () => note && !note.deletedAt && askToForgetMemory('note', note.id),
    p: () => void pin(),
  })
  if (!note) return fetched.isMissing ? <MissingMemory name={`Note ${id}`} /> : <LoadingOrError fetched={fetched} />
  const stopEditing = () => {
    isEditing.value = false
  }
  return (
    <>
      <PageHead title="Note">
        <Tag type={note.namespace} />
        {note.pinned && <span class="chip on">pinned</span>}
        <span class="grow" />
        <button type="button" onClick={() => void pin()}>
          {note.pinned ? 'Unpin' : 'Pin'} <kbd>p</kbd>
        </button>
        <button
          type="button"
          onClick={() => {
            isEditing.value = true
          }}
        >
          Edit <kbd>e</kbd>
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
            Forget <kbd>x</kbd>
          </button>
        )}
      </PageHead>
      <div class="scroll page">
        <article>
          {note.deletedAt && <p class="error">Forgotten. It no longer appears in search or briefs until you restore it.</p>}
          {note.supersededBy.length > 0 && (
            <p class="error">
              A newer note supersedes this one: <a href={memoryHref('note', note.supersededBy[0] ?? '')}>show it</a>
            </p>
          )}
          {isEditing.value ? (
            <NoteForm
              note={note}
              saveLabel="Save"
              onCancel={stopEditing}
              onSave={(draft) => {
                stopEditing()
                change(draft, 'Saved.')
              }}
            />
          ) : (
            <>
              <h2>{note.title}</h2>
              <Markdown text={note.body} />
              <p class="chips">
                {note.tags.map((tag) => (
                  <a class="chip" href={hrefOf('search', '', { q: `tag:${tag}` })}>
                    {tag}
                  </a>
                ))}
              </p>
            </>
          )}
          <History note={note} />
        </article>
        <aside>
          <FactList
            facts={[
              ['Scope', note.scope],
              [
                'Project',
                note.scope === 'project' ? <a href={hrefOf('feed', '', { project: note.project })}>{nameOfProject(note.project)}</a> : null,
              ],
              ['Type', note.type],
              ['Source', note.author === null ? note.source : `copied from ${note.author}`],
              ['Written by', note.model],
              ['Confidence', note.confidence],
              ['Machine', note.machine],
              ['Created', <TimeAgo at={note.createdAt} />],
              ['Changed', <TimeAgo at={note.updatedAt} />],
              ['Expires', note.expiresAt ? new Date(note.expiresAt).toLocaleString() : null],
              ['Address', <code>{note.urn}</code>],
              ['File', <code>{note.path}</code>],
            ]}
          />
          {!note.deletedAt && note.supersededBy.length === 0 && <RelatedMemories kind="note" id={note.id} />}
        </aside>
      </div>
    </>
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

type NoteFormValues = Pick<Note, 'title' | 'body' | 'namespace' | 'type' | 'scope' | 'tags' | 'pinned'>

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
  const set = (part: Partial<NoteFormValues>) => {
    draft.value = { ...draft.value, ...part }
  }
  useKeyBindings({ Escape: onCancel })
  return (
    <form
      class="note-form"
      onSubmit={(event) => {
        event.preventDefault()
        onSave(draft.value)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSave(draft.value)
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
          <input
            value={draft.value.tags.join(', ')}
            onChange={(event) => set({ tags: event.currentTarget.value.split(',').flatMap((tag) => tag.trim() || []) })}
          />
        </label>
        <label class="check">
          <input type="checkbox" checked={draft.value.pinned} onChange={(event) => set({ pinned: event.currentTarget.checked })} />
          Pinned
        </label>
      </div>
      <p>
        <button type="submit" class="primary">
          {saveLabel} <kbd>Ctrl Enter</kbd>
        </button>{' '}
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
      <PageHead title={supersedes ? 'Supersede a note' : 'New note'} />
      <div class="scroll page">
        <article>
          <NoteForm
            note={older.value ?? (observation ? draftFromObservation(observation) : emptyDraft(project))}
            saveLabel="Save"
            onSave={(written) => void save(written)}
            onCancel={() => history.back()}
          />
        </article>
      </div>
    </>
  )
}

const emptyDraft = (project: string): NoteFormValues => ({
  title: '',
  body: '',
  namespace: 'context',
  type: 'semantic',
  scope: project ? 'project' : 'global',
  tags: [],
  pinned: false,
})

const draftFromObservation = ({ title, narrative, facts, type, project }: Observation): NoteFormValues => ({
  ...emptyDraft(project),
  title,
  body: [narrative, ...facts.map((fact) => `- ${fact}`)].filter(Boolean).join('\n'),
  namespace: type === 'decision' ? 'decisions' : 'learnings',
})

/** Earlier versions of a note, each as a diff to the version that followed. */
function History({ note }: { note: FullNote }) {
  const fetched = useFetch('GET /api/notes/:id/history', { id: note.id })
  if (!fetched.value || fetched.value.versions.length + fetched.value.older.length === 0) return null
  const { versions, older } = fetched.value
  const steps = [
    ...versions.map((version, i) => ({ at: version.at, before: version, after: versions[i - 1] ?? note, id: '' })),
    ...older.map((superseded) => ({ at: superseded.at, before: superseded, after: versions.at(-1) ?? note, id: superseded.id })),
  ]
  return (
    <section>
      <h3>History</h3>
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
