import type { WorkOutcome } from '../core/work-outcome.ts'
import { MarkdownLine } from './markdown-view.tsx'
import { hrefOf } from './route.ts'

/** The outcome of the work that a memory or a session belongs to, with links. */
export function OutcomeBox({ outcome, of: whole = 'this work' }: { outcome: WorkOutcome | null; of?: string }) {
  if (!outcome) return null
  const { id, of, text, replaced } = outcome
  if (of === 'this turn')
    return (
      replaced && (
        <p class="dim">
          This replaced <a href={hrefOf('memory', replaced)}>{replaced}</a>.
        </p>
      )
    )
  return (
    <section class={`outcome-box ${of === 'this work' ? '' : 'is-replacing'}`} aria-label="Outcome">
      <h2>
        {of === 'newer work' ? 'Replaced by' : of === 'newer value' ? 'Changed later by' : `Outcome of ${whole}:`}{' '}
        <a href={hrefOf('memory', id)}>{id}</a>
        {of !== 'newer work' && replaced && (
          <>
            , which replaced <a href={hrefOf('memory', replaced)}>{replaced}</a>
          </>
        )}
      </h2>
      <MarkdownLine text={text} />
    </section>
  )
}
