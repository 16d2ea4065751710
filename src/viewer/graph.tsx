import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { GraphMemory, GraphNeighbour, GraphTopic } from '../wire/contract/graph.ts'
import { Dropdown, EmptyState, ErrorMessage, LoadingOrError, PageHead, Tag, TextWithCode, TimeAgo } from './components.tsx'
import { connectorPath } from './connectors.ts'
import { formatCount, formatDay } from './formats.ts'
import { groupBySession } from './hit-reasons.ts'
import { Icon } from './icons.tsx'
import { firstProject, projectOptions } from './project-list.ts'
import { relationLabel } from './related-memories.tsx'
import { hrefOf, memoryHref } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useSessionLabels } from './session-labels.ts'
import { useFetch } from './use-fetch.ts'
import { filterValue } from './worker-requests.ts'

/** Everything related to a memory, a file or a concept. Without one of these in the address, the topics of a project to start from. */
export function GraphPage() {
  const { id, query } = currentRoute.value
  return id ? <NeighbourhoodView id={id} project={query.project ?? ''} /> : <Topics project={query.project ?? firstProject()} />
}

function NeighbourhoodView({ id, project }: { id: string; project: string }) {
  const colon = id.indexOf(':')
  const [kind, name] = [id.slice(0, colon), id.slice(colon + 1)]
  const near = useFetch('GET /api/near', { kind, name, project: filterValue(project), limit: 18 })
  if (!near.value) {
    if (near.isMissing)
      return (
        <>
          <PageHead title="Graph" />
          <EmptyState icon="missing" title="This memory no longer exists.">
            <p>
              <a href="/graph">All topics</a>
            </p>
          </EmptyState>
        </>
      )
    return <LoadingOrError fetched={near} />
  }
  const { memory, items, entities } = near.value
  return (
    <>
      <PageHead title="Graph">
        <a class="button" href={hrefOf('graph', '', { project: project || memory?.project })}>
          <Icon name="left" /> Topics
        </a>
        <span class="dim small">{formatCount(items.length, 'neighbour')}</span>
      </PageHead>
      <div class="scroll detail">
        <NeighbourhoodPicture
          items={items}
          centre={
            memory ? (
              <>
                <Tag type={memory.type || memory.kind} />
                <h2>
                  <a href={memoryHref(memory.kind, memory.ref)}>
                    <TextWithCode text={memory.title} />
                  </a>
                </h2>
                <p class="dim small">
                  <TimeAgo at={memory.at} />
                </p>
              </>
            ) : (
              <>
                <Tag type={kind} />
                <h2>{name}</h2>
              </>
            )
          }
        />
        {items.length === 0 && (
          <EmptyState icon="graph" isInline title="No related memories yet.">
            <p>Links appear when more work touches the same files and names.</p>
          </EmptyState>
        )}
        {memory && entities.length > 0 && (
          <section class="card panel">
            <h2>It mentions</h2>
            <p class="chips">
              {entities.slice(0, 40).map((entity) => (
                <a class="chip" href={hrefOf('graph', `${entity.kind}:${entity.name}`, { project: memory.project })}>
                  {entity.name}
                </a>
              ))}
            </p>
          </section>
        )}
      </div>
    </>
  )
}

/** Causes on the left, the memory in the middle, effects on the right, each by session; lines show what belongs to what. */
function NeighbourhoodPicture({ items, centre }: { items: GraphNeighbour[]; centre: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null)
  const paths = useSignal<string[]>([])
  const labelOf = useSessionLabels(items.map(({ sessionId }) => sessionId))
  const causes = items.filter(({ side }) => side === 'before')
  const effects = items.filter(({ side }) => side !== 'before')
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const draw = () => {
      const frame = element.getBoundingClientRect()
      const middle = element.querySelector('.centre')?.getBoundingClientRect()
      if (!middle) return
      const boxes = [...element.querySelectorAll('.node')].map((node) => node.getBoundingClientRect())
      paths.value = boxes.map((node) => connectorPath(node, middle, frame))
    }
    draw()
    const resizes = new ResizeObserver(draw)
    resizes.observe(element)
    return () => resizes.disconnect()
  }, [items, labelOf(items[0]?.sessionId ?? null)])
  const renderSide = (title: string, side: GraphNeighbour[], look: string) => (
    <div class={`side-of ${look}`}>
      {side.length > 0 && <h2 class="sub">{title}</h2>}
      {groupBySession(side).map((group) => (
        <div class="node-group">
          {group.sessionId !== null && (
            <p class="ellipsis">
              <a href={hrefOf('sessions', String(group.sessionId))}>{labelOf(group.sessionId)?.title ?? `Session ${group.sessionId}`}</a>
            </p>
          )}
          {group.hits.map((item) => (
            <Node item={item} />
          ))}
        </div>
      ))}
    </div>
  )
  return (
    <div class={`graph ${causes.length === 0 ? 'without-causes' : ''} ${effects.length === 0 ? 'without-effects' : ''}`} ref={box}>
      <svg aria-hidden="true">
        {paths.value.map((path) => (
          <path d={path} />
        ))}
      </svg>
      {renderSide('Causes', causes, 'causes')}
      <section class="card centre stack">{centre}</section>
      {renderSide(causes.length === 0 ? 'Related' : 'Effects', effects, 'effects')}
    </div>
  )
}

