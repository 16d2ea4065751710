import { type MemoryKind, memoryId } from '../core/memory-kinds.ts'
import { isViewerPage, type ViewerPage } from '../wire/viewer-pages.ts'

/** A view: the page, the id of what it shows, and its filters. All of it is in the address, so every view can be bookmarked. */
export type ViewerRoute = { page: ViewerPage | 'missing'; id: string; query: Record<string, string> }

export function parseRoute(pathname: string, search: string): ViewerRoute {
  const [, first = '', ...rest] = pathname.split('/')
  return {
    page: isViewerPage(first) ? first : first === '' ? 'feed' : 'missing',
    id: rest.map(decodePart).join('/'),
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

/** The address of a view. Empty values are left out, so each view has exactly one address. */
export function hrefOf(page: ViewerPage, id = '', query: Record<string, string | undefined> = {}): string {
  const filled = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  const search = new URLSearchParams(filled).toString()
  const path = id === '' ? '' : `/${id.split('/').map(encodeURIComponent).join('/')}`
  return `/${page}${path}${search ? `?${search}` : ''}`
}

/** The address of a memory. */
export function memoryHref(kind: MemoryKind, id: string | number): string {
  // Browsers cut an address at #.
  return hrefOf('memory', memoryId(kind, id).replace('#', ''))
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
