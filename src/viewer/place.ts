import { type Kind, memoryId } from '../core/kinds.ts'
import { isPage, type Page } from '../wire/pages.ts'

/** Where a person is: a page, the thing it shows, and how they look at it. Every view has an address, so that it can be kept. */
export type Place = { page: Page; id: string; query: Record<string, string> }

export function placeAt(pathname: string, search: string): Place {
  const [, first = '', ...rest] = pathname.split('/')
  return { page: isPage(first) ? first : 'feed', id: rest.map(decoded).join('/'), query: Object.fromEntries(new URLSearchParams(search)) }
}

/** The address of a place. What is empty is left out, so that one view has one address. */
export function hrefOf(page: Page, id = '', query: Record<string, string | undefined> = {}): string {
  const kept = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]))
  const search = new URLSearchParams(kept).toString()
  const path = id === '' ? '' : `/${id.split('/').map(encodeURIComponent).join('/')}`
  return `/${page}${path}${search ? `?${search}` : ''}`
}

/** The address of a memory. */
export function memoryHref(kind: Kind, id: string | number): string {
  // A # would end the address.
  return hrefOf('memory', memoryId(kind, id).replace('#', ''))
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
