import { commitMark } from '../core/commit.ts'
import type { Summary } from '../core/memory.ts'
import { type MemoryKind, parseMemoryId } from '../core/memory-kinds.ts'
import { EmptyState, FactList, LoadingOrError, nameOfProject, PageHead, Tag, TimeAgo } from './components.tsx'
import { askToForgetMemory } from './forget.tsx'
import { Markdown, MarkdownLine } from './markdown-view.tsx'
import { NewNote, NoteView } from './note.tsx'
import { OutcomeBox } from './outcome-box.tsx'
import { MissingMemory, RelatedMemories } from './related-memories.tsx'
import { hrefOf, memoryHref } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { restoreMemory } from './user-actions.ts'

/** One memory with its full text, origin and related memories, and buttons to change it. */
export function MemoryPage() {
  const { id } = currentRoute.value
  if (id === 'new') return <NewNote />
  if (!id) return <EmptyState title="No memory selected.">{<a href="/feed">Choose one in the feed</a>}</EmptyState>
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
    case 'commit':
      return <CommitView id={ref} />
  }
}

function ObservationView({ id }: { id: string }) {
  const fetched = useFetch('GET /api/observations/:id', { id })
  const observation = fetched.value?.observation ?? null
  const isForgotten = fetched.value?.forgottenAt != null
  const restore = () => void restoreMemory(`#${id}`, `#${id}`)
  const makeNote = () => observation && navigate(hrefOf('memory', 'new', { from: id }))
  useKeyBindings({ e: () => void makeNote() })
  if (!fetched.value) return <LoadingOrError fetched={fetched} />
  if (!observation) return <MissingMemory name={`Observation #${id}`} />
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
              Save as a note <kbd>e</kbd>
            </button>
            <ForgetButton kind="observation" id={id} />
          </>
        )}
      </PageHead>
      <div class="scroll page">
        <article>
          {isForgotten && <p class="error">Forgotten. It no longer appears in search or briefs. Its text is erased after a week.</p>}
          <UndoneNotice undoneBy={o.undoneBy} />
          <h2>{o.title}</h2>
          <OutcomeBox outcome={fetched.value.outcome} />
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
            facts={[
              ['Project', <a href={hrefOf('feed', '', { project: o.project })}>{nameOfProject(o.project)}</a>],
              ['Session', <a href={hrefOf('sessions', String(o.sessionId), { at: `observation:${o.id}` })}>replay</a>],
              ['Turn', o.promptNumber],
              ['When', <TimeAgo at={o.at} />],
              ['Written by', o.model],
              ['Tool', o.tool],
              ['Size', `${o.tokens} tokens`],
            ]}
          />
          {!isForgotten && <RelatedMemories kind="observation" id={id} />}
        </aside>
      </div>
    </>
  )
}

/** Says that the changes a memory speaks of were undone, with a link to what undid them. */
function UndoneNotice({ undoneBy }: { undoneBy: string | undefined }) {
  if (!undoneBy) return null
  const [kind, id] = [undoneBy.startsWith('C') ? 'commit' : 'prompt', undoneBy.slice(1)]
  return (
    <p class="error">
      No longer in force: undone by <a href={memoryHref(kind, id)}>{undoneBy}</a>.
    </p>
  )
}

