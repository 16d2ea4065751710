import { asNoteId } from '../core/note.ts'
import { changeNote } from '../notes/notes.ts'
import type { PushedMemory } from '../wire/contract/hub.ts'
import { SharedBody } from '../wire/contract/hub.ts'
import { endedBy, type TeamContext } from './context.ts'
import { callHub } from './hub-client.ts'
import { removeReceived } from './inbox.ts'
import { sendOutbox } from './outbox.ts'

/**
 * Ends a conflict about one of this home's notes. `mine`: the team gets this home's version. `theirs`: this home's note gets the team's text. The
 * version that the hub kept beside is deleted there. False if there is no such conflict.
 */
export async function resolveConflict(context: TeamContext, key: string, id: string, choice: 'mine' | 'theirs'): Promise<boolean> {
  const { store } = context.book
  const team = await store.team()
  const main = await team.shared(key, id)
  const current = await team.received(key, id)
  if (main?.kind !== 'note' || !current?.body) return false
  if (choice === 'theirs') {
    const { title, text } = SharedBody.parse(JSON.parse(current.body))
    const changed = await changeNote(context.book, asNoteId(main.ref), { title, body: text }, context.now())
    if (changed) context.announce(changed.changes)
  }
  const kept = (await team.sharedOf('note', main.ref)).filter((row) => row.key === key && row.versionOf === id)
  if (kept.length > 0) {
    const memories = kept.map((row): PushedMemory => ({ id: row.id, kind: 'note', base: null, body: null }))
    const reply = await callHub(context.hub, 'POST /v1/push', { project: key, memories }, context.signal)
    if (reply.kind !== 'answered') throw endedBy(reply)
  }
  await removeReceived(context, [current])
  await store.transaction(async () => {
    for (const row of kept) await team.removeShared(key, row.id)
    await team.putShared({ ...main, hash: current.hash, sent: null })
    await team.queue('note', main.ref)
  })
  await sendOutbox(context)
  return true
}
