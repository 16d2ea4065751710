import type { GraphNeighbour } from '../wire/contract/graph.ts'
import { EmptyState, PageHead, TimeAgo } from './components.tsx'
import { hrefOf, memoryHref } from './route.ts'
import { useFetch } from './use-fetch.ts'

/** The memories related to one. */
export function RelatedMemories({ kind, id }: { kind: string; id: string }) {
  const near = useFetch('GET /api/near', { kind, name: id, limit: 12 })
  if (!near.value) return null
  return (
    <section>
      <h2>
        Related <a href={hrefOf('graph', `${kind}:${id}`)}>show as a graph</a>
      </h2>
      {near.value.items.length === 0 && <p class="dim small">No related memories yet.</p>}
      <NeighbourList items={near.value.items} />
    </section>
  )
}

/** The relation between two memories, in words. */
export const relationLabel = (relation: string) => relation.replaceAll('-', ' ')

function NeighbourList({ items }: { items: GraphNeighbour[] }) {
  return (
    <ul class="bullets small">
      {items.map((item) => (
        <li class={`t-${item.type || item.kind}`}>
          <span>
            <a class="clamp" href={memoryHref(item.kind, item.ref)}>
              {item.title || item.kind}
            </a>
            <span class="dim">
              {relationLabel(item.relation)} · <TimeAgo at={item.at} />
            </span>
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Shown instead of a memory that does not exist. */
export function MissingMemory({ name }: { name: string }) {
  return (
    <>
      <PageHead title="Memory" />
      <EmptyState icon="missing" title={`${name} was not found.`}>
        <p>
          It may have been <a href="/forgotten">forgotten</a>, or replaced when its turn was distilled again.{' '}
          <a href="/search">Search for it</a>
        </p>
      </EmptyState>
    </>
  )
}
