import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Frame, Page } from 'playwright-core'
import { packageExtension } from '../../scripts/vscode.ts'
import { hasBrowser, openBrowser } from '../support/browser.ts'
import { nodeForTests } from './agent-clients.ts'
import { claudeClient, installFromNpm, npmInstall, orSkip } from './client.ts'
import type { Sandbox } from './sandbox.ts'

/** VS Code's own server and workbench, from npm. It runs without its native modules, so that no compiler is needed. */
const CODE_SERVER = '4.139.1'

async function codeServer(): Promise<string> {
  const folder = await installFromNpm(`code-server-${CODE_SERVER}`, [`code-server@${CODE_SERVER}`], async (partial) => {
    // Its install script would install the workbench's own packages, and build those that we can do without.
    await npmInstall(join(partial, 'node_modules', 'code-server', 'lib', 'vscode'))
  })
  return join(folder, 'node_modules', 'code-server')
}

/** `test` if the workbench, a browser and Claude Code can be run, otherwise a `test` that skips and says why. In CI a missing one is an error. */
export const workbenchOrSkip = () =>
  orSkip(`code-server ${CODE_SERVER}`, async () => {
    if (!hasBrowser) throw new Error('Chromium is not installed.')
    await claudeClient()
    await codeServer()
    await nodeForTests()
  })

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')
const PROBE = join(import.meta.dir, '..', 'vscode', 'probe')

export type Workbench = Awaited<ReturnType<typeof openWorkbench>>

/** The packaged extension: its file, and what vsce printed. */
export async function packagedExtension(): Promise<{ file: string; said: string }> {
  const file = join(mkdtempSync(join(tmpdir(), 'recollect-vsix-')), 'recollect.vsix')
  return { file, said: await packageExtension(file) }
}

export type WorkbenchOptions = {
  vsix: string
  settings?: Record<string, unknown>
  dark?: boolean
  isTrusted?: boolean
  env?: Record<string, string>
  /** Query of the window's address that says what to open; by default the project's folder. */
  open?: string
}

/** A real VS Code in a real browser, with the packaged extension, in the home and the project of a person. */
export async function openWorkbench(person: Sandbox, options: WorkbenchOptions) {
  const base = join(person.root, 'vscode')
  const [server, node] = await Promise.all([codeServer(), nodeForTests()])
  const isNew = !existsSync(base)
  mkdirSync(join(base, 'data', 'User'), { recursive: true })
  const theme = options.dark ? 'Default Dark Modern' : 'Default Light Modern'
  writeFileSync(
    join(base, 'data', 'User', 'settings.json'),
    JSON.stringify({
      'workbench.colorTheme': theme,
      'workbench.startupEditor': 'none',
      'window.commandCenter': false,
      // As on the desktop. In a browser, VS Code saves after every pause.
      'files.autoSave': 'off',
      ...options.settings,
    }),
  )
  // Settings of the machine: the person's own settings cannot name a program of a remote machine.
  mkdirSync(join(base, 'data', 'Machine'), { recursive: true })
  writeFileSync(join(base, 'data', 'Machine', 'settings.json'), JSON.stringify({ 'recollect.path': RECOLLECT }))
  const probeFile = join(base, 'probe-port')
  rmSync(probeFile, { force: true })
  const env = { ...person.env, PATH: `${node}:${person.env.PATH}`, RECOLLECT_PROBE: probeFile, LANG: 'C.UTF-8', ...options.env }
  const folders = ['--user-data-dir', join(base, 'data'), '--extensions-dir', join(base, 'extensions')]
  const run = (...args: string[]) =>
    Bun.spawn([join(node, 'node'), server, ...folders, ...args], { cwd: base, env, stdio: ['ignore', 'pipe', 'pipe'] })
  if (isNew) {
    cpSync(PROBE, join(base, 'extensions', 'recollect-test.probe-0.0.1'), { recursive: true })
    const installing = run('--install-extension', options.vsix)
    const [said, code] = await Promise.all([installing.stdout.text(), installing.exited])
    if (code !== 0) throw new Error(`code-server could not install the extension: ${said}`)
  }
  const trust = options.isTrusted === false ? [] : ['--disable-workspace-trust']
  const serving = run('--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check', ...trust)
  const log = { text: '' }
  void keep(serving.stderr, log)
  void keep(serving.stdout, log)
  const port = await until(
    'code-server listens',
    async () => /HTTP server listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(log.text)?.[1] ?? null,
    60_000,
  )
  const browser = await openBrowser({ dark: options.dark ?? false, width: 1360, height: 860 })
  const { page, context } = browser
  const requested: string[] = []
  context.on('request', (request) => requested.push(request.url()))
  // Another site than the worker's 127.0.0.1, as on the desktop, where the window is no web page at all.
  await page.goto(`http://localhost:${port}/?${options.open ?? `folder=${person.project}`}`)
  const probe = async <T>(code: string): Promise<T> => {
    const probePort = await until('the probe runs', async () => (existsSync(probeFile) ? readFileSync(probeFile, 'utf8') : null), 120_000)
    const reply = await fetch(`http://127.0.0.1:${probePort}`, { method: 'POST', body: code })
    const { value, error } = (await reply.json()) as { value: T; error?: string }
    if (error) throw new Error(`in the extension host: ${error}`)
    return value
  }
  await page.waitForSelector('.monaco-workbench .statusbar', { timeout: 120_000 })
  return {
    page,
    probe,
    /** The addresses that the browser has asked for. */
    requested,
    log,
    port: Number(port),
    probeFile,
    /** A frame that contains this, such as the viewer in the side bar. */
    frameWith: (selector: string) => until(`a frame contains ${selector}`, () => frameWith(page, selector), 60_000),
    close: async () => {
      await browser[Symbol.asyncDispose]()
      serving.kill()
      await serving.exited
    },
  }
}

async function frameWith(page: Page, selector: string): Promise<Frame | null> {
  for (const frame of page.frames())
    if (
      await frame
        .locator(selector)
        .count()
        .catch(() => 0)
    )
      return frame
  return null
}

async function keep(stream: ReadableStream<Uint8Array>, log: { text: string }): Promise<void> {
  for await (const part of stream) log.text += new TextDecoder().decode(part)
}

/** The first value that is not null; throws after a while. */
export async function until<T>(what: string, ask: () => Promise<T | null | false | undefined>, timeoutMs = 30_000): Promise<T> {
  for (const end = Date.now() + timeoutMs; ; await Bun.sleep(150)) {
    const value = await ask()
    if (value !== null && value !== false && value !== undefined) return value
    if (Date.now() > end) throw new Error(`this did not happen within ${timeoutMs / 1000} seconds: ${what}`)
  }
}
