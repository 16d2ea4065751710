import { changedIn } from '../../src/capture/distill.ts'
import { updateThreads } from '../../src/capture/threads.ts'
import { openSession, temporaryStore } from './builders.ts'

/** A store with chats, each a list of prompts and answers, after their turns were distilled. */
export async function storeWithChats(...sessions: [text: string, answer: string][][]) {
  const t = await temporaryStore()
  for (const [index, turns] of sessions.entries()) {
    const at = 1000 * (index + 1)
    const session = await openSession(t.store, `chat${index}`, at)
    for (const [place, [text, answer]] of turns.entries()) {
      const given = { key: `k${place}`, promptId: null, uuid: null, origin: 'person' as const, text, at: at + place }
      const prompt = await t.store.prompts.add(session, given)
      if (prompt) await t.store.prompts.setAnswer(prompt, answer, at + place)
      if (prompt) await t.store.changedValues.set(prompt.id, changedIn({ ...prompt, answer }))
    }
    await updateThreads(t.store, session.id)
  }
  return t
}
