/** What each key does. `g f` means g, then f. */
export type KeyBindings = Record<string, () => void>

/** Reads one key at a time. Returns the name of the binding it completes, or null. */
export function openKeyReader(maxPauseMs = 1200) {
  let pendingKey = ''
  let pendingSince = 0
  return (key: string, isBound: (name: string) => boolean, now: number): string | null => {
    const first = now - pendingSince < maxPauseMs ? pendingKey : ''
    pendingKey = ''
    if (first && isBound(`${first} ${key}`)) return `${first} ${key}`
    if (key === 'g') {
      pendingKey = key
      pendingSince = now
      return null
    }
    return isBound(key) ? key : null
  }
}

/** True if the person is typing text, or the focused control uses the key itself. */
export function isTypingTarget(target: { tagName?: string; isContentEditable?: boolean; type?: string } | null, key: string): boolean {
  const tag = target?.tagName ?? ''
  if (tag === 'TEXTAREA' || tag === 'SELECT' || target?.isContentEditable) return true
  if (tag === 'INPUT') return !(['range', 'checkbox'].includes(target?.type ?? '') && key.length === 1 && key !== ' ')
  if (tag === 'BUTTON' || tag === 'SUMMARY') return key === 'Enter' || key === ' '
  return tag === 'A' && key === 'Enter'
}
