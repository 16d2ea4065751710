/**
 * The code of a TypeScript text: comments and the contents of strings and regular expressions become blanks, and everything else keeps its
 * position, so that indexes are the same in both. Code in `${…}` stays.
 */
export function codeOnly(text: string): string {
  let code = ''
  // What each open brace belongs to: after the brace that closes `${`, the template continues.
  const braces: ('block' | 'template')[] = []
  while (code.length < text.length) {
    TOKEN.lastIndex = code.length
    const match = TOKEN.exec(text)
    if (!match) return code + text.slice(code.length)
    const token = match[0]
    code += text.slice(code.length, match.index)
    if (token === '{') braces.push('block')
    if (token === '`' || (token === '}' && braces.pop() === 'template')) {
      TEMPLATE.lastIndex = match.index + 1
      const [, inside = '', end = ''] = TEMPLATE.exec(text) ?? []
      if (end === '${') braces.push('template')
      code += token + blank(inside) + end
    } else if (token.startsWith('/')) code += blank(token)
    else code += token.length > 1 ? token[0] + blank(token.slice(1, -1)) + token.at(-1) : token
  }
  return code
}

/** A slash starts a regular expression where a value is expected: after an operator, an opening bracket or one of these words. */
const TOKEN = new RegExp(
  [
    String.raw`\/\*[\s\S]*?\*\/`,
    String.raw`\/\/[^\n]*`,
    String.raw`'(?:\\.|[^'\\\n])*'`,
    String.raw`"(?:\\.|[^"\\\n])*"`,
    String.raw`(?<=(?:^|[(,=:[!&|?{};+\-*%~^<>\n]|\b(?:return|typeof|case|in|of|await|yield|else))\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/`,
    '[`{}]',
  ].join('|'),
  'g',
)

/** The text of a template from its start, or from the end of `${…}`, to its end or to the next `${`. */
const TEMPLATE = /((?:\\[\s\S]|\$(?!\{)|[^`\\$])*)(`|\$\{)?/y

const blank = (text: string) => text.replace(/[^\n]/g, ' ')
