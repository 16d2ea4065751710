/**
 * The code of a TypeScript text: comments and the insides of strings and regular expressions are blank, everything else stays
 * where it was, so that an index into one is an index into the other. What stands in `${…}` is code.
 */
export function codeOnly(text: string): string {
  let code = ''
  // What each open brace belongs to: after the one that ends `${`, the template goes on.
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

/** A slash begins a regular expression where a value is expected: after an operator, an opening bracket or one of these words. */
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

/** The text of a template from where it begins, or goes on, to its end or to the next piece of code in it. */
const TEMPLATE = /((?:\\[\s\S]|\$(?!\{)|[^`\\$])*)(`|\$\{)?/y

const blank = (text: string) => text.replace(/[^\n]/g, ' ')
