import { linesOf } from './text.ts'

/** One sentence, list item, table row or heading of a text. */
export type ProseItem = {
  text: string
  /** A point is a list item or a labelled paragraph; a row belongs to a table. Both make good facts. */
  kind: 'sentence' | 'point' | 'row' | 'heading'
  /** The heading above it in lower case, or empty. */
  under: string
}

const MAX_PROSE_CHARS = 24_000

/** Splits markdown into items. Drops code blocks and drawings, and strips all markup except `code`. */
export function readProse(markdown: string): ProseItem[] {
  const items: ProseItem[] = []
  let under = ''
  let paragraph: string[] = []
  let indent = 0
  const endParagraph = () => {
    const text = paragraph.join(' ')
    paragraph = []
    const label = /^\*\*[^*]{2,80}\*\*\s*(?:\([^)]*\)\s*)?(?::|[—–-])|^\*\*[^*]{2,80}:\*\*\s/.test(text)
    if (label) items.push({ text: stripMarkup(text), kind: 'point', under })
    else for (const sentence of sentencesOf(stripMarkup(text))) items.push({ text: sentence, kind: 'sentence', under })
  }
  for (const line of outsideFences(markdown.slice(0, MAX_PROSE_CHARS))) {
    const text = line.trim()
    const heading = /^#{1,6}\s+(.+)/.exec(text)?.[1] ?? /^\*\*([^*]{2,80}?):?\*\*:?$/.exec(text)?.[1]
    const item = /^(?:[-*•+]|\d{1,2}[.)])\s+(.+)/.exec(text)?.[1]
    const depth = line.length - line.trimStart().length
    const last = items.at(-1)
    if (text === '' || /^([-*_=]\s*){3,}$/.test(text)) endParagraph()
    else if (heading) {
      endParagraph()
      under = stripMarkup(heading).toLowerCase()
      items.push({ text: stripMarkup(heading), kind: 'heading', under })
    } else if (text.startsWith('|')) {
      endParagraph()
      const row = rowOf(text)
      if (row) items.push({ text: row, kind: 'row', under })
    } else if (item) {
      endParagraph()
      // Join `parse():` with the nested list below it: neither is clear without the other.
      if (last?.kind === 'point' && depth > indent && last.text.length < 300 && (last.text.endsWith(':') || last.text.includes(': '))) {
        last.text += `${last.text.endsWith(':') ? ' ' : '; '}${stripMarkup(item)}`
      } else {
        items.push({ text: stripMarkup(item), kind: 'point', under })
        indent = depth
      }
    } else if (paragraph.length === 0 && depth >= 2 && last?.kind === 'point') last.text += ` ${stripMarkup(text)}`
    else if (!/[│┌└├▾▸█░]/.test(text)) paragraph.push(text.replace(/^>\s?/, ''))
  }
  endParagraph()
  return items.filter((s) => s.text !== '')
}

/** The sentences of a text without markup. Dots in names, numbers and abbreviations do not end a sentence; 。！？ always do. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let start = 0
  let inCode = false
  const lastTick = text.lastIndexOf('`')
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? ''
    if (c === '`') inCode = !inCode
    // Ignore dots inside code, as in `. ./env.sh`. An unclosed backtick does not start code.
    if (inCode && i < lastTick) continue
    const wide = c === '。' || c === '！' || c === '？'
    if (!wide && c !== '.' && c !== '!' && c !== '?') continue
    if (!wide) {
      if (!/\s/.test(text[i + 1] ?? ' ')) continue
      if (/(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|no|approx|z\.B|bzw|p\.ej|\d{1,2})$/i.test(text.slice(Math.max(start, i - 8), i))) continue
    }
    const sentence = text.slice(start, i + 1).trim()
    if (sentence) sentences.push(sentence)
    start = i + 1
  }
  const rest = text.slice(start).trim()
  if (rest) sentences.push(rest)
  return sentences
}

/** Replaces markdown emphasis and links by their text. `code` keeps its backticks. */
export function stripMarkup(markdown: string): string {
  const pieces = markdown.split(/(`[^`]*`)/)
  return pieces
    .map((piece, n) => (n % 2 === 1 ? piece : stripInlineMarks(piece)))
    .join('')
    .replace(/\[(`[^`]*`)\]\([^)]{0,500}\)/g, '$1')
    .replace(/\s+/g, ' ')
    .trim()
}

function stripInlineMarks(text: string): string {
  return text
    .replace(/!?\[([^\]]{0,300})\]\([^)]{0,500}\)/g, '$1')
    .replace(/(?<!\*)\*\*(?!\*)/g, '')
    .replace(/__(?=\S)|(?<=\S)__/g, '')
    .replace(/(^|[\s(])\*(?=\S)([^*]{1,200})\*/g, '$1$2')
    .replace(/<\/?(?:br|b|i|em|strong|sub|sup|details|summary)\s*\/?>/gi, ' ')
    .replace(/\p{Extended_Pictographic}|[✓✕]|\uFE0F/gu, '')
}

function* outsideFences(markdown: string): Generator<string> {
  let fence = ''
  for (const line of linesOf(markdown, 2000)) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1]
    if (mark && (fence === '' || mark.startsWith(fence))) fence = fence ? '' : mark
    else if (!fence && !mark) yield line
  }
}

/** A table row as `first: rest`; null for rulers and rows of short single words. */
function rowOf(line: string): string | null {
  const cells = line
    .split('|')
    .map(stripMarkup)
    .filter((cell) => cell !== '' && !/^[:-]+$/.test(cell))
  if (cells.length < 2 || cells.every((cell) => /^[\w#?. ]{1,14}$/.test(cell))) return null
  return `${cells[0]}: ${cells.slice(1).join(' · ')}`
}
