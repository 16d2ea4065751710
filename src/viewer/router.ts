import { signal } from '@preact/signals'
import { parseRoute, type ViewerRoute } from './route.ts'

/** Where the person is. The address bar is the truth; this follows it. */
export const currentRoute = signal<ViewerRoute>(parseRoute(location.pathname, location.search))

export function navigate(href: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'replace') history.replaceState(null, '', href)
  else if (href !== location.pathname + location.search) history.pushState(null, '', href)
  currentRoute.value = parseRoute(location.pathname, location.search)
}

/** Follows the browser's own buttons, and links inside the viewer without loading it again. */
export function watchAddressBar(): void {
  addEventListener('popstate', () => {
    currentRoute.value = parseRoute(location.pathname, location.search)
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="/"]') : null
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (!link || !isPlain || event.defaultPrevented) return
    event.preventDefault()
    navigate(link.getAttribute('href') ?? '/feed')
  })
}
