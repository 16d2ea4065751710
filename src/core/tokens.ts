/**
 * An estimate of how many tokens a text has, without loading a tokenizer. English and code have about four characters per token, Chinese and
 * similar scripts little more than one.
 */
export function countTokens(text: string): number {
  let wide = 0
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x2fff) wide++
  return Math.ceil((text.length - wide) / 4 + wide * 0.8)
}
