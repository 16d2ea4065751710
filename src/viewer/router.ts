import { signal } from '@preact/signals'
import { parseRoute, type ViewerRoute } from './route.ts'

/** The current view, always parsed from the address bar. */
export const currentRoute = signal<ViewerRoute>(parseRoute('/', ''))

export function navigate(href: string, historyEntry: 'push' | 'replace' = 'push'): void {
  if (historyEntry === 'replace') history.replaceState(null, '', href)
  else if (href !== location.pathname + location.search) history.pushState(null, '', href)
  currentRoute.value = parseRoute(location.pathname, location.search)
}

/** Opens the view in the address bar, handles back and forward, and opens links within the viewer without reloading the page. */
export function watchAddressBar(): void {
  const readAddress = () => {
    currentRoute.value = parseRoute(location.pathname, location.search)
  }
  readAddress()
  addEventListener('popstate', readAddress)
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="/"]') : null
    const isPlainClick = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    // A link that saves a file must reach the worker.
    if (!link || !isPlainClick || event.defaultPrevented || link.hasAttribute('download')) return
    event.preventDefault()
    navigate(link.getAttribute('href') ?? '/feed')
  })
}
