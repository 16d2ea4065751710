import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Kind, memoryId } from '../core/kinds.ts'
import type { Chosen as ChosenItem, Memory, Told } from '../wire/view.ts'
import { queryString, send } from './ask.ts'
import { useAsked } from './asked.ts'
import { hear } from './live.ts'
import { Choice, count, Empty, Head, Loading, nameOf, Trouble, When } from './parts.tsx'
import { hrefOf, memoryHref } from './place.ts'
import { projectOptions, projects } from './projects-known.ts'
import { go, place } from './router.ts'

/** What went into the model, word for word, and why; and what would go in next. */
export function InjectionsPage() {
  const { id, query } = place.value
  return (
    <>
      <Head title="Injections">
        <nav class="chips" aria-label="Injections">
          <a class="chip" aria-current={id === 'next' ? undefined : 'page'} href="/injections">
            what was told
          </a>
          <a class="chip" aria-current={id === 'next' ? 'page' : undefined} href="/injections/next">
            the next brief
          </a>
        </nav>
        {query.session && (
          <span class="dim">
            of <a href={hrefOf('sessions', query.session)}>session {query.session}</a> · <a href="/injections">all sessions</a>
          </span>
        )}
      </Head>
      {id === 'next' ? <NextBrief /> : <Past id={id} session={query.session ?? ''} />}
    </>
  )
}

function Past({ id, session }: { id: string; session: string }) {
  const asked = useAsked<Told[]>(`/api/injections?${queryString({ session, limit: 200 })}`)
  useEffect(() => hear((event) => event.type === 'prompt-added' && asked.again()), [session])
  if (!asked.value) return asked.trouble ? <Trouble text={asked.trouble} again={asked.again} /> : <Loading />
  const all = asked.value
  if (all.length === 0)
    return (
      <Empty title="Nothing has been told to a model yet.">
        <p>
          The next session in a project with memories starts with a brief. <a href="/injections/next">See what it would say</a>
        </p>
      </Empty>
    )
  const shown = all.find((told) => String(told.id) === id) ?? (all[0] as Told)
  return (
    <div class="split">
      <ul class="scroll picks" aria-label="Briefs">
        {all.map((told) => (
          <li>
            <a
              class="row pick"
              aria-current={told === shown ? 'true' : undefined}
              href={hrefOf('injections', String(told.id), { session })}
            >
              <span class="what">
                <b>{told.event}</b>
                <span class="snip">
                  {nameOf(told.project)} · {count(told.items.filter(isMemory).length, 'memory', 'memories')}
                </span>
              </span>
              <span class="dim">{told.tokens}t</span>
              <When at={told.at} />
            </a>
          </li>
        ))}
      </ul>
      <section class="scroll detail" aria-label="What was told">
        <h2>{shown.event}</h2>
        <p class="dim">
          <When at={shown.at} /> · {nameOf(shown.project)} · {count(shown.tokens, 'token')}
          {shown.sessionId !== null && (
            <>
              {' · '}
              <a href={hrefOf('sessions', String(shown.sessionId), { at: `told:${shown.id}` })}>in its session</a>
            </>
          )}
        </p>
        <pre class="said">{shown.text}</pre>
        <Chosen items={shown.items} left={shown.left} />
      </section>
    </div>
  )
}

type Brief = { project: string; text: string; tokens: number; items: Told['items']; leftOut: number; left: Told['left'] }
const MOST_TOKENS = 2000

