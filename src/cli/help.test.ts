import { expect, test } from 'bun:test'
import { COMMANDS, helpText } from './help.ts'
import { nearest } from './nearest.ts'

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
