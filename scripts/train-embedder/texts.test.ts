import { expect, test } from 'bun:test'
import { passagesOfMarkdown, passagesOfProse, passagesOfSource, passagesOfWordNet, shuffleKey } from './texts.ts'

test('a markdown page is split into paragraphs, list items and code, without markup', () => {
  const page =
    '# A small library\n\nIt does [one thing](https://a.b) **very** well.\n\n- first of the two points\n- second of the two points\n\n```js\nconst answer = await find(question)\n```\n'
  expect(passagesOfMarkdown(page)).toEqual([
    'It does one thing very well.',
    'first of the two points',
    'second of the two points',
    'const answer = await find(question)',
  ])
})

test('a source file is split into comments, and functions with their comments', () => {
  const code =
    '/**\n * Finds what was asked for.\n *\n * @param question what the person typed\n */\nfunction findAnswer(question) {\n  const words = split(question)\n  return lookUp(words)\n}\n'
  expect(passagesOfSource(code)).toEqual([
    'Finds what was asked for.',
    '@param question what the person typed',
    expect.stringMatching(/^Finds what .* function findAnswer\(question\) \{ const words = split\(question\) return lookUp\(words\) \}$/),
  ])
})

test('a line of WordNet is split into the definition and the examples', () => {
  const line =
    '00001740 03 n 02 living_thing 0 organism 0 001 @ 00002137 n 0000 | a thing that can live; "there are living things on every island"'
  expect(passagesOfWordNet(`  1 a line of the licence\n${line}`)).toEqual([
    'living thing, organism: a thing that can live',
    'there are living things on every island',
  ])
})

test('long prose is split at the ends of sentences, and other text is left out', () => {
  const sentence = 'It was a long and rainy day in the harbour. '
  const passages = passagesOfProse(`${sentence.repeat(20)}\n\n0x93 0x11 0x7f 0x00 0x12\n\n`)
  expect(passages.length).toBeGreaterThan(1)
  expect(passages.every((passage) => passage.length <= 420 && passage.endsWith('harbour.'))).toBe(true)
})

test('the shuffle key of a text is always the same, and between 0 and 1', () => {
  expect(shuffleKey('a text')).toBe(shuffleKey('a text'))
  expect(['a', 'b', 'c'].map(shuffleKey).every((value) => value >= 0 && value < 1)).toBe(true)
})