/** The brief that the next session would be given, under a budget that one may try. */
function NextBrief() {
  const { project = projects.value[0]?.project ?? '', tokens = String(MOST_TOKENS) } = place.value.query
  const path = project ? `/api/context/inject?${queryString({ project, tokens, format: 'json' })}` : null
  const asked = useAsked<Brief>(path)
  const last = useSignal<Brief | null>(null)
  if (asked.value && last.value !== asked.value) last.value = asked.value
  const choose = (part: Record<string, string>) => go(hrefOf('injections', 'next', { project, tokens, ...part }), 'replace')
  if (projects.value.length === 0) return <Empty title="No project yet.">{<p>A brief needs memories to choose from.</p>}</Empty>
  const brief = asked.value ?? last.value
  return (
    <>
      <div class="scrubber">
        <Choice label="Project" value={project} options={projectOptions().slice(1)} onChoose={(value) => choose({ project: value })} />
        <label class="budget">
          <span>Budget</span>
          <input
            type="range"
            min={0}
            max={MOST_TOKENS}
            step={50}
            value={tokens}
            onInput={(event) => choose({ tokens: event.currentTarget.value })}
          />
        </label>
        <span class="mono dim">
          {brief?.tokens ?? 0} of {tokens} tokens
        </span>
      </div>
      <Trouble text={asked.trouble} again={asked.again} />
      {brief && (
        <div class="scroll detail">
          {brief.text ? (
            <pre class="said">{brief.text}</pre>
          ) : (
            <Empty title="Nothing would be said.">
              <p>The budget has no room for anything, or nothing is known of the project.</p>
            </Empty>
          )}
          <Chosen items={brief.items} left={brief.left} />
        </div>
      )}
    </>
  )
}

/** Why each line is there, and what there was no room for. */
function Chosen({ items, left }: { items: Told['items']; left: Told['left'] }) {
  const titles = useTitles([...items, ...left].filter(isMemory))
  return (
    <>
      <h2 class="sub">Why these</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Why</th>
            <th scope="col" class="num">
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr>
              <td>
                <Named item={item} titles={titles} />
              </td>
              <td>{item.why}</td>
              <td class="num">{item.tokens}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={2}>
              Together
            </th>
            <td class="num">{items.reduce((sum, { tokens }) => sum + tokens, 0)}</td>
          </tr>
        </tfoot>
      </table>
      {left.length > 0 && (
        <details>
          <summary>Left out: {left.length}</summary>
          <ul class="near">
            {left.map((item) => (
              <li>
                <Named item={item} titles={titles} /> <span class="dim">{item.why}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** A memory by its title, to be opened; a line that is gathered from many by its name. */
function Named({ item, titles }: { item: ChosenItem; titles: Record<string, string> }) {
  if (!isMemory(item)) return <>line: {item.id}</>
  return <a href={memoryHref(item.kind, item.id)}>{titles[`${item.kind}:${item.id}`] ?? `${item.kind} ${item.id}`}</a>
}

const isMemory = <T extends ChosenItem>(item: T): item is T & { kind: Kind } => item.kind !== 'line'

/** What memories are called, by their kind and id. */
function useTitles(of: { kind: Kind; id: number | string }[]): Record<string, string> {
  const titles = useSignal<Record<string, string>>({})
  const missing = of.filter(({ kind, id }) => !(`${kind}:${id}` in titles.value)).slice(0, 200)
  const key = missing.map(({ kind, id }) => `${kind}:${id}`).join(' ')
  useEffect(() => {
    if (missing.length === 0) return
    void send<Memory[]>('POST', '/api/memories/batch', { ids: missing.map(({ kind, id }) => memoryId(kind, id)) }).then((asked) => {
      if (asked.kind !== 'answered') return
      const called = new Map(asked.value.map((one) => [one.id, titleOf(one)]))
      const found = missing.map(({ kind, id }) => [`${kind}:${id}`, called.get(memoryId(kind, id))])
      titles.value = { ...titles.value, ...Object.fromEntries(found) }
    })
  }, [key])
  return titles.value
}

function titleOf(one: Memory): string {
  if (!one.memory) return `${one.kind} ${one.id} (gone)`
  switch (one.kind) {
    case 'summary':
      return `Summary: ${one.title ?? one.memory.request}`
    case 'prompt':
      return one.title ?? one.memory.text.slice(0, 120)
    default:
      return one.memory.title
  }
}
