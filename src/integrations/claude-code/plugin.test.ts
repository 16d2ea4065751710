import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION } from '../../platform/version.ts'
import { pluginFiles } from './plugin.ts'

const root = join(import.meta.dir, '..', '..', '..')

test('the generated files of the plugin are up to date (bin/with-bun scripts/plugin.ts)', () => {
  for (const [path, text] of Object.entries(pluginFiles(VERSION)))
    expect([path, readFileSync(join(root, path), 'utf8')]).toEqual([path, text])
})

test('every skill has the name of its folder and a description', () => {
  for (const skill of readdirSync(join(root, 'plugin', 'skills'))) {
    const text = readFileSync(join(root, 'plugin', 'skills', skill, 'SKILL.md'), 'utf8')
    const front = Bun.YAML.parse(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '') as Record<string, string>
    expect(Object.keys(front)).toEqual(['name', 'description'])
    expect([front.name, (front.description ?? '').length < 1024]).toEqual([skill, true])
  }
})
