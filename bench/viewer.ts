/** The viewer in a real browser: first paint and until the feed is shown, next to an empty page. */
import { parseArguments } from '../scripts/arguments.ts'
import { hasBrowser, openBrowser } from '../test/support/browser.ts'
import { aTestHome } from '../test/support/test-home.ts'
import { median } from './measure.ts'
import { recordResult } from './result.ts'

parseArguments('bench/viewer.ts', {})
const ROUNDS = 9
if (!hasBrowser) {
  console.log('Chromium is not installed, so the viewer is not measured')
  recordResult({ part: 'Viewer', name: 'first paint', value: 0, unit: 'not run' })
  process.exit(0)
}
await using home = await aTestHome()
await home.run('start')
for (let n = 0; n < 20; n++) await home.run('capture', `Note ${n}: the tide table is read once a day.`)
const { url } = JSON.parse(await home.run('view', '--json')) as { url: string }
await using browser = await openBrowser()
const { page } = browser
await page.goto(url)
await page.waitForSelector('nav.side')
const { origin } = new URL(url)
const times: Record<string, number[]> = { 'first paint': [], 'until the feed is shown': [], 'first paint of an empty page': [] }
for (let round = 0; round < ROUNDS; round++) {
  await page.goto('data:text/html,<p>empty')
  times['first paint of an empty page']?.push(await firstPaint())
  await page.goto(`${origin}/`)
  await page.waitForSelector('main header.head, main .empty')
  times['until the feed is shown']?.push(Number(await page.evaluate('performance.now()')))
  times['first paint']?.push(await firstPaint())
}
for (const [name, values] of Object.entries(times)) {
  console.log(`  ${name.padEnd(44)} ${median(values).toFixed(0).padStart(6)} ms`)
  recordResult({ part: 'Viewer', name, value: median(values), unit: 'ms' })
}

async function firstPaint(): Promise<number> {
  for (;;) {
    const at = await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
    if (typeof at === 'number') return at
    await page.waitForTimeout(10)
  }
}
