import type { Log } from '../platform/log.ts'
import type { Home } from '../platform/paths.ts'
import { isViewerPage } from '../wire/viewer-pages.ts'
import type { ViewerFile } from './viewer-bundle.ts'

export type ViewerFiles = ReturnType<typeof openViewerFiles>

/**
 * The files of the viewer. A package contains them; from source, a separate process bundles them on the first request into a folder whose name
 * changes with the source. Files are served from the disk and by their name only, never by a path.
 */
export function openViewerFiles(home: Home, log: Log) {
  let loading: Promise<Map<string, ViewerFile>> | null = null

  const bundle = () => import('./viewer-bundle.ts')
  const load = async () => (await bundle()).loadViewerFiles(home, log)
  /** The files, bundled if necessary. After a failure the next request tries again. */
  const files = (): Promise<Map<string, ViewerFile>> => {
    loading ??= load().catch((cause) => {
      loading = null
      throw cause
    })
    return loading
  }
  return {
    files,
    /** Null when the path does not belong to the viewer. */
    answer: async (request: Request, url: URL): Promise<Response | null> => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return null
      const [, first = ''] = url.pathname.split('/')
      const asset = /^\/(app-[0-9a-f]+\.(?:js|css)|icon\.svg)$/.exec(url.pathname)?.[1]
      const name = first === '' || isViewerPage(first) ? 'index.html' : asset
      // A person who typed a wrong address gets a page that says so; programs get the error of the API.
      const isTyped = !name && first !== 'api' && request.headers.get('sec-fetch-dest') === 'document'
      const file = name || isTyped ? (await files()).get(name ?? 'index.html') : undefined
      return file ? (await bundle()).serveFile(request, file, isTyped ? 404 : 200) : null
    },
  }
}
