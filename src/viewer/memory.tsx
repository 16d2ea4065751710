import { commitMark } from '../core/commit.ts'
import type { Summary } from '../core/memory.ts'
import { type MemoryKind, parseMemoryId } from '../core/memory-kinds.ts'
import { EmptyState, FactList, LoadingOrError, PageHead, TimeAgo } from './components.tsx'
import { askToForgetMemory } from './forget.tsx'
import { Markdown, MarkdownLine } from './markdown-view.tsx'
import { MemoryFrame, SessionLink, Sources } from './memory-frame.tsx'
import { replacedMark, undoneMark } from './memory-marks.ts'
import { NewNote, NoteView } from './note.tsx'
import { OutcomeBox } from './outcome-box.tsx'
import { MissingMemory, RelatedMemories } from './related-memories.tsx'
import { hrefOf } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { restoreMemory } from './user-actions.ts'

/** One memory with its full text, origin and related memories, and buttons to change it. */
export function MemoryPage() {
  const { id } = currentRoute.value
  if (id === 'new') return <NewNote />
  if (!id)
    return (
      <>
        <PageHead title="Memory" />
        <EmptyState title="No memory selected.">{<a href="/feed">Choose one in the feed</a>}</EmptyState>
      </>
    )
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
  const makeNote = () => observation && !isForgotten && navigate(hrefOf('memory', 'new', { from: id }))
  useKeyBindings({ e: () => void makeNote() })
  if (!fetched.value) return <LoadingOrError fetched={fetched} />
  if (!observation) return <MissingMemory name={`Observation #${id}`} />
  const o = observation
  const { outcome } = fetched.value
  return (
    <MemoryFrame
      kind="observation"
      id={id}
      title={o.title}
      type={o.type}
      project={o.project}
      at={o.at}
      marks={[undoneMark(o.undoneBy), replacedMark(outcome)]}
      actions={
        isForgotten ? (
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
        )
      }
      aside={
        <>
          <section>
            <h2>Origin</h2>
            <FactList
              facts={[
                ['Turn', o.promptNumber],
                ['Written by', o.model === 'plain' ? 'rules' : o.model],
                ['Tool', o.tool],
                ['Size', `${o.tokens} tokens`],
              ]}
            />
          </section>
          {!isForgotten && <RelatedMemories kind="observation" id={id} />}
        </>
      }
    >
      {isForgotten && <p class="notice-box">Forgotten. It no longer appears in search or briefs. Its text is erased after a week.</p>}
      {o.subtitle && <p class="dim">{o.subtitle}</p>}
      {o.narrative && <Markdown text={o.narrative} />}
      {o.facts.length > 0 && (
        <section>
          <h2 class="sub">Facts</h2>
          <ul>
            {o.facts.map((fact) => (
              <li>
                <MarkdownLine text={fact} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <OutcomeBox outcome={outcome} />
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
      <Sources
        sources={[
          {
            text: (
              <>
                Distilled from turn {o.promptNumber} of <SessionLink session={o.sessionId} at={`observation:${o.id}`} />
              </>
            ),
            when: <TimeAgo at={o.at} />,
          },
          outcome?.replaced
            ? { text: <>Replaced {<a href={hrefOf('memory', outcome.replaced)}>{outcome.replaced}</a>}</>, when: '' }
            : null,
        ]}
      />
    </MemoryFrame>
  )
}

function ForgetButton({ kind, id }: { kind: MemoryKind; id: string }) {
  const ask = () => askToForgetMemory(kind, id)
  useKeyBindings({ x: ask })
  return (
    <button type="button" class="danger" onClick={ask}>
      Forget… <kbd>x</kbd>
    </button>
  )
}

function Files({ title, files, project }: { title: string; files: string[]; project: string }) {
  if (files.length === 0) return null
  return (
    <section>
      <h2 class="sub">{title}</h2>
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

/** A longer text is no title. */
const MAX_TITLE_CHARACTERS = 120

const SUMMARY_FIELDS: [keyof Summary, string][] = [
  ['request', 'Request'],
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
  const isLong = s.request.length > MAX_TITLE_CHARACTERS
  return (
    <MemoryFrame
      kind="summary"
      id={id}
      title={isLong ? (fetched.value.title ?? 'Summary') : s.request || 'Summary'}
      type="summary"
      marks={[undoneMark(s.undoneBy)]}
      project={s.project}
      at={s.at}
      actions={<ForgetButton kind="summary" id={id} />}
      aside={
        <>
          <section>
            <h2>Origin</h2>
            <FactList
              facts={[
                ['Turn', s.promptNumber],
                ['Written by', s.model === 'plain' ? 'rules' : s.model],
              ]}
            />
          </section>
          <RelatedMemories kind="summary" id={id} />
        </>
      }
    >
      {SUMMARY_FIELDS.map(([field, title]) =>
        s[field] && (field !== 'request' || isLong) ? (
          <section>
            <h2 class="sub">{title}</h2>
            <Markdown text={String(s[field])} />
          </section>
        ) : null,
      )}
      <OutcomeBox outcome={fetched.value.outcome} />
      <Sources
        sources={[
          {
            text: (
              <>
                Distilled from turn {s.promptNumber} of <SessionLink session={s.sessionId} at={`summary:${s.id}`} />
              </>
            ),
            when: <TimeAgo at={s.at} />,
          },
        ]}
      />
    </MemoryFrame>
  )
}

function CommitView({ id }: { id: string }) {
  const fetched = useFetch('GET /api/memory/:id', { id: `C${id}` })
  if (!fetched.value) return <LoadingOrError fetched={fetched} />
  const c = fetched.value.kind === 'commit' ? fetched.value.memory : null
  if (!c) return <MissingMemory name={`Commit C${id}`} />
  const mark = commitMark(c)
  return (
    <MemoryFrame
      kind="commit"
      id={String(c.id)}
      title={c.subject}
      type={c.type}
      project={c.project}
      at={c.at}
      marks={[mark ? { kind: 'undone', words: mark } : null]}
      actions={<ForgetButton kind="commit" id={String(c.id)} />}
      aside={
        <>
          <section>
            <h2>Origin</h2>
            <FactList
              facts={[
                ['Commit', <code>{c.hash.slice(0, 12)}</code>],
                ['Author', c.author],
              ]}
            />
          </section>
          <RelatedMemories kind="commit" id={String(c.id)} />
        </>
      }
    >
      {mark && <p class="notice-box">No longer in force: {mark}.</p>}
      {c.body && <pre class="verbatim">{c.body}</pre>}
      <Files title="Changed" files={c.files} project={c.project} />
    </MemoryFrame>
  )
}

function PromptView({ id }: { id: string }) {
  const fetched = useFetch('GET /api/memory/:id', { id: `P${id}` })
  if (!fetched.value) return <LoadingOrError fetched={fetched} />
  const p = fetched.value.kind === 'prompt' ? fetched.value.memory : null
  if (!p) return <MissingMemory name={`Prompt P${id}`} />
  const { outcome, title, project } = fetched.value
  const isShort = p.text.length <= MAX_TITLE_CHARACTERS && !p.text.includes('\n')
  return (
    <MemoryFrame
      kind="prompt"
      id={id}
      title={isShort ? p.text : (title ?? 'Prompt')}
      type="prompt"
      project={project ?? undefined}
      at={p.at}
      marks={[
        p.origin === 'person' ? null : { kind: 'kind', words: 'message from the client' },
        undoneMark(p.undoneBy),
        replacedMark(outcome),
      ]}
      actions={<ForgetButton kind="prompt" id={id} />}
      aside={
        <>
          <section>
            <h2>Origin</h2>
            <FactList
              facts={[
                ['Session', <SessionLink session={p.sessionId} at={`prompt:${p.id}`} />],
                ['Turn', p.number],
              ]}
            />
          </section>
          <RelatedMemories kind="prompt" id={id} />
        </>
      }
    >
      <OutcomeBox outcome={outcome} />
      {!isShort && (
        <section>
          <h2 class="sub">Prompt</h2>
          <pre class="verbatim">{p.text}</pre>
        </section>
      )}
      {p.answer && (
        <section>
          <h2 class="sub">Answer</h2>
          <Markdown text={p.answer} />
        </section>
      )}
    </MemoryFrame>
  )
}
