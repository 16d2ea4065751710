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

/** What a page of ours may do: load our own script and style, talk to us, and nothing else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No text ever becomes markup: the browser itself refuses it.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

type ViewerFile = { type: string; etag: string; path: string; zipped: string; lasting: boolean }

const SOURCE_FOLDER = join(import.meta.dir, '..')
const MAX_BUILD_MS = 60_000

/**
 * The viewer as a browser loads it. It comes along with the program; where that runs from its source it is bundled by a process of its own
 * when somebody first asks, and kept under a name that changes with the source. Served from the disk: the worker holds none of it in
 * memory. Only known names are answered, never a path.
 */
export function openViewerFiles(home: Home, log: Log) {
  let made: Promise<Map<string, ViewerFile>> | null = null

  /** The files, built if they are not there. A build that failed is tried again by whoever asks next. */
  const files = (): Promise<Map<string, ViewerFile>> => {
    made ??= loadViewerFiles(home, log).catch((cause) => {
      made = null
      throw cause
    })
    return made
  }
  return {
    files,
    /** Null when the address is none of the viewer's. */
    answer: async (request: Request, url: URL): Promise<Response | null> => {
      if (request.method !== 'GET' && request.method !== 'HEAD') return null
      const [, first = ''] = url.pathname.split('/')
      const asset = /^\/(app-[0-9a-f]+\.(?:js|css)|icon\.svg)$/.exec(url.pathname)?.[1]
      const name = first === '' || isViewerPage(first) ? 'index.html' : asset
      if (!name) return null
      const file = (await files()).get(name)
      return file ? serve(request, file) : null
    },
  }
}

function serve(request: Request, file: ViewerFile): Response {
  const headers = {
    etag: file.etag,
    vary: 'accept-encoding',
    'cache-control': file.lasting ? 'private, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': CONTENT_SECURITY_POLICY,
  }
  if (request.headers.get('if-none-match') === file.etag) return new Response(null, { status: 304, headers })
  const zips = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')
  const body = request.method === 'HEAD' ? null : Bun.file(zips ? file.zipped : file.path)
  return new Response(body, { headers: { ...headers, 'content-type': file.type, ...(zips ? { 'content-encoding': 'gzip' } : {}) } })
}

async function loadViewerFiles(home: Home, log: Log): Promise<Map<string, ViewerFile>> {
  const folder = RUNS_FROM_SOURCE ? await bundleFromSource(home, log) : join(shippedFilesFolder(), 'dist', 'viewer')
  return new Map(
    filesBelow(folder, ['.html', '.js', '.css', '.svg']).map((file) => {
      const etag = `"${fingerprint(readIfThere(file.path) ?? '', 32)}"`
      return [
        file.name,
        { type: contentTypeOf(file.name), etag, path: file.path, zipped: `${file.path}.gz`, lasting: file.name.startsWith('app-') },
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

/** Changes with everything that the bundle is made of. */
function sourceFingerprint(): string {
  const sources = ['viewer', 'wire', 'core'].flatMap((room) => filesBelow(join(SOURCE_FOLDER, room), ['.ts', '.tsx', '.css', '.svg']))
  return fingerprint(sources.map(({ path }) => `${path}\n${readIfThere(path)}`).join('\n'), 12)
}

const contentTypeOf = (name: string) =>
  ({ html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' })[name.split('.').at(-1) as 'html'] +
  '; charset=utf-8'

/** Makes the folder beside its place and moves it there whole: a folder that is there is complete. */
export async function bundleViewer(folder: string): Promise<void> {
  const making = `${folder}.${crypto.randomUUID()}`
  ensurePrivateFolder(making)
  try {
    const entry = join(SOURCE_FOLDER, 'viewer', 'app.tsx')
    const jsx = ['--jsx-runtime=automatic', '--jsx-import-source=preact']
    const args = ['build', entry, '--outdir', making, '--target=browser', '--production', ...jsx]
    const { code, stderr } = await runProgram(process.execPath, args, { cwd: join(SOURCE_FOLDER, '..'), timeoutMs: MAX_BUILD_MS })
    if (code !== 0) throw new Error(`the viewer could not be bundled: ${stderr.slice(-500)}`)
    const text = (name: string) => readIfThere(join(making, name)) ?? ''
    const [script, style] = [text('app.js'), text('app.css')]
    const named = { script: `app-${fingerprint(script)}.js`, style: `app-${fingerprint(style)}.css` }
    moveFile(join(making, 'app.js'), join(making, named.script))
    moveFile(join(making, 'app.css'), join(making, named.style))
    writeFileAtomically(join(making, 'icon.svg'), readIfThere(join(SOURCE_FOLDER, 'viewer', 'icon.svg')) ?? '')
    writeFileAtomically(join(making, 'index.html'), indexPage(named))
    for (const file of filesBelow(making, ['.html', '.js', '.css', '.svg']))
      writeFileAtomically(`${file.path}.gz`, Bun.gzipSync(readIfThere(file.path) ?? '', { level: 9 }))
    if (!exists(folder)) moveFile(making, folder)
  } finally {
    removeTree(making)
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
<body><div id="app"></div><noscript>The viewer is a program that runs in the browser; it needs JavaScript.</noscript></body>
</html>
`

/** What a browser sees that was not let in, or whose link is used up. No script, no style from anywhere. */
export function signedOutPage(why: string): Response {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Recollect</title></head>
<body><h1>Recollect</h1><p>${why}</p><p>Run <code>recollect view</code> in a terminal to open the viewer.</p></body></html>`
  return new Response(page, {
    status: 401,
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "default-src 'none'; frame-ancestors 'none'" },
  })
}

/**
 * Lets a browser in. The page it gets goes on by itself: a redirect would still count as the doing of whoever made the link, and
 * a strict cookie would not come along.
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
