import { describe, expect, test } from 'bun:test'
import { openPage } from '../../test/support/page/open-page.ts'
import { openTheme, toggleTheme } from './theme.ts'

const Nothing = () => null

describe('the theme', () => {
  test('follows the system until a person chooses, and the choice is kept', async () => {
    await using page = await openPage(Nothing, '/feed')
    const shown = () => page.document.documentElement.getAttribute('data-theme')
    openTheme()
    expect(shown()).toBeNull()
    toggleTheme()
    expect(shown()).toBe('dark')
    page.document.documentElement.removeAttribute('data-theme')
    openTheme()
    expect(shown()).toBe('dark')
    toggleTheme()
    expect([shown(), localStorage.getItem('recollect-theme')]).toEqual(['light', 'light'])
  })

  test('first changes away from what the system shows', async () => {
    await using page = await openPage(Nothing, '/feed')
    Object.assign(globalThis, { matchMedia: () => ({ matches: true }) })
    openTheme()
    toggleTheme()
    expect(page.document.documentElement.getAttribute('data-theme')).toBe('light')
  })

  test('is that of the page around it when it is shown in a frame, and nonsense is ignored', async () => {
    await using page = await openPage(Nothing, '/feed?theme=dark')
    localStorage.setItem('recollect-theme', 'light')
    Object.assign(window, { top: {} })
    openTheme()
    expect(page.document.documentElement.getAttribute('data-theme')).toBe('dark')
    await page.go('/feed?theme=%3Cscript%3E')
    openTheme()
    expect(page.document.documentElement.hasAttribute('data-theme')).toBe(false)
  })
})
