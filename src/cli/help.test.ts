import { expect, test } from 'bun:test'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { closestName } from '../core/closest-name.ts'
import { EXPORT_KINDS, IMPORT_SOURCES } from '../wire/contract/upkeep.ts'
import { COMMANDS, loadAllCommands } from './commands.ts'
import { helpText } from './help.ts'
import { LIST, SHORT_LIST } from './list.ts'
import { TOPICS, topicText } from './topics.ts'

const commands = await loadAllCommands()

test('each file in commands/ is one command of that name', () => {
  const files = readdirSync(join(import.meta.dir, 'commands')).filter((file) => !file.endsWith('.test.ts'))
  expect(files.map((file) => file.replace(/\.ts$/, '')).sort()).toEqual(Object.keys(COMMANDS).sort())
  expect(commands.map(({ name }) => name)).toEqual(Object.keys(COMMANDS))
})

const listed = (list: string) => [...list.matchAll(/^ {2}(\S+) +(.+)$/gm)].map(([, name, summary]) => [name, summary])

test('the long list contains every command with its summary, in 80 columns', () => {
  expect(listed(LIST)).toEqual(commands.map(({ name, summary }) => [name, summary]))
  for (const line of LIST.split('\n')) expect([line, line.length <= 80]).toEqual([line, true])
})

test('the short list has the eight commands that people need', () => {
  expect(listed(SHORT_LIST)).toHaveLength(8)
  for (const [name, summary] of listed(SHORT_LIST))
    expect([name, commands.find((one) => one.name === name)?.summary]).toEqual([name, summary])
})

test('the help of a command shows how to call it and each option, and the usage mentions no unknown option', () => {
  for (const command of commands) {
    const { name, usage } = command
    const options = Object.keys(command.options)
    expect(usage).toStartWith(`recollect ${name}`)
    expect(helpText(command)).toContain(usage)
    for (const option of options) expect(helpText(command)).toMatch(new RegExp(`^  --${option}\\b.* {2}\\S`, 'm'))
    for (const [, mentioned = ''] of usage.matchAll(/\[--([a-z][a-z-]*)/g))
      expect([name, options]).toEqual([name, expect.arrayContaining([mentioned])])
  }
})

test('the ways to call a command are below each other, and an option that lists its values lists all of them', () => {
  for (const { name, usage, options } of commands) {
    const [, ...further] = (usage.split('\n\n')[0] ?? '').split('\n')
    for (const line of further) expect([name, line]).toEqual([name, expect.stringMatching(/^ {7}(?:recollect| {10,}\[)/)])
    for (const [option, { of = [] }] of Object.entries(options))
      for (const [, values = ''] of usage.matchAll(new RegExp(`\\[--${option} ([a-z+-]+(?:\\|[a-z+-]+)+)`, 'g')))
        expect([name, option, values]).toEqual([name, option, of.join('|')])
  }
})

test.each([
  ['serach', 'search'],
  ['STATUS', 'status'],
  ['statuss', 'status'],
  ['docter', 'doctor'],
  ['improt', 'import'],
  ['x', null],
  ['deploy', null],
  ['', null],
])('for the unknown command "%s" the suggestion is %p', (typed, suggestion) => {
  expect(closestName(typed, Object.keys(COMMANDS))).toBe(suggestion)
})

test('every topic has a text in its guide, and no topic has the name of a command', () => {
  for (const topic of Object.keys(TOPICS)) {
    expect(COMMANDS[topic]).toBeUndefined()
    expect(topicText(topic)?.length).toBeGreaterThan(100)
  }
  expect(topicText('nonsense')).toBeNull()
})

test('export and import accept every kind and source of the contract', () => {
  const allowed = (name: string, option: string) => commands.find((one) => one.name === name)?.options[option]?.of?.toSorted()
  expect(allowed('export', 'kind')).toEqual(EXPORT_KINDS.toSorted())
  expect(allowed('import', 'from')).toEqual(IMPORT_SOURCES.toSorted())
})

/** The files of the project that a command loads, and its output. */
async function filesLoadedBy(...args: string[]): Promise<{ output: string; loaded: string[] }> {
  using folder = temporaryFolder()
  const preload = join(folder.path, 'preload.ts')
  writeFileSync(preload, `process.on('exit', () => console.error(Object.keys(require.cache).join('\\n')))`)
  const child = Bun.spawn([process.execPath, '--preload', preload, join(import.meta.dir, 'main.ts'), ...args], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, loaded] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return {
    output,
    loaded: loaded
      .trim()
      .split('\n')
      .filter((path) => path !== preload),
  }
}

test('the list of commands loads only itself', async () => {
  const { output, loaded } = await filesLoadedBy('help')
  expect(output).toBe(`${SHORT_LIST}\n`)
  expect(loaded.sort()).toEqual(['list.ts', 'main.ts'].map((name) => join(import.meta.dir, name)))
})

test('the help of a command loads no other command and no package', async () => {
  const { output, loaded } = await filesLoadedBy('help', 'search')
  expect(output).toContain('recollect search <words…>')
  expect(loaded.filter((path) => path.includes('/cli/commands/'))).toEqual([join(import.meta.dir, 'commands', 'search.ts')])
  expect(loaded.filter((path) => path.includes('node_modules'))).toEqual([])
})
