import { expect, test } from 'bun:test'
import { COMMANDS } from './help.ts'
import { nearest } from './nearest.ts'
import { TAKES, takenBy } from './options.ts'
import { TOPICS, topicText } from './topics.ts'
import { helpText } from './usage.ts'

test('the help lists every command with what it does', () => {
  const text = helpText()
  for (const [name, { summary }] of Object.entries(COMMANDS)) expect(text).toMatch(new RegExp(`^  ${name} +${summary.slice(0, 10)}`, 'm'))
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
  expect(nearest(typed, Object.keys(COMMANDS))).toBe(meant)
})

test('every command has its table of options, and the way it is shown names no option that is not there', () => {
  expect(Object.keys(TAKES).sort()).toEqual(Object.keys(COMMANDS).sort())
  for (const [name, { usage }] of Object.entries(COMMANDS)) {
    const options = Object.keys(takenBy(name)?.options ?? {})
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
