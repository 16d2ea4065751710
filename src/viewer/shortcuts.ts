import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { isTypingTarget, type KeyBindings, openKeyReader } from './keys.ts'

const layers: KeyBindings[] = []
export const isHelpShown = signal(false)

/** Keys that work while this is on the screen; what is on top goes first. */
export function useKeyBindings(keys: KeyBindings): void {
  // Not after the next paint: a key that is pressed before it would still do what the page did before.
  useLayoutEffect(() => {
    layers.push(keys)
    return () => void layers.splice(layers.indexOf(keys), 1)
  })
}

export function listenForKeys(): void {
  const read = openKeyReader()
  const layerWith = (name: string) => layers.findLast((layer) => Object.hasOwn(layer, name))
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    const target = event.target as HTMLElement | null
    if (event.key !== 'Escape' && isTypingTarget(target as { tagName?: string; type?: string } | null, event.key)) return
    const name = read(event.key, (wanted) => layerWith(wanted) !== undefined, event.timeStamp)
    const deed = name === null ? undefined : layerWith(name)?.[name]
    if (!deed) return
    event.preventDefault()
    deed()
  })
}
