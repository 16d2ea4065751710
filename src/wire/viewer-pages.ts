/** The pages of the viewer, by the first part of their path. */
export const VIEWER_PAGES = [
  'feed',
  'sessions',
  'search',
  'memory',
  'rules',
  'timeline',
  'graph',
  'injections',
  'projects',
  'team',
  'forgotten',
  'worker',
  'settings',
] as const
export type ViewerPage = (typeof VIEWER_PAGES)[number]

export const isViewerPage = (word: string): word is ViewerPage => (VIEWER_PAGES as readonly string[]).includes(word)

/** The pages that a person can name, as the viewer calls them. */
export const PAGE_NAMES = VIEWER_PAGES.filter((page) => page !== 'memory').map((page) => (page === 'worker' ? 'health' : page))

/** How much of a query goes into a page's URL. A URL has room for 16 KB, and in some scripts a letter takes nine bytes there. */
export const MAX_QUERY_CHARS_IN_URL = 1000

/** The path for what a person typed: the name of a page, a memory's id (12, #12, S3, P7, C5, N…), or nothing. Null when it is none of these. */
export function viewerPathFor(text: string): string | null {
  const word = text.trim()
  if (word === '') return '/feed'
  if (isViewerPage(word)) return `/${word}`
  if (word === 'health') return '/worker'
  const id = word.replace(/^#/, '')
  return /^(?:[SPCspc]?\d{1,15}|N[\w.-]{1,80}|[0-7][0-9A-HJKMNP-TV-Z]{25})$/.test(id) ? `/memory/${id}` : null
}
