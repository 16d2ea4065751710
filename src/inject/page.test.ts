import { expect, test } from 'bun:test'
import { countTokens } from '../core/tokens.ts'
import { type BriefPart, openPage, openShares } from './page.ts'

const part = (id: number, ...lines: string[]): BriefPart => ({ of: { kind: 'observation', id, why: 'a test' }, lines })
const ROOMY = { tokens: 1000, characters: 10_000 }

test('a page has its frame, then whole parts in the order they were added', () => {
  const page = openPage('<first>', '<last>', ROOMY)
  expect(page.add(part(1, 'one', 'two'), part(2, 'three'))).toBe(true)
  expect(page.close().text).toBe('<first>\none\ntwo\nthree\n<last>')
  expect(page.memoryCount()).toBe(2)
})

test('parts that do not fit together are refused together, and the page says what is missing', () => {
  const long = 'word '.repeat(200)
  const page = openPage('<first>', '<last>', { tokens: 100, characters: 10_000 })
  expect(page.add(part(1, 'short'), part(2, long))).toBe(false)
  expect(page.close().text).toBe('<first>\n<last>')
  const used = countTokens('<first>') + countTokens('<last>') + 2
  expect(page.whyNoRoom(part(2, long))).toBe(`no room: needs ${countTokens(long) + 1} tokens, ${100 - used} left`)
})

test('a page never says that less than nothing is left', () => {
  const page = openPage('a first line that is too long', '<last>', { tokens: 3, characters: 10_000 })
  expect(page.whyNoRoom(part(1, 'one'))).toEndWith(', 0 left')
})

test('characters are limited too, and the last character may be used', () => {
  const frame = '<first>'.length + '<last>'.length + 2
  const exact = openPage('<first>', '<last>', { tokens: 1000, characters: frame + 4 })
  expect(exact.add(part(1, 'abcd'))).toBe(false)
  expect(exact.whyNoRoom(part(1, 'abcd'))).toBe('no room: needs 5 characters, 4 left')
  expect(exact.add(part(1, 'abc'))).toBe(true)
})

test('text already on the page counts against both limits', () => {
  const frame = '<first>'.length + '<last>'.length + 2
  const page = openPage('<first>', '<last>', { tokens: 1000, characters: frame + 8 })
  expect([page.add(part(1, 'abc')), page.add(part(2, 'abcd')), page.add(part(3, 'abc'))]).toEqual([true, false, true])
  const cost = countTokens('abc') + 1
  const few = openPage('<first>', '<last>', { tokens: countTokens('<first>') + countTokens('<last>') + 2 + cost, characters: 1000 })
  expect([few.add(part(1, 'abc')), few.add(part(2, 'a'))]).toEqual([true, false])
})

test('a page knows which memories it shows and what it says', () => {
  const page = openPage('<first>', '<last>', ROOMY)
  page.add(part(1, 'The retry waits 250 ms.'), { of: { kind: 'prompt', id: 1, why: 'a test' }, lines: [] })
  page.add(part(1, 'It doubles each time.'))
  expect([page.has('observation', 1), page.has('prompt', 1), page.has('observation', 2), page.has('note', 1)]).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect([page.says('the retry waits 250 ms'), page.says('Deploys run at night.')]).toEqual([true, false])
  expect(page.memoryCount()).toBe(2)
})

test('the tokens of the items add up to those of the text', () => {
  const page = openPage('<first>', '<last>', ROOMY)
  page.add(part(1, 'The limit is 20.'))
  page.add(part(1, 'It was 10 before.'))
  page.add(part(2, 'Deploys run at night.'))
  const { text, tokens, items } = page.close()
  expect(tokens).toBe(countTokens(text))
  expect(items.reduce((sum, item) => sum + item.tokens, 0)).toBe(tokens)
  expect(items.map(({ id }) => id)).toEqual(['frame', 1, 2])
})

test('a share has its own room and then the spare room of all', () => {
  const shares = openShares(100, 10)
  const [rules, notes] = [shares.of(0.5), shares.of(0.3)]
  expect([rules.left(), notes.left()]).toEqual([60, 40])
  expect(rules.fits(60)).toBe(true)
  expect(shares.isCut()).toBe(false)
  rules.take(56)
  expect([rules.left(), notes.left()]).toEqual([4, 34])
  expect(notes.fits(35)).toBe(false)
  expect(shares.isCut()).toBe(true)
  expect(notes.fits(1)).toBe(true)
  expect(shares.isCut()).toBe(true)
  notes.take(10)
  expect([rules.left(), notes.left()]).toEqual([4, 24])
})
