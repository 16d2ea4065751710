import { calendarRows, daysBetween, monthHeadings, monthName, newestActiveCell, readDay } from './calendar.ts'
import { Dropdown, EmptyState, hrefOfRow, LoadingOrError, MemoryRow, PageHead, Segments } from './components.tsx'
import { dayLabel } from './days.ts'
import { formatCount, formatDay } from './formats.ts'
import { Icon } from './icons.tsx'
import { nameOfProject, projectOptions, projects } from './project-list.ts'
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
  const { project = '', by = 'day' } = query
  const [from, to, end] = [readDay(query.from), readDay(query.to), readDay(query.end)]
  const step = by === 'week' ? 7 : 1
  const today = dayOf(Date.now())
  const last = end || newestDay(project) || today
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
    const isPast = next < today
    choose({ end: isPast ? next : today, from: '', to: '' })
  }
  useKeyBindings({ ArrowLeft: earlier, ArrowRight: later })
  const span = daysBetween(first, last)
  const rows = activity.value ? calendarRows(activity.value, span, step) : []
  const newest = newestActiveCell(rows)
  return (
    <>
      <PageHead title="Timeline">
        <Dropdown label="Project" value={project} options={projectOptions()} onChoose={(value) => choose({ project: value })} />
        <Segments
          label="By"
          value={step === 7 ? 'week' : 'day'}
          options={[
            { value: 'day', text: 'Days' },
            { value: 'week', text: 'Weeks' },
          ]}
          onChoose={(value) => choose({ by: value === 'week' ? 'week' : '', from: '', to: '' })}
        />
        <button type="button" onClick={earlier}>
          <Icon name="left" /> Earlier
        </button>
        <button type="button" onClick={later} disabled={last >= today}>
          Later <Icon name="right" />
        </button>
        <span class="dim small">
          {formatDay(startOfDay(first))} to {formatDay(startOfDay(last))}
        </span>
      </PageHead>
      <div class="scroll">
        <div class="column wide-column stack">
          {(!activity.value || activity.error) && <LoadingOrError fetched={activity} />}
          {activity.value && rows.length === 0 && <EmptyPeriod onEarlier={earlier} />}
          {rows.length > 0 && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, and a keyboard must be able to scroll it
            <section ref={showLatest} class="calendar card" aria-label="Activity" tabIndex={0}>
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
                          {monthName(month.name)}
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
          {newest && <MemoriesInRange project={project} from={from || newest.from} to={to || from || newest.to} />}
        </div>
      </div>
    </>
  )
}

function EmptyPeriod({ onEarlier }: { onEarlier: () => void }) {
  if (projects.value.length === 0)
    return (
      <EmptyState icon="timeline" title="No memories yet.">
        <p>Days fill up as you work with a connected agent, or import your history.</p>
      </EmptyState>
    )
  return (
    <EmptyState icon="timeline" title="No memories in this period.">
      <p>
        <button type="button" onClick={onEarlier}>
          Show an earlier period
        </button>
      </p>
    </EmptyState>
  )
}

/** The day of the newest memory, which may be long ago; empty while it is not known. */
function newestDay(project: string): string {
  const times = projects.value.filter((one) => !project || one.project === project).map(({ lastAt }) => lastAt ?? 0)
  const newest = Math.max(0, ...times)
  return newest > 0 ? dayOf(newest) : ''
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
      <h2 class="day">
        {dayLabel(from, new Date())}
        {to !== from && ` to ${dayLabel(to, new Date())}`} <span class="dim">{formatCount(total, 'memory', 'memories')}</span>
      </h2>
      <ul class="card rows">
        {rows.map((row) => (
          <li>
            <a class="row" href={hrefOfRow(row)}>
              <MemoryRow row={row} />
            </a>
          </li>
        ))}
      </ul>
      {total > rows.length && <p class="notice">Only the newest {rows.length} are shown.</p>}
    </section>
  )
}
