import type { GraphNeighbour } from '../wire/contract/graph.ts'
import { describeCode, EmptyState, TimeAgo } from './components.tsx'
import { hrefOf, memoryHref } from './route.ts'
import { useFetch } from './use-fetch.ts'

/** What became of the code that a memory speaks of, and when it was last confirmed. */
function CodeState({ kind, id }: { kind: string; id: string }) {
  const letter = { observation: '', summary: 'S', prompt: 'P', note: 'N', commit: 'C' }[kind] ?? ''
  const { value } = useFetch('GET /api/memory/:id', { id: `${letter}${id}` })
  if (!value || (!value.code && !value.verified)) return null
  return (
    <section aria-label="Code">
      <h3>Code</h3>
      {value.code && <p class="code-mark">{describeCode(value.code)}</p>}
      {value.verified && (
        <p class="dim">
          Confirmed <TimeAgo at={value.verified.at} />
          {value.verified.commit && ` at commit ${value.verified.commit.slice(0, 8)}`}
        </p>
      )}
    </section>
  )
}

/** The memories related to one, below what became of its code. */
export function RelatedMemories({ kind, id }: { kind: string; id: string }) {
  const near = useFetch('GET /api/near', { kind, name: id, limit: 12 })
  if (!near.value) return null
  return (
    <>
      <CodeState kind={kind} id={id} />
      <section>
        <h3>
          Related <a href={hrefOf('graph', `${kind}:${id}`)}>show as a graph</a>
        </h3>
        {near.value.items.length === 0 && <p class="dim">No related memories yet.</p>}
        <NeighbourList items={near.value.items} />
      </section>
    </>
  )
}

/** The relation between two memories, in words. */
export const relationLabel = (relation: string) => relation.replaceAll('-', ' ')

export function NeighbourList({ items }: { items: GraphNeighbour[] }) {
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

/** Shown instead of a memory that does not exist. */
export function MissingMemory({ name }: { name: string }) {
  return (
    <EmptyState title={`${name} was not found.`}>
      <p>
        It may have been <a href="/forgotten">forgotten</a>, or replaced when its turn was distilled again.{' '}
        <a href="/search">Search for it</a>
      </p>
    </EmptyState>
  )
}
