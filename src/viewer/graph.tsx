import type { Near, Neighbourhood } from '../wire/view.ts'
import { queryString } from './ask.ts'
import { useAsked } from './asked.ts'
import { inWords, NearList } from './memory.tsx'
import { Choice, count, Empty, Head, Loading, Trouble } from './parts.tsx'
import { hrefOf, memoryHref } from './place.ts'
import { projectOptions, projects } from './projects-known.ts'
import { ring } from './ring.ts'
import { go, place } from './router.ts'

/** What lies around a memory, a file or a concept; without one, the topics of a project. */
export function GraphPage() {
  const { id, query } = place.value
  return id ? <Around id={id} project={query.project ?? ''} /> : <Topics project={query.project ?? projects.value[0]?.project ?? ''} />
}

function Around({ id, project }: { id: string; project: string }) {
  const colon = id.indexOf(':')
  const [kind, name] = [id.slice(0, colon), id.slice(colon + 1)]
  const asked = useAsked<Neighbourhood>(`/api/near?${queryString({ kind, name, project, limit: 18 })}`)
  if (!asked.value) {
    if (asked.trouble.includes('there is no'))
      return (
        <Empty title="It is not there any more.">
          <p>
            <a href="/graph">All topics</a>
          </p>
        </Empty>
      )
    return asked.trouble ? <Trouble text={asked.trouble} again={asked.again} /> : <Loading />
  }
  const { memory, items, entities } = asked.value
  const title = memory ? memory.title : name
  return (
    <>
      <Head title="Graph">
        <span class="ellipsis">{memory ? <a href={memoryHref(memory.kind, memory.ref)}>{title}</a> : `${kind} ${name}`}</span>
        <span class="grow" />
        <a class="button" href={hrefOf('graph', '', { project })}>
          Topics
        </a>
      </Head>
      <div class="scroll page">
        <article>
          {items.length === 0 ? (
            <Empty title="Nothing hangs on it yet.">
              <p>Ties come with more work on the same files and names.</p>
            </Empty>
          ) : (
            <Picture title={title} items={items} />
          )}
        </article>
        <aside>
          <h2 class="sub">{count(items.length, 'neighbour')}</h2>
          <NearList items={items} />
          {memory && entities.length > 0 && (
            <>
              <h2 class="sub">It names</h2>
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

/** The same as a picture; whoever cannot see it has the list beside it. */
function Picture({ title, items }: { title: string; items: Near[] }) {
  const isNarrow = matchMedia('(max-width: 700px)').matches
  const box = isNarrow ? { width: 400, height: 560 } : { width: 1000, height: 620 }
  const [x, y] = [box.width / 2, box.height / 2]
  const nodes = ring(items, box)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing is no set of form fields
    <svg
      class="graph"
      viewBox={`0 0 ${box.width} ${box.height}`}
      role="group"
      aria-label={`${title} and ${count(items.length, 'neighbour')}`}
    >
      {nodes.map((node) => (
        <line x1={x} y1={y} x2={node.x} y2={node.y} />
      ))}
      {nodes.map((node) => (
        <a href={hrefOf('graph', `${node.kind}:${node.ref}`)}>
          <title>
            {inWords(node.relation)}: {node.title}
          </title>
          <circle cx={node.x} cy={node.y} r={9} class={`k-${node.kind}`} />
          <text x={node.x} y={node.y + 24} text-anchor="middle">
            {short(node.title, isNarrow ? 14 : 26)}
          </text>
          <text x={(node.x + x) / 2} y={(node.y + y) / 2 - 4} text-anchor="middle" class="edge">
            {inWords(node.relation)}
          </text>
        </a>
      ))}
      <circle cx={x} cy={y} r={14} class="centre" />
      <text x={x} y={y + 34} text-anchor="middle" class="title">
        {short(title, isNarrow ? 24 : 40)}
      </text>
    </svg>
  )
}

const short = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

type Topic = {
  name: string
  observations: number
  entities: { kind: string; name: string }[]
  newest: { kind: string; ref: string; title: string }[]
}

function Topics({ project }: { project: string }) {
  const asked = useAsked<{ items: Topic[] }>(project ? `/api/graph?${queryString({ ask: 'topics', project, limit: 40 })}` : null)
  return (
    <>
      <Head title="Graph">
        <Choice
          label="Project"
          value={project}
          options={projectOptions().slice(1)}
          onChoose={(value) => go(hrefOf('graph', '', { project: value }), 'replace')}
        />
        <span class="dim">What this project is about lately. Choose something to see what lies around it.</span>
      </Head>
      <Trouble text={asked.trouble} again={asked.again} />
      {project === '' || asked.value?.items.length === 0 ? (
        <Empty title="No topics yet.">
          <p>They come with a few observations that name the same files and symbols.</p>
        </Empty>
      ) : (
        <div class="scroll cards">
          {(asked.value?.items ?? []).map((topic) => (
            <section class="card">
              <h2>{topic.name}</h2>
              <p class="dim">{count(topic.observations, 'observation')}</p>
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
