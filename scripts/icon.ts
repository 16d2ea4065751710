/** Draws the plugin's icon from that of the viewer, with Chromium: `bin/with-bun scripts/icon.ts`. */
import { join } from 'node:path'
import { openBrowser } from '../test/support/browser.ts'

const root = join(import.meta.dir, '..')
await using browser = await openBrowser({ width: 512, height: 512 })
const svg = await Bun.file(join(root, 'src', 'viewer', 'icon.svg')).text()
await browser.page.setContent(`<style>body { margin: 0 } svg { display: block; width: 512px; height: 512px }</style>${svg}`)
await browser.page.screenshot({ path: join(root, 'plugin', '.claude-plugin', 'icon.png'), omitBackground: true })
