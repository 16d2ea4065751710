import { isAboutValueOf, valueChangesOf, valuesIn } from '../core/changed-values.ts'
import type { Prompt } from '../core/memory.ts'
import type { Store } from '../store/store.ts'

/** The newest later turn that replaced a value in this turn's answer, and the sentence that says so; null if none did. */
export async function findLaterChange(store: Store, turn: Prompt): Promise<{ turn: Prompt; sentence: string } | null> {
  const values = valuesIn(turn.answer ?? '')
  if (values.size === 0) return null
  for (const id of await store.changedValues.after(turn.id, [...values], MAX_LATER_TURNS)) {
    const later = await store.prompts.get(id)
    const change = later && valueChangesOf(later).find((one) => values.has(one.old) && isAboutValueOf(one, turn.answer ?? ''))
    if (later && change) return { turn: later, sentence: change.sentence }
  }
  return null
}

/** More turns have the value by chance. */
const MAX_LATER_TURNS = 8
