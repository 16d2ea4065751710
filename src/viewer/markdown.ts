import { Lexer, type MarkedToken, type Token, Tokenizer } from 'marked'

/** Deeper nesting stays text: a hostile memory could otherwise nest until the stack overflows. */
const MAX_NESTING = 8
/** Emphasis and links are looked for in paragraphs up to this length: marked takes quadratic time for some texts. */
const MAX_PARAGRAPH_CHARS = 3_000
/** A longer text is shown without formatting. */
const MAX_TEXT_CHARS = 50_000

/** The blocks of a markdown text. HTML and link definitions stay text, so nothing that was written disappears. */
export const parseMarkdown = (text: string): MarkedToken[] =>
  text.length > MAX_TEXT_CHARS ? [{ type: 'code', raw: text, text }] : knownTokens(openLexer().lex(text))

/** The emphasis, code and links of a single line. */
export const parseInline = (text: string): MarkedToken[] => knownTokens(openLexer().inlineTokens(text))

/** Marked's token type also covers the tokens of extensions; we use none. */
export const knownTokens = (tokens: Token[]) => tokens as MarkedToken[]

/** The address of a link if it leads to the web, else null. */
export function webAddress(href: string): string | null {
  const url = URL.parse(href.trim())
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}

const openLexer = () => new BoundedLexer({ gfm: true, tokenizer: new TextOnlyTokenizer() })

class TextOnlyTokenizer extends Tokenizer {
  override html() {
    return undefined
  }
  override tag() {
    return undefined
  }
  override def() {
    return undefined
  }
  // Underlined headings are rare, and looking for their underline takes quadratic time in a list item of many lines.
  override lheading() {
    return undefined
  }
}

class BoundedLexer extends Lexer {
  private nesting = 0

  override blockTokens(src: string, tokens: Token[] = [], lastParagraphClipped?: boolean): Token[] & Lexer['tokens'] {
    const nested = () => super.blockTokens(src, tokens, lastParagraphClipped)
    return this.atNextLevel(tokens, src, MAX_TEXT_CHARS, nested) as Token[] & Lexer['tokens']
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    return this.atNextLevel(tokens, src, MAX_PARAGRAPH_CHARS, () => super.inlineTokens(src, tokens))
  }

  private atNextLevel(tokens: Token[], src: string, maxChars: number, lex: () => Token[]): Token[] {
    if (this.nesting >= MAX_NESTING || src.length > maxChars) {
      this.state.top = true
      tokens.push({ type: 'text', raw: src, text: src })
      return tokens
    }
    this.nesting++
    try {
      return lex()
    } finally {
      this.nesting--
    }
  }
}