function Node({ item }: { item: GraphNeighbour }) {
  return (
    <a class="node" href={hrefOf('graph', `${item.kind}:${item.ref}`)}>
      <Tag type={item.kind === 'observation' ? item.type : item.kind} />
      <span class="clamp">
        <TextWithCode text={item.title || item.kind} />
      </span>
      <span class="dim small ellipsis relation" title={item.origin}>
        {relationLabel(item.relation)}
        {item.origin && item.relation !== 'same-session' && `: ${item.origin}`}
      </span>
    </a>
  )
}

function Topics({ project }: { project: string }) {
  const graph = useFetch('GET /api/graph', project ? { ask: 'topics', project, limit: 40 } : null)
  const topics = graph.value?.ask === 'topics' ? graph.value.items : null
  return (
    <>
      <PageHead title="Graph">
        {project !== '' && (
          <>
            <Dropdown
              label="Project"
              value={project}
              options={projectOptions().slice(1)}
              onChoose={(value) => navigate(hrefOf('graph', '', { project: value }), 'replace')}
            />
            <OpenName project={project} />
          </>
        )}
      </PageHead>
      <ErrorMessage text={graph.error} retry={graph.refetch} />
      {project === '' || topics?.length === 0 ? (
        <EmptyState icon="graph" title="No topics yet.">
          <p>Topics appear when several observations name the same files and symbols.</p>
        </EmptyState>
      ) : (
        <div class="scroll">
          <div class="cards">
            {(topics ?? []).map((topic) => (
              <TopicCard topic={topic} project={project} />
            ))}
          </div>
        </div>
      )}
    </>
  )
}

/** Opens the graph of a file or a symbol that a person knows by name. */
function OpenName({ project }: { project: string }) {
  const name = useSignal('')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const text = name.value.trim()
        if (text) navigate(hrefOf('graph', `${/[./]/.test(text) ? 'file' : 'symbol'}:${text}`, { project }))
      }}
    >
      <input
        aria-label="File or symbol"
        placeholder="Open a file or a symbol"
        value={name.value}
        onInput={(event) => (name.value = event.currentTarget.value)}
      />
    </form>
  )
}

const MAX_ENTITIES_PER_TOPIC = 6

function TopicCard({ topic, project }: { topic: GraphTopic; project: string }) {
  const { entities, newest, observations, since, until } = topic
  return (
    <section class="card panel">
      <h2>{topicTitle(newest, topic.name)}</h2>
      <p class="dim small">
        {formatCount(observations, 'observation')} · {formatDay(since)}
        {formatDay(since) !== formatDay(until) && ` to ${formatDay(until)}`}
      </p>
      <ul class="bullets small">
        {newest.map((memory) => (
          <li class={`t-${memory.type}`}>
            <a href={hrefOf('graph', `${memory.kind}:${memory.ref}`)}>{memory.title}</a>
          </li>
        ))}
      </ul>
      <p class="chips">
        {entities.slice(0, MAX_ENTITIES_PER_TOPIC).map((entity) => (
          <a class="chip" href={hrefOf('graph', `${entity.kind}:${entity.name}`, { project })} title={entity.name}>
            {shortName(entity.name)}
          </a>
        ))}
      </p>
    </section>
  )
}

/** The names that its observations share say what a topic is about; their paths do not. */
const topicTitle = (newest: GraphMemory[], name: string) => name.split(', ').map(shortName).join(', ') || newest[0]?.title || ''

const shortName = (name: string) => name.split('/').filter(Boolean).slice(-2).join('/') || name
