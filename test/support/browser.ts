import { test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'

/** The installed Chromium, with its background services switched off. */
export type Visitor = { context: BrowserContext; page: Page; [Symbol.asyncDispose](): Promise<void> }

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A browser on a busy machine may need a minute to start. */
const MAX_WAIT_MS = 120_000

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path))

export const hasBrowser = CHROMIUM !== undefined

/** `test` if a browser is installed, else a `test` that is skipped with a warning. In CI a missing browser is an error. */
export function browserOrSkip() {
  if (hasBrowser) return test
  if (process.env.CI) throw new Error('the viewer is tested in a real browser; install chromium')
  console.warn('Tests of the viewer are skipped: /usr/bin/chromium is not installed.')
  return test.skipIf(true)
}

export async function openBrowser(
  options: { dark?: boolean; width?: number; height?: number; reducedMotion?: boolean } = {},
): Promise<Visitor> {
  const folder = mkdtempSync(join(tmpdir(), 'recollect-browser-'))
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: CHROMIUM ?? '',
    headless: true,
    args: FLAGS,
    timeout: MAX_WAIT_MS,
    colorScheme: options.dark ? 'dark' : 'light',
    viewport: { width: options.width ?? 1200, height: options.height ?? 760 },
    ...(options.reducedMotion ? { reducedMotion: 'reduce' as const } : {}),
  })
  context.setDefaultTimeout(MAX_WAIT_MS)
  return {
    context,
    page: context.pages()[0] ?? (await context.newPage()),
    [Symbol.asyncDispose]: async () => {
      await context.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}
