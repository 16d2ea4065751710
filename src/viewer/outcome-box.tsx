import type { WorkOutcome } from '../core/work-outcome.ts'
import { MarkdownLine } from './markdown-view.tsx'
import { hrefOf } from './route.ts'

/** The outcome of the work that a memory or a session belongs to, with links. */
export function OutcomeBox({ outcome, of: whole = 'this work' }: { outcome: WorkOutcome | null; of?: string }) {
  if (!outcome) return null
  const { id, of, text, replaced } = outcome
  return (
    <section class="outcome-box" aria-label="Outcome">
      {of !== 'this turn' && (
        <>
          <b>
            {of === 'newer work' ? 'Replaced by' : of === 'newer value' ? 'Changed later by' : `Outcome of ${whole}:`}{' '}
            <a href={hrefOf('memory', id)}>{id}</a>
          </b>{' '}
          <MarkdownLine text={text} />
        </>
      )}
      {of !== 'newer work' && replaced && (
        <p class="dim">
          This replaced <a href={hrefOf('memory', replaced)}>{replaced}</a>.
        </p>
      )}
    </section>
  )
}
