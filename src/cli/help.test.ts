import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { closestName } from '../core/closest-name.ts'
import { COMMANDS } from './help.ts'
import { commandSummaries } from './list.ts'
import { argumentsOf, COMMAND_ARGUMENTS } from './options.ts'
import { TOPICS, topicText } from './topics.ts'
import { helpText } from './usage.ts'

test('the help lists every command with what it does', () => {
  const text = helpText()
  expect(Object.keys(commandSummaries()).sort()).toEqual(Object.keys(COMMANDS).sort())
  for (const [name, about] of Object.entries(commandSummaries())) {
    expect(text).toContain(`\n  ${name.padEnd(11)}  ${about}\n`)
  }
  for (const line of text.split('\n')) expect([line, line.length <= 80]).toEqual([line, true])
})

test('the help of a command shows how to call it, and an unknown one gives the list', () => {
  for (const [name, { usage }] of Object.entries(COMMANDS)) {
    expect(helpText(name)).toContain(usage)
    expect(usage).toStartWith(`recollect ${name}`)
  }
  expect(helpText('nonsense')).toBe(helpText())
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
])('who types "%s" probably meant %p', (typed, meant) => {
  expect(closestName(typed, Object.keys(COMMANDS))).toBe(meant)
})

test('every command has its table of options, and the way it is shown names no option that is not there', () => {
  expect(Object.keys(COMMAND_ARGUMENTS).sort()).toEqual(Object.keys(COMMANDS).sort())
  for (const [name, { usage }] of Object.entries(COMMANDS)) {
    const options = Object.keys(argumentsOf(name)?.options ?? {})
    for (const [, named] of usage.matchAll(/ --([a-z][a-z-]*)/g))
      if (usage.includes(`[--${named}`)) expect([name, options]).toEqual([name, expect.arrayContaining([named as string])])
    for (const option of options) expect(helpText(name)).toMatch(new RegExp(`^  --${option}\\b.* {2}\\S`, 'm'))
  }
})

test('every topic is told from its guide, and none hides behind a command', () => {
  for (const topic of Object.keys(TOPICS)) {
    expect(COMMANDS[topic]).toBeUndefined()
    expect(topicText(topic)?.length).toBeGreaterThan(100)
  }
  expect(topicText('nonsense')).toBeNull()
})

test('the list of commands is there at once: nothing of the program is loaded for it but the list', async () => {
  using folder = temporaryFolder()
  const watch = join(folder.path, 'watch.ts')
  writeFileSync(watch, `process.on('exit', () => console.error(Object.keys(require.cache).join('\\n')))`)
  const child = Bun.spawn([process.execPath, '--preload', watch, join(import.meta.dir, 'main.ts'), 'help'], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  expect(await child.stdout.text()).toBe(`${helpText()}\n`)
  const loaded = (await child.stderr.text()).trim().split('\n')
  expect(loaded.filter((path) => path !== watch).sort()).toEqual(['list.ts', 'main.ts'].map((name) => join(import.meta.dir, name)))
})
