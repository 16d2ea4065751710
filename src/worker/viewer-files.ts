import { join } from 'node:path'
import { fingerprint } from '../core/hash.ts'
import { ensurePrivateFolder, exists, moveFile, readIfThere, writeFileAtomically } from '../platform/files.ts'
import { filesBelow, removeAllExcept, removeTree } from '../platform/folder.ts'
import type { Log } from '../platform/log.ts'
import type { Home } from '../platform/paths.ts'
import { runProgram } from '../platform/processes.ts'
import { RUNS_FROM_SOURCE } from '../platform/program.ts'
import { shippedFilesFolder } from '../platform/shipped-files.ts'
import { VERSION } from '../platform/version.ts'
import { isViewerPage } from '../wire/viewer-pages.ts'

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

type ViewerFile = { type: string; etag: string; path: string; gzipPath: string; isImmutable: boolean }

const SOURCE_FOLDER = join(import.meta.dir, '..')
const MAX_BUILD_MS = 60_000

/**
 * The files of the viewer. A package contains them; from source, a separate process bundles them on the first request into a folder whose name
 * changes with the source. Files are served from the disk and by their name only, never by a path.
 */
export function openViewerFiles(home: Home, log: Log) {
  let loading: Promise<Map<string, ViewerFile>> | null = null

  /** The files, bundled if necessary. After a failure the next request tries again. */
  const files = (): Promise<Map<string, ViewerFile>> => {
    loading ??= loadViewerFiles(home, log).catch((cause) => {
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

async function loadViewerFiles(home: Home, log: Log): Promise<Map<string, ViewerFile>> {
  const folder = RUNS_FROM_SOURCE ? await bundleFromSource(home, log) : join(shippedFilesFolder(), 'dist', 'viewer')
  return new Map(
    filesBelow(folder, ['.html', '.js', '.css', '.svg']).map((file) => {
      const etag = `"${fingerprint(readIfThere(file.path) ?? '', 32)}"`
      return [
        file.name,
        { type: contentTypeOf(file.name), etag, path: file.path, gzipPath: `${file.path}.gz`, isImmutable: file.name.startsWith('app-') },
      ]
    }),
  )
}

async function bundleFromSource(home: Home, log: Log): Promise<string> {
  const name = `viewer-${VERSION}-${sourceFingerprint()}`
  const folder = join(home.run, name)
  if (!exists(join(folder, 'index.html'))) {
    const started = performance.now()
    await bundleViewer(folder)
    log.info('bundled the viewer', { ms: Math.round(performance.now() - started) })
  }
  removeAllExcept(home.run, 'viewer-', name)
  return folder
}

/** Changes with every source file of the bundle. */
function sourceFingerprint(): string {
  const sources = ['viewer', 'wire', 'core'].flatMap((room) => filesBelow(join(SOURCE_FOLDER, room), ['.ts', '.tsx', '.css', '.svg']))
  return fingerprint(sources.map(({ path }) => `${path}\n${readIfThere(path)}`).join('\n'), 12)
}

const contentTypeOf = (name: string) =>
  ({ html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' })[name.split('.').at(-1) as 'html'] +
  '; charset=utf-8'

/** Bundles into a temporary folder and moves it into place, so that an existing folder is always complete. */
export async function bundleViewer(folder: string): Promise<void> {
  const temporary = `${folder}.${crypto.randomUUID()}`
  ensurePrivateFolder(temporary)
  try {
    const entry = join(SOURCE_FOLDER, 'viewer', 'app.tsx')
    const jsx = ['--jsx-runtime=automatic', '--jsx-import-source=preact']
    const args = ['build', entry, '--outdir', temporary, '--target=browser', '--production', ...jsx]
    const { code, stderr } = await runProgram(process.execPath, args, { cwd: join(SOURCE_FOLDER, '..'), timeoutMs: MAX_BUILD_MS })
    if (code !== 0) throw new Error(`the viewer could not be bundled: ${stderr.slice(-500)}`)
    const text = (name: string) => readIfThere(join(temporary, name)) ?? ''
    const [script, style] = [text('app.js'), text('app.css')]
    const names = { script: `app-${fingerprint(script)}.js`, style: `app-${fingerprint(style)}.css` }
    moveFile(join(temporary, 'app.js'), join(temporary, names.script))
    moveFile(join(temporary, 'app.css'), join(temporary, names.style))
    writeFileAtomically(join(temporary, 'icon.svg'), readIfThere(join(SOURCE_FOLDER, 'viewer', 'icon.svg')) ?? '')
    writeFileAtomically(join(temporary, 'index.html'), indexPage(names))
    for (const file of filesBelow(temporary, ['.html', '.js', '.css', '.svg']))
      writeFileAtomically(`${file.path}.gz`, Bun.gzipSync(readIfThere(file.path) ?? '', { level: 9 }))
    if (!exists(folder)) moveFile(temporary, folder)
  } finally {
    removeTree(temporary)
  }
}

const indexPage = ({ script, style }: { script: string; style: string }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Recollect</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/${style}">
<script type="module" src="/${script}"></script>
</head>
<body><div id="app"></div><noscript>The viewer needs JavaScript.</noscript></body>
</html>
`

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
