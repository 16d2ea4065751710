import { expect, test } from 'bun:test'
import { codeOnly } from './code.ts'

/** The words that `codeOnly` leaves. */
const words = (text: string): string[] => codeOnly(text).match(/\w+/g) ?? []

test.each<[string, string, string[]]>([
  ['comments', 'a // b\n/* c\n d */ e', ['a', 'e']],
  ['strings', `a('b', "c", 'it\\'s d')`, ['a']],
  ['a slash in a string', `a('http://b') + c`, ['a', 'c']],
  ['regular expressions', 'a(/\'b`/g, /[/"]c/) + d', ['a', 'g', 'd']],
  ['a regular expression after a word', "return /b'/.test(c)", ['return', 'test', 'c']],
  ['a division', 'a / b / c // d', ['a', 'b', 'c']],
  ['templates', `a(\`b \${c} d\`) + e`, ['a', 'c', 'e']],
  ['a template in a template', `a(\`b \${c ? \`d \${e} f\` : {g: 1}.g} h\`) + i`, ['a', 'c', 'e', 'g', '1', 'g', 'i']],
  ['quotes in a template', `a(\`it's // \${b}\`) + c`, ['a', 'b', 'c']],
])('%s', (_, text, code) => {
  expect(words(text)).toEqual(code)
})

test('every character keeps its position', () => {
  const text = `const a = 'b' // c\nconst d = \`e\n\${f}\`\n`
  const code = codeOnly(text)
  expect(code).toHaveLength(text.length)
  expect(code.indexOf('f')).toBe(text.indexOf('f}'))
  expect(code.split('\n')).toHaveLength(text.split('\n').length)
})
