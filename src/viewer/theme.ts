import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'
const THEME_STORAGE_KEY = 'recollect-theme'

/** Light, dark, or the system's choice. Stored in the browser only. */
const theme = signal<Theme>('system')

/** Shows the page in the theme that was chosen last. */
export function openTheme(): void {
  theme.value = savedTheme()
  applyTheme()
}

function applyTheme(): void {
  if (theme.value === 'system') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.setAttribute('data-theme', theme.value)
}

export function toggleTheme(): void {
  const isDark = theme.value === 'dark' || (theme.value === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  theme.value = isDark ? 'light' : 'dark'
  localStorage.setItem(THEME_STORAGE_KEY, theme.value)
  applyTheme()
}

/** In a frame, the page around it says which theme it has. */
function savedTheme(): Theme {
  const framed = window.top === window ? null : new URLSearchParams(location.search).get('theme')
  const saved = framed ?? localStorage.getItem(THEME_STORAGE_KEY)
  return saved === 'light' || saved === 'dark' ? saved : 'system'
}
