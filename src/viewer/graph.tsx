import type { GraphNeighbour } from '../wire/contract/graph.ts'
import { Dropdown, EmptyState, ErrorMessage, formatCount, LoadingOrError, PageHead } from './components.tsx'
import { projectOptions, projects } from './project-list.ts'
import { NeighbourList, relationLabel } from './related-memories.tsx'
import { placeOnRing } from './ring.ts'
import { hrefOf, memoryHref } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useFetch } from './use-fetch.ts'
import { filterValue } from './worker-requests.ts'

/** Everything related to a memory, a file or a concept. Without one of these in the address, the topics of a project. */
export function GraphPage() {
  const { id, query } = currentRoute.value
  return id ? (
    <NeighbourhoodView id={id} project={query.project ?? ''} />
  ) : (
    <Topics project={query.project ?? projects.value[0]?.project ?? ''} />
  )
}

function NeighbourhoodView({ id, project }: { id: string; project: string }) {
  const colon = id.indexOf(':')
  const [kind, name] = [id.slice(0, colon), id.slice(colon + 1)]
  const near = useFetch('GET /api/near', { kind, name, project: filterValue(project), limit: 18 })
  if (!near.value) {
    if (near.isMissing)
      return (
        <EmptyState title="This memory no longer exists.">
          <p>
            <a href="/graph">All topics</a>
          </p>
        </EmptyState>
      )
    return <LoadingOrError fetched={near} />
  }
  const { memory, items, entities } = near.value
  const title = memory ? memory.title : name
  return (
    <>
      <PageHead title="Graph">
        <span class="ellipsis">{memory ? <a href={memoryHref(memory.kind, memory.ref)}>{title}</a> : `${kind} ${name}`}</span>
        <span class="grow" />
        <a class="button" href={hrefOf('graph', '', { project })}>
          Topics
        </a>
      </PageHead>
      <div class="scroll page">
        <article>
          {items.length === 0 ? (
            <EmptyState title="No related memories yet.">
              <p>Links appear when more work touches the same files and names.</p>
            </EmptyState>
          ) : (
            <NeighbourhoodPicture title={title} items={items} />
          )}
        </article>
        <aside>
          <h2 class="sub">{formatCount(items.length, 'neighbour')}</h2>
          <NeighbourList items={items} />
          {memory && entities.length > 0 && (
            <>
              <h2 class="sub">Mentions</h2>
              <p class="chips">
                {entities.slice(0, 40).map((entity) => (
                  <a class="chip" href={hrefOf('graph', `${entity.kind}:${entity.name}`, { project: memory.project })}>
                    {entity.name}
                  </a>
                ))}
              </p>
            </>
          )}
        </aside>
      </div>
    </>
  )
}

/** The neighbours as a drawing. The list beside it has the same content for screen readers. */
function NeighbourhoodPicture({ title, items }: { title: string; items: GraphNeighbour[] }) {
  const isNarrow = matchMedia('(max-width: 700px)').matches
  const box = isNarrow ? { width: 400, height: 560 } : { width: 1000, height: 620 }
  const [x, y] = [box.width / 2, box.height / 2]
  const nodes = placeOnRing(items, box)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing is not a set of form fields
    <svg
      class="graph"
      viewBox={`0 0 ${box.width} ${box.height}`}
      role="group"
      aria-label={`${title} and ${formatCount(items.length, 'neighbour')}`}
    >
      {nodes.map((node) => (
        <line x1={x} y1={y} x2={node.x} y2={node.y} />
      ))}
      {nodes.map((node) => (
        <a href={hrefOf('graph', `${node.kind}:${node.ref}`)}>
          <title>
            {relationLabel(node.relation)}: {node.title}
          </title>
          <circle cx={node.x} cy={node.y} r={9} class={`k-${node.kind}`} />
          <text x={node.x} y={node.y + 24} text-anchor="middle">
            {truncate(node.title, isNarrow ? 14 : 26)}
          </text>
          <text x={(node.x + x) / 2} y={(node.y + y) / 2 - 4} text-anchor="middle" class="edge">
            {relationLabel(node.relation)}
          </text>
        </a>
      ))}
      <circle cx={x} cy={y} r={14} class="centre" />
      <text x={x} y={y + 34} text-anchor="middle" class="title">
        {truncate(title, isNarrow ? 24 : 40)}
      </text>
    </svg>
  )
}

const truncate = (text: string, maxChars: number) => (text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text)

function Topics({ project }: { project: string }) {
  const graph = useFetch('GET /api/graph', project ? { ask: 'topics', project, limit: 40 } : null)
  const topics = graph.value?.ask === 'topics' ? graph.value.items : null
  return (
    <>
      <PageHead title="Graph">
        <Dropdown
          label="Project"
          value={project}
          options={projectOptions().slice(1)}
          onChoose={(value) => navigate(hrefOf('graph', '', { project: value }), 'replace')}
        />
        <span class="dim">Recent topics of this project. Choose a memory or a name to see what is related to it.</span>
      </PageHead>
      <ErrorMessage text={graph.error} retry={graph.refetch} />
      {project === '' || topics?.length === 0 ? (
        <EmptyState title="No topics yet.">
          <p>Topics appear when several observations name the same files and symbols.</p>
        </EmptyState>
      ) : (
        <div class="scroll cards">
          {(topics ?? []).map((topic) => (
            <section class="card">
              <h2>{topic.name}</h2>
              <p class="dim">{formatCount(topic.observations, 'observation')}</p>
              <ul class="near">
                {topic.newest.map((memory) => (
                  <li>
                    <a href={hrefOf('graph', `${memory.kind}:${memory.ref}`)}>{memory.title}</a>
                  </li>
                ))}
              </ul>
              <p class="chips">
                {topic.entities.slice(0, 8).map((entity) => (
                  <a class="chip" href={hrefOf('graph', `${entity.kind}:${entity.name}`, { project })}>
                    {entity.name}
                  </a>
                ))}
              </p>
            </section>
          ))}
        </div>
      )}
    </>
  )
}
