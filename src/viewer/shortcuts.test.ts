import { describe, expect, test } from 'bun:test'
import { signal } from '@preact/signals'
import { h } from 'preact'
import { openPage } from '../../test/support/page/open-page.ts'
import { useKeyBindings } from './shortcuts.ts'

/** A page with a key of its own, and a part inside it that may take the key over. */
function pageWithKeys() {
  const pressed: string[] = []
  const isInnerShown = signal(true)
  const isDialogShown = signal(false)
  const bind = (name: string) => ({ x: () => void pressed.push(`${name} x`), ' ': () => void pressed.push(`${name} space`) })
  const Inner = () => {
    useKeyBindings({ x: bind('inner').x })
    return h('input', { 'aria-label': 'words' })
  }
  const Page = () => {
    useKeyBindings({ ...bind('page'), 'g f': () => void pressed.push('go'), Escape: () => void pressed.push('escape') })
    return h('div', {}, [
      isInnerShown.value && h(Inner, {}),
      h('button', { type: 'button', onClick: () => pressed.push('clicked') }, 'Play'),
      isDialogShown.value && h('dialog', { open: true }),
    ])
  }
  return { Page, pressed, isInnerShown, isDialogShown }
}

describe('a key', () => {
  test('belongs to the innermost part that binds it, and to the page again when that part is gone', async () => {
    const { Page, pressed, isInnerShown } = pageWithKeys()
    await using page = await openPage(Page, '/feed')
    await page.press('x')
    isInnerShown.value = false
    await page.settle()
    await page.press('x')
    expect(pressed).toEqual(['inner x', 'page x'])
  })

  test('is text while a person types, except for Escape', async () => {
    const { Page, pressed } = pageWithKeys()
    await using page = await openPage(Page, '/feed')
    page.field('words').focus()
    for (const key of ['x', 'Escape']) await page.press(key)
    expect(pressed).toEqual(['escape'])
  })

  test('of the page does nothing behind a dialog', async () => {
    const { Page, pressed, isDialogShown } = pageWithKeys()
    isDialogShown.value = true
    await using page = await openPage(Page, '/feed')
    await page.press('x')
    expect(pressed).toEqual([])
  })

  test('together with Ctrl or Alt is for the browser, and one of an unfinished letter is text', async () => {
    const { Page, pressed } = pageWithKeys()
    await using page = await openPage(Page, '/feed')
    for (const held of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }, { isComposing: true }]) await page.press('x', held)
    expect(pressed).toEqual([])
  })

  test('that operates the focused button only does that', async () => {
    const { Page, pressed } = pageWithKeys()
    await using page = await openPage(Page, '/feed')
    page.control('Play').focus()
    await page.press(' ')
    expect(pressed).toEqual(['clicked'])
  })

  test('can be the second of two', async () => {
    const { Page, pressed } = pageWithKeys()
    await using page = await openPage(Page, '/feed')
    for (const key of ['g', 'f', 'f']) await page.press(key)
    expect(pressed).toEqual(['go'])
  })
})
