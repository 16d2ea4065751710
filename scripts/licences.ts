import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The packages that our builds contain. `bun` is not one of them: it is installed separately, with its own licence. */
export const BUNDLED_PACKAGES = [
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/server',
  '@preact/signals',
  '@preact/signals-core',
  'marked',
  'preact',
  'zod',
]

/** The full texts of their licences, which must accompany every copy. */
export function licences(root: string): string {
  const texts = BUNDLED_PACKAGES.map((name) => {
    const folder = join(root, 'node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string; license: string }
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    if (!file) throw new Error(`${name} has no licence file`)
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  // The MCP server's package is itself a bundle and does not list its contents.
  const carried = readFileSync(join(import.meta.dir, 'licences-carried.txt'), 'utf8')
  return `Software that this program contains, and its licences.\n\n${[...texts, carried].join(`\n${'-'.repeat(80)}\n\n`)}`
}
