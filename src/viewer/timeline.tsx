import { calendarRows, daysBetween, monthHeadings } from './calendar.ts'
import { Chip, Dropdown, EmptyState, formatCount, hrefOfRow, LoadingOrError, MemoryRow, nameOfProject, PageHead } from './components.tsx'
import { projectOptions } from './project-list.ts'
import { hrefOf } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useKeyBindings } from './shortcuts.ts'
import { useFetch } from './use-fetch.ts'
import { filterValue } from './worker-requests.ts'

const DAY_MS = 86_400_000
const MAX_ROWS = 30
/** Minutes that local time is ahead of UTC. */
const shift = -new Date().getTimezoneOffset()
const dayOf = (at: number) => new Date(at + shift * 60_000).toISOString().slice(0, 10)
const startOfDay = (day: string) => Date.parse(day) - shift * 60_000

/** Activity by project and day or week, and the memories of a chosen day or week. */
export function TimelinePage() {
  const { query } = currentRoute.value
  const { project = '', by = 'day', from = '', to = '', end = '' } = query
  const step = by === 'week' ? 7 : 1
  const last = end || dayOf(Date.now())
  const length = step === 7 ? 52 * 7 : 12 * 7
  const first = dayOf(startOfDay(last) - (length - 1) * DAY_MS)
  const activity = useFetch('GET /api/activity', {
    project: filterValue(project),
    since: Math.max(0, startOfDay(first)),
    before: startOfDay(last) + DAY_MS,
    shift,
  })
  const choose = (part: Record<string, string>) => navigate(hrefOf('timeline', '', { ...query, ...part }), 'replace')
  const earlier = () => choose({ end: dayOf(startOfDay(last) - (length / 2) * DAY_MS), from: '', to: '' })
  const later = () => {
    const next = dayOf(startOfDay(last) + (length / 2) * DAY_MS)
    choose({ end: next >= dayOf(Date.now()) ? '' : next, from: '', to: '' })
  }
  useKeyBindings({ ArrowLeft: earlier, ArrowRight: later })
  const span = daysBetween(first, last)
  const rows = activity.value ? calendarRows(activity.value, span, step) : []
  return (
    <>
      <PageHead title="Timeline">
        <Dropdown label="Project" value={project} options={projectOptions()} onChoose={(value) => choose({ project: value })} />
        <fieldset class="chips" aria-label="By">
          <Chip on={step === 1} onClick={() => choose({ by: '', from: '', to: '' })}>
            days
          </Chip>
          <Chip on={step === 7} onClick={() => choose({ by: 'week', from: '', to: '' })}>
            weeks
          </Chip>
        </fieldset>
        <button type="button" onClick={earlier}>
          ← Earlier
        </button>
        <button type="button" onClick={later} disabled={last >= dayOf(Date.now())}>
          Later →
        </button>
        <span class="dim">
          {first} to {last}
        </span>
      </PageHead>
      <div class="scroll">
        {(!activity.value || activity.error) && <LoadingOrError fetched={activity} />}
        {activity.value && rows.length === 0 && (
          <EmptyState title="No memories in this period.">
            <p>
              <button type="button" onClick={earlier}>
                Show an earlier period
              </button>
            </p>
          </EmptyState>
        )}
        {rows.length > 0 && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, and a keyboard must be able to scroll it
          <section ref={showLatest} class="calendar" aria-label="Activity" tabIndex={0}>
            <table>
              <caption class="sr">
                Memories by project and {step === 7 ? 'week' : 'day'}, {first} to {last}
              </caption>
              <thead>
                <tr>
                  <td />
                  {monthHeadings(rows[0]?.cells ?? []).map((month) =>
                    month.name ? (
                      <th scope="col" colSpan={month.cells}>
                        {month.name}
                      </th>
                    ) : (
                      <td colSpan={month.cells} />
                    ),
                  )}
                </tr>
              </thead>
              <tbody>
                {rows.slice(0, MAX_ROWS).map((row) => (
                  <tr>
                    <th scope="row">
                      <a href={hrefOf('timeline', '', { ...query, project: row.project })}>{nameOfProject(row.project)}</a>{' '}
                      <span class="dim">{row.total}</span>
                    </th>
                    {row.cells.map((cell) => (
                      <td>
                        {cell.count > 0 ? (
                          <a
                            class={`cell l${cell.level} ${cell.from === from && row.project === project ? 'on' : ''}`}
                            href={hrefOf('timeline', '', { ...query, project: row.project, from: cell.from, to: cell.to })}
                            title={`${cell.from}${cell.to === cell.from ? '' : ` to ${cell.to}`}: ${formatCount(cell.count, 'memory', 'memories')}`}
                          >
                            <span class="sr">
                              {nameOfProject(row.project)}, {cell.from}: {cell.count}
                            </span>
                          </a>
                        ) : (
                          <span class="cell l0" />
                        )}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
        {from && <MemoriesInRange project={project} from={from} to={to || from} />}
        {!from && rows.length > 0 && <p class="dim notice">Choose a square to see its memories.</p>}
      </div>
    </>
  )
}

/** Scrolls to the latest days on a narrow screen. */
function showLatest(element: HTMLElement | null): void {
  if (element && element.scrollLeft === 0) element.scrollLeft = element.scrollWidth
}

function MemoriesInRange({ project, from, to }: { project: string; from: string; to: string }) {
  const range = { since: startOfDay(from), before: startOfDay(to) + DAY_MS }
  const feed = useFetch('GET /api/feed', { project: filterValue(project), ...range, limit: 200 })
  if (!feed.value) return <LoadingOrError fetched={feed} />
  const { rows } = feed.value
  const total = feed.value.total ?? rows.length
  return (
    <section aria-label={`Memories from ${from}`}>
      <h2 class="notice">
        {from}
        {to !== from && ` to ${to}`} <span class="dim">{formatCount(total, 'memory', 'memories')}</span>
      </h2>
      <ul class="hits">
        {rows.map((row) => (
          <li>
            <a class="row" href={hrefOfRow(row)}>
              <MemoryRow row={row} />
            </a>
          </li>
        ))}
      </ul>
      {total > rows.length && <p class="dim notice">Only the newest {rows.length} are shown.</p>}
    </section>
  )
}
