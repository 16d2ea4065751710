import type { viewer } from '../../wire/contract/viewer.ts'
import { isViewerPage } from '../../wire/viewer-pages.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'

export const handlers = {
  'POST /api/view/link': async ({ viewer, visitors }, { to }, { control }) => {
    if (!isSafePath(to)) throw new BadRequest(`${to.slice(0, 80)} is not a page of the viewer`)
    // The link expires after half a minute, so bundle the page first.
    await viewer.files()
    return { url: `http://127.0.0.1:${control.port()}/view/${visitors.invite(to, Date.now())}`, seconds: 30 }
  },
} satisfies Handlers<typeof viewer>

/** A page of the viewer with its query string; nothing that a browser could take for another site. */
function isSafePath(path: string): boolean {
  const [page = '', search = ''] = path.split(/\?(.*)/s)
  const isPlain = /^\/[\w.:/-]*$/.test(page) && !/\/\/|\.\./.test(page) && isViewerPage(page.split('/')[1] ?? '')
  return isPlain && /^[\w.~%=&*+-]*$/.test(search)
}
