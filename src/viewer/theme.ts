import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'
const KEY = 'recollect-theme'

/** Light, dark, or as the system is. Kept in the browser; it is nobody else's business. */
const theme = signal<Theme>(kept())

export function applyTheme(): void {
  if (theme.value === 'system') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.setAttribute('data-theme', theme.value)
}

export function nextTheme(): void {
  const isDark = theme.value === 'dark' || (theme.value === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  theme.value = isDark ? 'light' : 'dark'
  localStorage.setItem(KEY, theme.value)
  applyTheme()
}

function kept(): Theme {
  const found = localStorage.getItem(KEY)
  return found === 'light' || found === 'dark' ? found : 'system'
}
