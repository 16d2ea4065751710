import { performedActions, recognizableFailures } from '../capture/turns.ts'
import type { Session } from '../core/memory.ts'
import type { InjectedBrief } from '../inject/brief.ts'
import { errorBriefFor } from '../inject/error-brief.ts'
import { readActionWith, type Services } from './services.ts'

/** What put right an error that a tool use has just met. Null if nothing is known about it. */
export async function errorBrief(
  services: Services,
  session: Session,
  toolUseId: string,
  now: number,
): Promise<{ occasion: string; brief: InjectedBrief } | null> {
  const { store } = services
  const use = await store.toolUses.find(session.id, toolUseId)
  const [action] = use ? performedActions(session.agent, [use], readActionWith(services.agents)) : []
  for (const known of action ? recognizableFailures(action, session.folder) : []) {
    const answer = await errorBriefFor(store, session, known, now)
    if (answer.brief.text) return answer
  }
  return null
}
