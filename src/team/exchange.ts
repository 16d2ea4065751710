import { ExchangeEnded, type TeamContext } from './context.ts'
import { loseProject, pullProject, refreshProjects } from './inbox.ts'
import { sendOutbox } from './outbox.ts'

/** The end of an exchange with the hub. `lost`: the hub no longer accepts this device, and its copies were removed. */
export type ExchangeResult = { kind: 'exchanged'; sent: number } | { kind: 'unreachable' | 'refused' | 'lost'; reason: string }

/** Receives what is new on the hub, then sends what changed here. Receiving comes first, so that a stale version is not sent. */
export async function exchange(context: TeamContext): Promise<ExchangeResult> {
  try {
    for (const { key } of await refreshProjects(context)) await pullProject(context, key)
    return { kind: 'exchanged', ...(await sendOutbox(context)) }
  } catch (cause) {
    if (!(cause instanceof ExchangeEnded)) throw cause
    if (cause.kind === 'lost') await dropCopies(context)
    return { kind: cause.kind, reason: cause.message }
  }
}

/** Removes every copy. What this home shared stays recorded, so that a return continues where it stopped. */
export async function dropCopies(context: TeamContext): Promise<void> {
  const team = await context.book.store.team()
  for (const project of await team.projects()) if (project.may !== null || project.pulled > 0) await loseProject(context, project)
}
