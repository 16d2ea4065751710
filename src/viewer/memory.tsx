import { useSignal } from '@preact/signals'
import type { Observation, Prompt, Summary } from '../core/memory.ts'
import { parseMemoryId } from '../core/memory-kinds.ts'
import { NOTE_SCOPES, NOTE_TYPES, type Note } from '../core/note.ts'
import type { Neighbourhood, NeighbourhoodItem, NoteVersions } from '../wire/view.ts'
import { EmptyState, ErrorMessage, FactList, Loading, nameOfProject, PageHead, Tag, TimeAgo } from './components.tsx'
import { diffLines } from './diff.ts'
import { Markdown, MarkdownLine } from './markdown-view.tsx'
import { hrefOf, memoryHref } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { forgetNote, forgetObservation, runAction } from './user-actions.ts'
import { queryString, send } from './worker-requests.ts'

/** One memory in full: what it says, where it came from, what hangs on it, and what one may do with it. */
export function MemoryPage() {
  const { id } = currentRoute.value
  if (id === 'new') return <NewNote />
  if (!id) return <EmptyState title="Which memory?">{<a href="/feed">Choose one in the feed</a>}</EmptyState>
  const { kind, ref } = parseMemoryId(id) ?? { kind: 'note', ref: id }
  switch (kind) {
    case 'summary':
      return <SummaryView id={ref} />
    case 'prompt':
      return <PromptView id={ref} />
    case 'observation':
      return <ObservationView id={ref} />
    case 'note':
      return <NoteView id={ref} />
  }
}

