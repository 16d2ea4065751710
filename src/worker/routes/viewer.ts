import type { viewer } from '../../wire/contract/viewer.ts'
import { isViewerPage } from '../../wire/viewer-pages.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'

export const handlers = {
  'POST /api/view/link': async ({ viewer, visitors }, { to, frame }, { control }) => {
    if (!isSafePath(to)) throw new BadRequest(`${to.slice(0, 80)} is not a page of the viewer`)
    const other = frame.find((origin) => !isEditorOrigin(origin))
    if (other !== undefined) throw new BadRequest(`${other.slice(0, 80)} may not show the viewer in a frame; only pages of VS Code may`)
    // The link expires after half a minute, so bundle the page first.
    await viewer.files()
    return { url: `http://127.0.0.1:${control.port()}/view/${visitors.invite(to, Date.now(), frame)}`, seconds: 30 }
  },
} satisfies Handlers<typeof viewer>

/** A page of the viewer with its query string; nothing that a browser could take for another site. */
function isSafePath(path: string): boolean {
  const [page = '', search = ''] = path.split(/\?(.*)/s)
  const isPlain = /^\/[\w.:/-]*$/.test(page) && !/\/\/|\.\./.test(page) && isViewerPage(page.split('/')[1] ?? '')
  return isPlain && /^[\w.~%=&*+-]*$/.test(search)
}

/** An origin of a VS Code window: of the desktop program, or of its server on this machine. It becomes part of a header. */
const isEditorOrigin = (origin: string): boolean =>
  /^(?:vscode-(?:webview|file):\/\/[\w.-]{1,100}|http:\/\/(?:127\.0\.0\.1|localhost):\d{1,5})$/.test(origin)
