/** What a key does here. The name stands in the list that `?` shows. */
export type KeyBindings = Record<string, () => void>

/** Reads keys one by one: `g f` is two of them. Gives the name of the deed, or null while there is none. */
export function openKeyReader(waitMs = 1200) {
  let held = ''
  let heldAt = 0
  return (key: string, known: (name: string) => boolean, now: number): string | null => {
    const first = now - heldAt < waitMs ? held : ''
    held = ''
    if (first && known(`${first} ${key}`)) return `${first} ${key}`
    if (key === 'g') {
      held = key
      heldAt = now
      return null
    }
    return known(key) ? key : null
  }
}

/** Whether a person is writing, or a control wants the key for itself. */
export function isTypingTarget(target: { tagName?: string; isContentEditable?: boolean; type?: string } | null, key: string): boolean {
  const tag = target?.tagName ?? ''
  if (tag === 'TEXTAREA' || tag === 'SELECT' || target?.isContentEditable) return true
  if (tag === 'INPUT') return !(['range', 'checkbox'].includes(target?.type ?? '') && key.length === 1)
  return key === 'Enter' && (tag === 'BUTTON' || tag === 'A' || tag === 'SUMMARY')
}