function ForgetButton({ kind, id }: { kind: MemoryKind; id: string }) {
  const ask = () => askToForgetMemory(kind, id)
  useKeyBindings({ x: ask })
  return (
    <button type="button" class="danger" onClick={ask}>
      Forget <kbd>x</kbd>
    </button>
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
  ['investigated', 'Investigated'],
  ['learned', 'Learned'],
  ['completed', 'Completed'],
  ['nextSteps', 'Next steps'],
  ['notes', 'Notes'],
]

function SummaryView({ id }: { id: string }) {
  const fetched = useFetch('GET /api/memory/:id', { id: `S${id}` })
  if (!fetched.value) return <LoadingOrError fetched={fetched} />
  const s = fetched.value.kind === 'summary' ? fetched.value.memory : null
  if (!s) return <MissingMemory name={`Summary S${id}`} />
  return (
    <>
      <PageHead title={<span>S{s.id}</span>}>
        <Tag type="summary" />
        <span class="grow" />
        <ForgetButton kind="summary" id={id} />
      </PageHead>
      <div class="scroll page">
        <article>
          <UndoneNotice undoneBy={s.undoneBy} />
          <h2>{s.request || 'Summary'}</h2>
          <OutcomeBox outcome={fetched.value.outcome} />
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
            facts={[
              ['Project', <a href={hrefOf('feed', '', { project: s.project })}>{nameOfProject(s.project)}</a>],
              ['Session', <a href={hrefOf('sessions', String(s.sessionId), { at: `summary:${s.id}` })}>replay</a>],
              ['Turn', s.promptNumber],
              ['When', <TimeAgo at={s.at} />],
              ['Written by', s.model],
            ]}
          />
          <RelatedMemories kind="summary" id={id} />
        </aside>
      </div>
    </>
  )
}

function CommitView({ id }: { id: string }) {
  const fetched = useFetch('GET /api/memory/:id', { id: `C${id}` })
  if (!fetched.value) return <LoadingOrError fetched={fetched} />
  const c = fetched.value.kind === 'commit' ? fetched.value.memory : null
  if (!c) return <MissingMemory name={`Commit C${id}`} />
  const mark = commitMark(c)
  return (
    <>
      <PageHead title={<span>C{c.id}</span>}>
        <Tag type="commit" />
        <span class="grow" />
        <ForgetButton kind="commit" id={id} />
      </PageHead>
      <div class="scroll page">
        <article>
          {mark && <p class="error">No longer in force: {mark}.</p>}
          <h2>{c.subject}</h2>
          {c.body && <pre class="verbatim">{c.body}</pre>}
          <Files title="Changed" files={c.files} project={c.project} />
        </article>
        <aside>
          <FactList
            facts={[
              ['Project', <a href={hrefOf('feed', '', { project: c.project })}>{nameOfProject(c.project)}</a>],
              ['Commit', c.hash.slice(0, 12)],
              ['Author', c.author],
              ['When', <TimeAgo at={c.at} />],
              ['Type', c.type],
            ]}
          />
          <RelatedMemories kind="commit" id={String(c.id)} />
        </aside>
      </div>
    </>
  )
}

function PromptView({ id }: { id: string }) {
  const fetched = useFetch('GET /api/memory/:id', { id: `P${id}` })
  if (!fetched.value) return <LoadingOrError fetched={fetched} />
  const p = fetched.value.kind === 'prompt' ? fetched.value.memory : null
  if (!p) return <MissingMemory name={`Prompt P${id}`} />
  return (
    <>
      <PageHead title={<span>P{p.id}</span>}>
        <Tag type="prompt" />
        <span class="grow" />
        <ForgetButton kind="prompt" id={id} />
      </PageHead>
      <div class="scroll page">
        <article>
          <UndoneNotice undoneBy={p.undoneBy} />
          <h2>{p.origin === 'person' ? 'Prompt' : 'Message from the client'}</h2>
          <OutcomeBox outcome={fetched.value.outcome} />
          <pre class="verbatim">{p.text}</pre>
          {p.answer && (
            <section>
              <h3>Answer</h3>
              <Markdown text={p.answer} />
            </section>
          )}
        </article>
        <aside>
          <FactList
            facts={[
              ['Session', <a href={hrefOf('sessions', String(p.sessionId), { at: `prompt:${p.id}` })}>replay</a>],
              ['Turn', p.number],
              ['When', <TimeAgo at={p.at} />],
            ]}
          />
          <RelatedMemories kind="prompt" id={id} />
        </aside>
      </div>
    </>
  )
}
