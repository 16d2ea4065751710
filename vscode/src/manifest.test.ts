import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dir, '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const manifest = JSON.parse(read('vscode/package.json'))
const source = [...new Bun.Glob('vscode/src/*.ts').scanSync(root)]
  .filter((path) => !path.endsWith('.test.ts'))
  .map(read)
  .join('\n')

test('the extension has the version and the licence of the program', () => {
  expect(manifest.version).toBe(JSON.parse(read('package.json')).version)
  expect(read('vscode/LICENSE')).toBe(read('LICENSE'))
})

test('every command, tool and setting that the manifest names is in the code, and the other way round', () => {
  const { commands, languageModelTools, configuration, walkthroughs } = manifest.contributes
  const registered = new Set([...source.matchAll(/^ {4}'(recollect\.\w+)':/gm)].map(([, name]) => name))
  const declared: string[] = commands.map(({ command }: { command: string }) => command)
  expect(declared.filter((name) => !registered.has(name))).toEqual([])
  // Commands of links and of the status bar are not in the palette.
  expect([...registered].filter((name) => !declared.includes(name ?? '')).sort()).toEqual(['recollect.openMemory', 'recollect.status'])
  for (const [, name = ''] of JSON.stringify(walkthroughs).matchAll(/command:(recollect\.\w+)/g)) expect(registered).toContain(name)
  for (const { name } of languageModelTools as { name: string }[]) expect(source).toContain(`${name}: 'memory_`)
  for (const name of Object.keys(configuration.properties)) {
    const [, section = '', key] = name.split('.')
    expect([name, source.includes(`'${section}'`) || source.includes(`'${key}'`) || source.includes(`'${section}.${key}'`)]).toEqual([
      name,
      true,
    ])
  }
})

test('settings that name a program or a home belong to the machine, so that a workspace cannot change them', () => {
  const { properties } = manifest.contributes.configuration
  for (const name of manifest.capabilities.untrustedWorkspaces.restrictedConfigurations) expect(properties[name].scope).toBe('machine')
  expect(manifest.extensionKind).toEqual(['workspace'])
})

test('only the person can change what is recorded, not the settings of a repository', () => {
  const { properties } = manifest.contributes.configuration
  const recording = Object.keys(properties).filter((name) => name.startsWith('recollect.record.'))
  for (const name of recording) expect([name, properties[name].scope]).toEqual([name, 'application'])
})
