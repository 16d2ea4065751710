import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { isTypingTarget, type KeyBindings, openKeyReader } from './keys.ts'

/** The bindings of the components on the screen, outer ones first. */
const layers: { order: number; keys: KeyBindings }[] = []
let lastOrder = 0
export const isHelpShown = signal(false)

/** Key bindings of a component while it is on the screen. The innermost component that binds a key gets it. */
export function useKeyBindings(keys: KeyBindings): void {
  // Effects run from the inside out, and again for a part that changes; only the first rendering goes from the outside in.
  const order = useRef(0)
  order.current ||= ++lastOrder
  // A layout effect, so that a key pressed before the next paint already reaches the new page.
  useLayoutEffect(() => {
    const layer = { order: order.current, keys }
    layers.push(layer)
    layers.sort((a, b) => a.order - b.order)
    return () => void layers.splice(layers.indexOf(layer), 1)
  })
}

export function listenForKeys(): void {
  const read = openKeyReader()
  const layerWith = (name: string) => layers.findLast(({ keys }) => Object.hasOwn(keys, name))?.keys
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
