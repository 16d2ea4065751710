import { expect, test } from 'bun:test'
import { newPhrase, parsePhrase } from './recovery-phrase.ts'

test('a phrase has seventeen words and gives its secret back, however it is typed', () => {
  const secret = Uint8Array.from({ length: 16 }, (_, n) => n * 17)
  const { words } = newPhrase(secret)
  expect(words.split(' ')).toHaveLength(17)
  expect(parsePhrase(`  ${words.toUpperCase().replaceAll(' ', '\n ')}.`)).toEqual({ words, secret })
})

test('every byte has a word of its own', () => {
  const all = Array.from({ length: 16 }, (_, n) =>
    newPhrase(Uint8Array.from({ length: 16 }, (_, m) => n * 16 + m))
      .words.split(' ')
      .slice(0, 16),
  )
  expect(new Set(all.flat()).size).toBe(256)
})

test('two phrases differ', () => {
  expect(newPhrase().words).not.toBe(newPhrase().words)
})

test('a phrase with a wrong, missing or swapped word is refused with a reason', () => {
  const { words } = newPhrase(Uint8Array.from({ length: 16 }, (_, n) => n))
  const list = words.split(' ')
  expect(parsePhrase(list.slice(1).join(' '))).toContain('has 17 words; these are 16')
  expect(parsePhrase(words.replace(/^\w+/, 'xylophone'))).toContain('"xylophone" is not a word')
  expect(parsePhrase([list[0], ...list.slice(0, 16)].join(' '))).toContain('one of the words is wrong')
})
