/** Writes the generated files of the plugin: `bin/with-bun scripts/plugin.ts`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pluginFiles } from '../src/integrations/claude-code/plugin.ts'
import { VERSION } from '../src/platform/version.ts'

const root = join(import.meta.dir, '..')
for (const [path, text] of Object.entries(pluginFiles(VERSION))) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
