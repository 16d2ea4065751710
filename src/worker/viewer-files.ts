import type { Log } from '../platform/log.ts'
import type { Home } from '../platform/paths.ts'
import { isViewerPage } from '../wire/viewer-pages.ts'
import type { ViewerFile } from './viewer-bundle.ts'

export type ViewerFiles = ReturnType<typeof openViewerFiles>

/** Our pages may load our own script, style and images and call our own routes, nothing else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // The browser refuses to turn text into markup.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/**
 * The files of the viewer. A package contains them; from source, a separate process bundles them on the first request into a folder whose name
 * changes with the source. Files are served from the disk and by their name only, never by a path.
 */
export function openViewerFiles(home: Home, log: Log) {
  let loading: Promise<Map<string, ViewerFile>> | null = null

  const load = async () => (await import('./viewer-bundle.ts')).loadViewerFiles(home, log)
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
      return file ? serve(request, file, isTyped ? 404 : 200) : null
    },
  }
}

function serve(request: Request, file: ViewerFile, status: number): Response {
  const headers = {
    etag: file.etag,
    vary: 'accept-encoding',
    'cache-control': file.isImmutable ? 'private, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': CONTENT_SECURITY_POLICY,
  }
  if (status === 200 && request.headers.get('if-none-match') === file.etag) return new Response(null, { status: 304, headers })
  const acceptsGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  const body = request.method === 'HEAD' ? null : Bun.file(acceptsGzip ? file.gzipPath : file.path)
  return new Response(body, {
    status,
    headers: { ...headers, 'content-type': file.type, ...(acceptsGzip ? { 'content-encoding': 'gzip' } : {}) },
  })
}

/** For browsers that are not signed in, or whose link has expired. The page loads nothing. */
export function signedOutPage(reason: string): Response {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Recollect</title></head>
<body><h1>Recollect</h1><p>${reason}</p><p>Run <code>recollect view</code> in a terminal to open the viewer.</p></body></html>`
  return new Response(page, {
    status: 401,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" },
  })
}

/**
 * Signs a browser in. The page forwards the browser itself: after a redirect the browser would treat the request as coming from another site and not
 * send the strict cookie.
 */
export function entryPage(to: string, cookie: string): Response {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${to}"><title>Recollect</title></head>
<body><p><a href="${to}">Open the viewer</a></p></body></html>`
  return new Response(page, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'set-cookie': cookie,
    },
  })
}
