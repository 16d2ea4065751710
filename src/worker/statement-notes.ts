import { draftListedDecisions, draftStatedNotes } from '../capture/turns.ts'
import type { Jobs } from '../core/job.ts'
import { type DraftOutcome, isExcluded, saveDrafts } from './draft-notes.ts'
import type { Services } from './services.ts'

/** Proposes what a session stated as notes. Running it again changes nothing, unless more was said since. */
export async function saveStatementNotes(services: Services, job: Jobs['statements'], now: number): Promise<DraftOutcome[]> {
  const { pre_compact, stop, user_prompt } = services.settings.hooks
  const { occasion = 'precompact' } = job
  const session = await services.store.sessions.get(job.sessionId)
  const isStopWanted = stop.session_analysis && (stop.enabled || occasion === 'import')
  const isWanted = occasion === 'precompact' ? pre_compact.enabled : isStopWanted
  if (!session || !isWanted || isExcluded(services, session)) return []
  const prompts = await services.store.prompts.ofSession(session.id)
  const { confidence_threshold: threshold } = pre_compact
  const listed = occasion === 'precompact' ? draftListedDecisions(session, await services.store.summaries.allOfSession(session.id)) : []
  const stated = draftStatedNotes(session, prompts, threshold, user_prompt.markers)
  const drafts = [...listed.filter(({ confidence }) => confidence >= threshold), ...stated]
  const source = occasion === 'import' ? 'import' : 'session-end'
  return saveDrafts(
    services,
    drafts.map((draft) => ({ ...draft, source })),
    now,
    session,
  )
}
