/** The pages of the viewer, by the first part of their address. Whoever serves, opens or shows one reads it here. */
export const VIEWER_PAGES = [
  'feed',
  'sessions',
  'search',
  'memory',
  'timeline',
  'graph',
  'injections',
  'projects',
  'worker',
  'settings',
] as const
export type ViewerPage = (typeof VIEWER_PAGES)[number]

export const isViewerPage = (word: string): word is ViewerPage => (VIEWER_PAGES as readonly string[]).includes(word)

/** Of a question that stands in the address of a page, so much: an address has room for 16 KB, and some scripts take nine bytes a letter there. */
export const MAX_QUERY_CHARS_IN_URL = 1000

/** Where a person wants to go, as they type it: a page, a memory's id (12, #12, S3, P7, N…), or nothing. Null when it is neither. */
export function viewerPathFor(wanted: string): string | null {
  const word = wanted.trim()
  if (word === '') return '/feed'
  if (isViewerPage(word)) return `/${word}`
  if (word === 'health') return '/worker'
  const id = word.replace(/^#/, '')
  return /^(?:[SPsp]?\d{1,15}|N[\w.-]{1,80}|[0-7][0-9A-HJKMNP-TV-Z]{25})$/.test(id) ? `/memory/${id}` : null
}
