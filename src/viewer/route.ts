import { type MemoryKind, memoryId } from '../core/memory-kinds.ts'
import { isViewerPage, type ViewerPage } from '../wire/viewer-pages.ts'

/** Where a person is: a page, the thing it shows, and how they look at it. Every view has an address, so that it can be kept. */
export type ViewerRoute = { page: ViewerPage; id: string; query: Record<string, string> }

export function parseRoute(pathname: string, search: string): ViewerRoute {
  const [, first = '', ...rest] = pathname.split('/')
  return {
    page: isViewerPage(first) ? first : 'feed',
    id: rest.map(decodePart).join('/'),
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

/** The address of a place. What is empty is left out, so that one view has one address. */
export function hrefOf(page: ViewerPage, id = '', query: Record<string, string | undefined> = {}): string {
  const kept = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  const search = new URLSearchParams(kept).toString()
  const path = id === '' ? '' : `/${id.split('/').map(encodeURIComponent).join('/')}`
  return `/${page}${path}${search ? `?${search}` : ''}`
}

/** The address of a memory. */
export function memoryHref(kind: MemoryKind, id: string | number): string {
  // A # would end the address.
  return hrefOf('memory', memoryId(kind, id).replace('#', ''))
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
