import type { RestorableItem } from '../wire/contract/forget.ts'
import { Dropdown, EmptyState, ErrorMessage, LoadingOrError, PageHead, Tag, TimeAgo } from './components.tsx'
import { formatCount, formatDay } from './formats.ts'
import { nameOfProject, projectOptions } from './project-list.ts'
import { hrefOf } from './route.ts'
import { currentRoute, navigate } from './router.ts'
import { useFetch } from './use-fetch.ts'
import { restoreMemory } from './user-actions.ts'
import { filterValue } from './worker-requests.ts'

const MAX_ROWS = 500

/** Forgotten memories that can still be restored, newest first. */
export function ForgottenPage() {
  const { project = '' } = currentRoute.value.query
  const fetched = useFetch('GET /api/forgotten', { project: filterValue(project), limit: MAX_ROWS })
  if (!fetched.value) return <LoadingOrError fetched={fetched} />
  const items = fetched.value
  return (
    <>
      <PageHead title="Forgotten">
        <Dropdown
          label="Project"
          value={project}
          options={projectOptions()}
          onChoose={(value) => navigate(hrefOf('forgotten', '', { project: value }), 'replace')}
        />
        <span class="dim small">
          {items.length > 0 && `${formatCount(items.length, 'deletion')}${items.length === MAX_ROWS ? ' or more' : ''}`}
        </span>
      </PageHead>
      <ErrorMessage text={fetched.error} retry={fetched.refetch} />
      {items.length === 0 ? (
        <EmptyState icon="forgotten" title="Nothing to restore.">
          <p>What you forget appears here until it is erased. What you delete for good does not.</p>
        </EmptyState>
      ) : (
        <div class="scroll">
          <ul class="column entries">
            {items.map((item) => (
              <ForgottenRow key={item.id} item={item} />
            ))}
          </ul>
        </div>
      )}
    </>
  )
}

function ForgottenRow({ item }: { item: RestorableItem }) {
  const title = item.title || item.id
  return (
    <li>
      <div>
        <Tag type={item.kind} />
        <div>{title}</div>
        <div class="dim small">
          {nameOfProject(item.project)} · forgotten <TimeAgo at={item.forgottenAt} />
          {item.restorableUntil && ` · erased on ${formatDay(item.restorableUntil)}`}
        </div>
      </div>
      <button type="button" onClick={() => void restoreMemory(item.id, `“${title}”`)}>
        Restore<span class="sr"> {title}</span>
      </button>
    </li>
  )
}
