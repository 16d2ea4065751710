import { expect, test } from 'bun:test'
import { isTypingTarget, openKeyReader } from './keys.ts'

const known = (name: string) => ['g f', 'g s', 'j', '/', '?'].includes(name)

test('one key or two, and what is unknown does nothing', () => {
  const read = openKeyReader()
  expect(read('j', known, 0)).toBe('j')
  expect(read('g', known, 10)).toBeNull()
  expect(read('f', known, 20)).toBe('g f')
  expect(read('f', known, 30)).toBeNull()
  expect(read('z', known, 40)).toBeNull()
})

test('the second key must come soon, and a wrong one starts anew', () => {
  const read = openKeyReader(1000)
  read('g', known, 0)
  expect(read('f', known, 2000)).toBeNull()
  read('g', known, 3000)
  expect(read('j', known, 3100)).toBe('j')
})

test('while a person writes, keys are letters', () => {
  expect(isTypingTarget({ tagName: 'TEXTAREA' }, 'j')).toBe(true)
  expect(isTypingTarget({ tagName: 'INPUT', type: 'search' }, '/')).toBe(true)
  expect(isTypingTarget({ tagName: 'INPUT', type: 'range' }, 'j')).toBe(false)
  expect(isTypingTarget({ tagName: 'A' }, 'j')).toBe(false)
  expect(isTypingTarget({ tagName: 'A' }, 'Enter')).toBe(true)
})
