import { expect, test } from 'bun:test'
import { isTypingTarget, openKeyReader } from './keys.ts'

const isBound = (name: string) => ['g f', 'g s', 'j', '/', '?'].includes(name)

test('a binding is one key or two, and other keys do nothing', () => {
  const read = openKeyReader()
  expect(read('j', isBound, 0)).toBe('j')
  expect(read('g', isBound, 10)).toBeNull()
  expect(read('f', isBound, 20)).toBe('g f')
  expect(read('f', isBound, 30)).toBeNull()
  expect(read('z', isBound, 40)).toBeNull()
})

test('the second key must follow soon, and a wrong one starts again', () => {
  const read = openKeyReader(1000)
  read('g', isBound, 0)
  expect(read('f', isBound, 2000)).toBeNull()
  read('g', isBound, 3000)
  expect(read('j', isBound, 3100)).toBe('j')
})

test('keys do nothing while a person types text', () => {
  expect(isTypingTarget({ tagName: 'TEXTAREA' }, 'j')).toBe(true)
  expect(isTypingTarget({ tagName: 'INPUT', type: 'search' }, '/')).toBe(true)
  expect(isTypingTarget({ tagName: 'INPUT', type: 'range' }, 'j')).toBe(false)
  expect(isTypingTarget({ tagName: 'A' }, 'j')).toBe(false)
  expect(isTypingTarget({ tagName: 'A' }, 'Enter')).toBe(true)
  expect(isTypingTarget({ tagName: 'DIV', isContentEditable: true }, 'j')).toBe(true)
  expect(isTypingTarget(null, 'j')).toBe(false)
})

test('a focused control keeps the keys that operate it', () => {
  const controls = [{ tagName: 'BUTTON' }, { tagName: 'SUMMARY' }, { tagName: 'INPUT', type: 'checkbox' }]
  expect(controls.map((control) => isTypingTarget(control, ' '))).toEqual([true, true, true])
  expect([isTypingTarget({ tagName: 'INPUT', type: 'range' }, 'ArrowLeft'), isTypingTarget({ tagName: 'A' }, ' ')]).toEqual([true, false])
})
