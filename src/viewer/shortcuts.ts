import { signal } from '@preact/signals'
import { useLayoutEffect } from 'preact/hooks'
import { isTypingTarget, type KeyBindings, openKeyReader } from './keys.ts'

const layers: KeyBindings[] = []
export const isHelpShown = signal(false)

/** Key bindings of a component while it is on the screen. The innermost component that binds a key gets it. */
export function useKeyBindings(keys: KeyBindings): void {
  // A layout effect, so that a key pressed before the next paint already reaches the new page.
  useLayoutEffect(() => {
    layers.push(keys)
    return () => void layers.splice(layers.indexOf(keys), 1)
  })
}

export function listenForKeys(): void {
  const read = openKeyReader()
  const layerWith = (name: string) => layers.findLast((layer) => Object.hasOwn(layer, name))
  document.addEventListener('keydown', (event) => {
    // An open dialog has its own keys; those of the page behind it would act on something that the person cannot see.
    if (document.querySelector('dialog[open]')) return
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
    const target = event.target as HTMLElement | null
    if (event.key !== 'Escape' && isTypingTarget(target as { tagName?: string; type?: string } | null, event.key)) return
    const name = read(event.key, (binding) => layerWith(binding) !== undefined, event.timeStamp)
    const action = name === null ? undefined : layerWith(name)?.[name]
    if (!action) return
    event.preventDefault()
    action()
  })
}
