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

export type ViewerFile = { type: string; etag: string; path: string; gzipPath: string; isImmutable: boolean }

const SOURCE_FOLDER = join(import.meta.dir, '..')
const MAX_BUILD_MS = 60_000

/** The viewer's files by name, bundled first when the program runs from source. */
export async function loadViewerFiles(home: Home, log: Log): Promise<Map<string, ViewerFile>> {
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

/** Answers with a file, compressed if the browser accepts that. */
export function serveFile(request: Request, file: ViewerFile, status: number): Response {
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
