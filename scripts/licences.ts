import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The packages that are inside what we build. `bun` is not: it is installed beside it, with its own licence. */
export const INSIDE = [
  '@modelcontextprotocol/core',
  '@modelcontextprotocol/server',
  '@preact/signals',
  '@preact/signals-core',
  'marked',
  'preact',
  'zod',
]

/** Their licences, word for word, as these ask for when a copy of the software is handed on. */
export function licences(root: string): string {
  const texts = INSIDE.map((name) => {
    const folder = join(root, 'node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string; license: string }
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
    if (!file) throw new Error(`${name} has no licence file`)
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  // The MCP server's package is a bundle itself, and does not say what it carries.
  const carried = readFileSync(join(import.meta.dir, 'licences-carried.txt'), 'utf8')
  return `Software that is inside this program, and its licences.\n\n${[...texts, carried].join(`\n${'-'.repeat(80)}\n\n`)}`
}
