import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Kind } from '../core/kinds.ts'
import { OBSERVATION_TYPES } from '../core/memory.ts'
import type { Feed, Row } from '../wire/view.ts'
import { type Arrivals, arrived, counted, inWords, isAny, NONE } from './arrivals.ts'
import { get, queryString } from './ask.ts'
import { forgetNote, forgetObservation } from './deeds.ts'
import { List, startAtTop, useRows } from './list.tsx'
import { epoch, hear } from './live.ts'
import { Chip, Choice, count, Empty, Head, hrefOfRow, MemoryRow, Trouble } from './parts.tsx'
import { hrefOf } from './place.ts'
import { projectOptions } from './projects-known.ts'
import { go, place } from './router.ts'
import { useKeys } from './shortcuts.ts'

/** What a feed shows when nobody chooses: what was made of the work, not every word that was typed. */
const MEMORIES: Kind[] = ['observation', 'summary', 'note']

/** Everything that is remembered, the newest first. What comes in meanwhile says so and moves nothing. */
export function FeedPage() {
  const { query } = place.value
  const { project = '', types = '', agent = '', kinds = MEMORIES.join(',') } = query
  const key = `feed ${project} ${types} ${agent} ${kinds}`
  const shown = useSignal(0)
  const rows = useRows<Row, Feed>(
    key,
    '/api/feed',
    { project, types, agent, kinds },
    (answer) => ({ rows: answer.rows, total: answer.total, pin: { upTo: answer.upTo } }),
    shown.value,
    epoch.value,
  )
  const arrivals = useSignal<Arrivals>(NONE)
  const wanted = { project, kinds: kinds.split(','), types: types ? types.split(',') : [] }
  useEffect(() => {
    arrivals.value = NONE
    return hear((event) => {
      arrivals.value = arrived(arrivals.value, event, wanted)
    })
  }, [key, shown.value])
  // What was not heard is counted: how much has come in since the list was fetched.
  const upTo = (rows.first as Feed | undefined)?.upTo
  useEffect(() => {
    if (upTo === undefined) return
    let isOver = false
    const countAnew = async (): Promise<void> => {
      const before = arrivals.value
      const asked = await get<Feed>(`/api/feed?${queryString({ project, types, agent, kinds, after: upTo, limit: 0 })}`)
      if (isOver || asked.kind !== 'answered' || asked.value.total === null) return
      // Something was heard while it was counted: it may be in the count or not, so it is counted again.
      if (arrivals.value !== before) return countAnew()
      arrivals.value = counted(asked.value.total)
    }
    void countAnew()
    return () => {
      isOver = true
    }
  }, [epoch.value])
  const showNew = () => {
    arrivals.value = NONE
    startAtTop(key)
    document.querySelector('.list')?.scrollTo(0, 0)
    shown.value++
  }
  useKeys({ n: showNew })
  const choose = (part: Record<string, string>) => go(hrefOf('feed', '', { ...query, ...part }), 'replace')
  const toggled = (list: string, word: string) =>
    (list.split(',').includes(word) ? list.split(',').filter((one) => one !== word) : [...list.split(','), word]).filter(Boolean).join(',')
  return (
    <>
      <Head title="Feed">
        <Choice label="Project" value={project} options={projectOptions()} onChoose={(value) => choose({ project: value })} />
        <Choice
          label="Agent"
          value={agent}
          options={[
            { value: '', text: 'All agents' },
            { value: 'claude-code', text: 'Claude Code' },
          ]}
          onChoose={(value) => choose({ agent: value })}
        />
        <fieldset class="chips" aria-label="Types of observations">
          {OBSERVATION_TYPES.map((type) => (
            <Chip on={wanted.types.includes(type)} onClick={() => choose({ types: toggled(types, type) })}>
              {type}
            </Chip>
          ))}
          <Chip on={wanted.kinds.includes('prompt')} onClick={() => choose({ kinds: toggled(kinds, 'prompt') })}>
            prompts
          </Chip>
        </fieldset>
        <span class="grow" />
        <span class="dim">{rows.isLoaded && count(rows.total, 'memory', 'memories')}</span>
      </Head>
      <div class="announce" role="status">
        {isAny(arrivals.value) && (
          <button type="button" class="pill" onClick={showNew}>
            {inWords(arrivals.value)} <kbd>n</kbd>
          </button>
        )}
      </div>
      <Trouble text={rows.trouble} again={rows.again} />
      {rows.isLoaded && rows.total === 0 ? (
        <NothingYet isFiltered={Boolean(project || types || agent)} />
      ) : (
        <List name={key} label="Memories" rows={rows} href={hrefOfRow} onDelete={forgetRow}>
          {(row) => <MemoryRow row={row} />}
        </List>
      )}
    </>
  )
}

export function forgetRow(row: Row): void {
  if (row.kind === 'observation') void forgetObservation(row.id)
  if (row.kind === 'note') void forgetNote(row.id)
}

function NothingYet({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="Nothing fits these filters.">
        <p>
          <a href="/feed">Show everything</a>
        </p>
      </Empty>
    )
  return (
    <Empty title="Nothing is remembered yet.">
      <p>
        Connect Claude Code with <code>recollect init</code>, bring in your history with <code>recollect import</code>, or look around in a
        sample with <code>recollect demo</code>. Whatever comes in appears here by itself.
      </p>
    </Empty>
  )
}