function ObservationView({ id }: { id: string }) {
  const asked = useFetch<{ observation: Observation | null; forgottenAt: number | null }>(`/api/observations/${id}`)
  const observation = asked.value?.observation ?? null
  const isForgotten = asked.value?.forgottenAt != null
  const forget = () => void forgetObservation(id)
  const restore = () => void runAction(send('POST', `/api/observations/${id}/restore`), `Brought #${id} back.`)
  const makeNote = () => observation && navigate(hrefOf('memory', 'new', { from: id }))
  useKeyBindings({ ...(isForgotten ? {} : { x: forget }), e: () => void makeNote() })
  if (!asked.value) return <LoadingOrError trouble={asked.error} again={asked.refetch} />
  if (!observation) return <MissingMemory what={`observation ${id}`} />
  const o = observation
  return (
    <>
      <PageHead title={<span>#{o.id}</span>}>
        <Tag type={o.type} />
        <span class="grow" />
        {isForgotten ? (
          <button type="button" onClick={restore}>
            Restore
          </button>
        ) : (
          <>
            <button type="button" onClick={makeNote}>
              Keep as a note <kbd>e</kbd>
            </button>
            <button type="button" class="danger" onClick={forget}>
              Forget <kbd>x</kbd>
            </button>
          </>
        )}
      </PageHead>
      <div class="scroll page">
        <article>
          {isForgotten && <p class="trouble">Forgotten. It is shown to nobody; its text is erased a week after it was forgotten.</p>}
          <h2>{o.title}</h2>
          {o.subtitle && <p class="dim">{o.subtitle}</p>}
          {o.narrative && <Markdown text={o.narrative} />}
          {o.facts.length > 0 && (
            <section>
              <h3>Facts</h3>
              <ul>
                {o.facts.map((fact) => (
                  <li>
                    <MarkdownLine text={fact} />
                  </li>
                ))}
              </ul>
            </section>
          )}
          <Files title="Changed" files={o.filesModified} project={o.project} />
          <Files title="Read" files={o.filesRead} project={o.project} />
          {o.concepts.length > 0 && (
            <p class="chips">
              {o.concepts.map((concept) => (
                <a class="chip" href={hrefOf('graph', `concept:${concept}`, { project: o.project })}>
                  {concept}
                </a>
              ))}
            </p>
          )}
        </article>
        <aside>
          <FactList
            of={[
              ['Project', <a href={hrefOf('feed', '', { project: o.project })}>{nameOfProject(o.project)}</a>],
              ['Session', <a href={hrefOf('sessions', String(o.sessionId), { at: `observation:${o.id}` })}>replay</a>],
              ['Turn', o.promptNumber],
              ['When', <TimeAgo at={o.at} />],
              ['Written by', o.model],
              ['Tool', o.tool],
              ['Costs', `${o.tokens} tokens`],
            ]}
          />
          {!isForgotten && <Links kind="observation" id={id} />}
        </aside>
      </div>
    </>
  )
}

function Files({ title, files, project }: { title: string; files: string[]; project: string }) {
  if (files.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <ul class="files">
        {files.map((file) => (
          <li>
            <a href={hrefOf('graph', `file:${file}`, { project })}>{file}</a>
          </li>
        ))}
      </ul>
    </section>
  )
}

const SUMMARY_FIELDS: [keyof Summary, string][] = [
  ['investigated', 'Looked at'],
  ['learned', 'Learned'],
  ['completed', 'Done'],
  ['nextSteps', 'Next'],
  ['notes', 'Notes'],
]

function useMemory<T>(id: string) {
  return useFetch<{ memory: T | null }>(`/api/memory/${id}`)
}

function SummaryView({ id }: { id: string }) {
  const asked = useMemory<Summary>(`S${id}`)
  if (!asked.value) return <LoadingOrError trouble={asked.error} again={asked.refetch} />
  const s = asked.value.memory
  if (!s) return <MissingMemory what={`summary S${id}`} />
  return (
    <>
      <PageHead title={<span>S{s.id}</span>}>
        <Tag type="summary" />
      </PageHead>
      <div class="scroll page">
        <article>
          <h2>{s.request || 'Summary'}</h2>
          {SUMMARY_FIELDS.map(([field, title]) =>
            s[field] ? (
              <section>
                <h3>{title}</h3>
                <Markdown text={String(s[field])} />
              </section>
            ) : null,
          )}
        </article>
        <aside>
          <FactList
            of={[
              ['Project', <a href={hrefOf('feed', '', { project: s.project })}>{nameOfProject(s.project)}</a>],
              ['Session', <a href={hrefOf('sessions', String(s.sessionId), { at: `summary:${s.id}` })}>replay</a>],
              ['Turn', s.promptNumber],
              ['When', <TimeAgo at={s.at} />],
              ['Written by', s.model],
            ]}
          />
          <Links kind="summary" id={id} />
        </aside>
      </div>
    </>
  )
}

function PromptView({ id }: { id: string }) {
  const asked = useMemory<Prompt>(`P${id}`)
  if (!asked.value) return <LoadingOrError trouble={asked.error} again={asked.refetch} />
  const p = asked.value.memory
  if (!p) return <MissingMemory what={`prompt P${id}`} />
  return (
    <>
      <PageHead title={<span>P{p.id}</span>}>
        <Tag type="prompt" />
      </PageHead>
      <div class="scroll page">
        <article>
          <h2>{p.origin === 'person' ? 'Asked' : 'The client said'}</h2>
          <pre class="said">{p.text}</pre>
          {p.answer && (
            <section>
              <h3>Answered</h3>
              <Markdown text={p.answer} />
            </section>
          )}
        </article>
        <aside>
          <FactList
            of={[
              ['Session', <a href={hrefOf('sessions', String(p.sessionId), { at: `prompt:${p.id}` })}>replay</a>],
              ['Turn', p.number],
              ['When', <TimeAgo at={p.at} />],
            ]}
          />
          <Links kind="prompt" id={id} />
        </aside>
      </div>
    </>
  )
}

type NoteDetails = Note & { urn: string; supersededBy: string[] }

function NoteView({ id }: { id: string }) {
  const asked = useFetch<NoteDetails>(`/api/notes/${encodeURIComponent(id)}`)
  const isEditing = useSignal(false)
  const note = asked.value
  const change = (patch: Partial<Note>, text: string) => {
    if (!note) return
    const before = Object.fromEntries(Object.keys(patch).map((field) => [field, note[field as keyof Note]]))
    void runAction(send('PATCH', `/api/notes/${note.id}`, patch), text, () => send('PATCH', `/api/notes/${note.id}`, before))
  }
  const pin = () => note && change({ pinned: !note.pinned }, note.pinned ? 'Unpinned.' : 'Pinned: it is in every brief.')
  useKeyBindings({
    e: () => {
      isEditing.value = true
    },
    x: () => note && !note.deletedAt && void forgetNote(note.id),
    p: () => void pin(),
  })
  if (!note)
    return asked.error && !asked.error.includes('there is no') ? (
      <LoadingOrError trouble={asked.error} again={asked.refetch} />
    ) : asked.error ? (
      <MissingMemory what={`note ${id}`} />
    ) : (
      <Loading />
    )
  const editing = () => {
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
          <button type="button" onClick={() => void runAction(send('POST', `/api/notes/${note.id}/restore`), 'Brought the note back.')}>
            Restore
          </button>
        ) : (
          <button type="button" class="danger" onClick={() => void forgetNote(note.id)}>
            Forget <kbd>x</kbd>
          </button>
        )}
      </PageHead>
      <div class="scroll page">
        <article>
          {note.deletedAt && <p class="trouble">Forgotten. It is shown to nobody until it is restored.</p>}
          {note.supersededBy.length > 0 && (
            <p class="trouble">
              A newer note took its place: <a href={memoryHref('note', note.supersededBy[0] ?? '')}>show it</a>
            </p>
          )}
          {isEditing.value ? (
            <NoteForm
              note={note}
              save="Save"
              onCancel={editing}
              onSave={(draft) => {
                editing()
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
            of={[
              ['Scope', note.scope],
              [
                'Project',
                note.scope === 'project' ? <a href={hrefOf('feed', '', { project: note.project })}>{nameOfProject(note.project)}</a> : null,
              ],
              ['Type', note.type],
              ['Came from', note.source],
              ['Written by', note.model],
              ['Confidence', note.confidence],
              ['Machine', note.machine],
              ['Made', <TimeAgo at={note.createdAt} />],
              ['Changed', <TimeAgo at={note.updatedAt} />],
              ['Hidden after', note.expiresAt ? new Date(note.expiresAt).toLocaleString() : null],
              ['Address', <code>{note.urn}</code>],
              ['File', <code>{note.path}</code>],
            ]}
          />
          {!note.deletedAt && note.supersededBy.length === 0 && <Links kind="note" id={note.id} />}
        </aside>
      </div>
    </>
  )
}

/** Namespaces that are offered; any other word of the same shape may be used. */
const NAMESPACES = ['decisions', 'learnings', 'blockers', 'progress', 'patterns', 'context', 'apis', 'config', 'security', 'testing']

type NoteFormValues = Pick<Note, 'title' | 'body' | 'namespace' | 'type' | 'scope' | 'tags' | 'pinned'>

function NoteForm({
  note,
  save,
  onSave,
  onCancel,
}: {
  note: NoteFormValues
  save: string
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
        Text, in markdown
        <textarea ref={focusOnce} rows={12} value={draft.value.body} onInput={(event) => set({ body: event.currentTarget.value })} />
      </label>
      <div class="fields">
        <label>
          Namespace
          <input list="namespaces" value={draft.value.namespace} onInput={(event) => set({ namespace: event.currentTarget.value })} />
        </label>
        <datalist id="namespaces">
          {NAMESPACES.map((name) => (
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
          {save} <kbd>Ctrl Enter</kbd>
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

/** A note from nothing, from an observation, or in the place of an older note. */
function NewNote() {
  const { from = '', supersedes = '', project: wanted = '' } = currentRoute.value.query
  const source = useFetch<{ observation: Observation | null }>(from ? `/api/observations/${from}` : null)
  const older = useFetch<NoteDetails>(supersedes ? `/api/notes/${supersedes}` : null)
  if ((from && !source.value) || (supersedes && !older.value))
    return <LoadingOrError trouble={source.error || older.error} again={source.refetch} />
  const o = source.value?.observation
  const project = older.value?.project ?? o?.project ?? wanted
  const draft: NoteFormValues = {
    title: older.value?.title ?? o?.title ?? '',
    body: older.value?.body ?? (o ? [o.narrative, ...o.facts.map((fact) => `- ${fact}`)].filter(Boolean).join('\n') : ''),
    namespace: older.value?.namespace ?? (o?.type === 'decision' ? 'decisions' : o ? 'learnings' : 'context'),
    type: older.value?.type ?? 'semantic',
    scope: older.value?.scope ?? (project ? 'project' : 'global'),
    tags: older.value?.tags ?? [],
    pinned: older.value?.pinned ?? false,
  }
  const keep = async (written: NoteFormValues) => {
    const body = { ...written, ...(project ? { project } : {}), ...(supersedes ? { supersedes: [supersedes] } : {}) }
    const kept = await runAction(send<{ kind: string; note: Note }>('POST', '/api/notes', body), (made) =>
      made.kind === 'same' ? 'A note says this already; here it is.' : supersedes ? 'The newer note is in its place.' : 'Kept as a note.',
    )
    if (kept) navigate(memoryHref('note', kept.note.id))
  }
  return (
    <>
      <PageHead title={supersedes ? 'Supersede a note' : 'New note'} />
      <div class="scroll page">
        <article>
          <NoteForm note={draft} save="Keep" onSave={(written) => void keep(written)} onCancel={() => history.back()} />
        </article>
      </div>
    </>
  )
}

/** What a note said before, each version beside the one that followed. */
function History({ note }: { note: NoteDetails }) {
  const asked = useFetch<NoteVersions>(`/api/notes/${note.id}/history`)
  if (!asked.value || asked.value.versions.length + asked.value.older.length === 0) return null
  const { versions, older } = asked.value
  const steps = [
    ...versions.map((version, i) => ({ at: version.at, before: version, after: versions[i - 1] ?? note, id: '' })),
    ...older.map((one) => ({ at: one.at, before: one, after: versions.at(-1) ?? note, id: one.id })),
  ]
  return (
    <section>
      <h3>History</h3>
      {steps.map((step) => (
        <details>
          <summary>
            {step.id ? 'Superseded a note of ' : 'Until '}
            <TimeAgo at={step.at} />
            {step.before.title !== step.after.title && <span class="dim"> · was called “{step.before.title}”</span>}
          </summary>
          {step.id && (
            <p>
              <a href={memoryHref('note', step.id)}>{step.before.title}</a>
            </p>
          )}
          <pre class="diff">
            {diffLines(step.before.body, step.after.body).map((part) => (
              <span class={part.kind}>
                {part.kind === 'gone' ? '- ' : part.kind === 'new' ? '+ ' : '  '}
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

/** What hangs on a memory. */
function Links({ kind, id }: { kind: string; id: string }) {
  const asked = useFetch<Neighbourhood>(`/api/near?${queryString({ kind, name: id, limit: 12 })}`)
  if (!asked.value) return null
  return (
    <section>
      <h3>
        Around it <a href={hrefOf('graph', `${kind}:${id}`)}>as a graph</a>
      </h3>
      {asked.value.items.length === 0 && <p class="dim">Nothing hangs on it yet.</p>}
      <NeighbourList items={asked.value.items} />
    </section>
  )
}

/** How one memory hangs on another, as a person reads it. */
export const relationLabel = (relation: string) => relation.replaceAll('-', ' ')

export function NeighbourList({ items }: { items: NeighbourhoodItem[] }) {
  return (
    <ul class="near">
      {items.map((item) => (
        <li>
          <span class="dim">{relationLabel(item.relation)}</span> <a href={memoryHref(item.kind, item.ref)}>{item.title || item.kind}</a>{' '}
          <span class="dim">
            <TimeAgo at={item.at} />
          </span>
        </li>
      ))}
    </ul>
  )
}

function LoadingOrError({ trouble, again }: { trouble: string; again: () => void }) {
  return trouble ? <ErrorMessage text={trouble} again={again} /> : <Loading />
}

function MissingMemory({ what }: { what: string }) {
  return (
    <EmptyState title={`There is no ${what}.`}>
      <p>
        It may have been forgotten for good, or the turn it came from was told anew. <a href="/search">Search for it</a>
      </p>
    </EmptyState>
  )
}
