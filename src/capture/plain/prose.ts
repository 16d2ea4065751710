import { shorten } from '../../core/text.ts'
import { linesOf } from './lists.ts'

/** One thing an answer says. */
export type Said = {
  text: string
  /** Points are list items, table rows and labelled paragraphs: what answers enumerate makes good facts. */
  kind: 'sentence' | 'point' | 'heading'
  /** The heading it stands under, lower case, or empty. */
  under: string
}

/** As much of an answer as a person reads. */
const LONGEST_ANSWER = 24_000

/** An answer taken apart: code blocks and drawings dropped, tables turned into points, markup stripped save for `code`. */
export function readProse(markdown: string): Said[] {
  const said: Said[] = []
  let under = ''
  let paragraph: string[] = []
  let indent = 0
  const endParagraph = () => {
    const text = paragraph.join(' ')
    paragraph = []
    const label = /^\*\*[^*]{2,80}\*\*\s*(?:\([^)]*\)\s*)?(?::|[—–-])|^\*\*[^*]{2,80}:\*\*\s/.test(text)
    if (label) said.push({ text: plain(text), kind: 'point', under })
    else for (const sentence of sentencesOf(plain(text))) said.push({ text: sentence, kind: 'sentence', under })
  }
  for (const line of outsideFences(markdown.slice(0, LONGEST_ANSWER))) {
    const text = line.trim()
    const heading = /^#{1,6}\s+(.+)/.exec(text)?.[1] ?? /^\*\*([^*]{2,80}?):?\*\*:?$/.exec(text)?.[1]
    const item = /^(?:[-*•+]|\d{1,2}[.)])\s+(.+)/.exec(text)?.[1]
    const depth = line.length - line.trimStart().length
    const last = said.at(-1)
    if (text === '' || /^([-*_=]\s*){3,}$/.test(text)) endParagraph()
    else if (heading) {
      endParagraph()
      under = plain(heading).toLowerCase()
      said.push({ text: plain(heading), kind: 'heading', under })
    } else if (text.startsWith('|')) {
      endParagraph()
      const row = rowOf(text)
      if (row) said.push({ text: row, kind: 'point', under })
    } else if (item) {
      endParagraph()
      // `parse():` with its own list below says nothing alone, and the list says nothing without it.
      if (last?.kind === 'point' && depth > indent && last.text.length < 300 && (last.text.endsWith(':') || last.text.includes(': '))) {
        last.text += `${last.text.endsWith(':') ? ' ' : '; '}${plain(item)}`
      } else {
        said.push({ text: plain(item), kind: 'point', under })
        indent = depth
      }
    } else if (paragraph.length === 0 && depth >= 2 && last?.kind === 'point') last.text += ` ${plain(text)}`
    else if (!/[│┌└├▾▸]/.test(text)) paragraph.push(text.replace(/^>\s?/, ''))
  }
  endParagraph()
  return said.filter((s) => s.text !== '')
}

/** Sentences of a text without markup. Dots inside names, numbers and abbreviations do not end one; 。！？ always do. */
export function sentencesOf(text: string): string[] {
  const sentences: string[] = []
  let start = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? ''
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

/** What stays of a sentence when openers (`Done.`, `Perfect!`, `Fixed –`) are taken off its front. */
export function withoutOpener(text: string): string {
  return text.replace(OPENER, '').trimStart()
}

const OPENER =
  /^(?:(?:analysis|implementation|everything|the work) is (?:done|complete)(?: and verified)?\s*[—–-]\s)?(?:(?:all |now )?(?:done|perfect|great|excellent|good|okay|ok|sure|yes|no|right|gone|got it|alright|absolutely|exactly|fixed|noted|ack|clean|correct|confirmed)(?: and verified| question| point| catch| idea| news| call)?\s*(?:[.!:,]|[—–-]\s)\s*)+/i

/** Says nothing about the work: greetings, announcements of what comes next, offers, "here is a summary". */
export function isFiller(text: string): boolean {
  const bare = withoutOpener(text)
  if (bare.replace(/[^\p{L}\p{N}]/gu, '').length < 4) return true
  if (
    /^(?:i'll|i will|i'm going to|let me|let's|now i|now let|next,? i|first,? i|i can |i could |i'd be|would you|do you want|want me|should i|shall i|let me know|feel free|happy to|is there anything|anything else|what would you|what's next|here(?:'s| is| are)\b|below is|see below|summary\b|hello|hi\b|thanks|thank you|you're (?:absolutely )?(?:right|welcome)|that's a (?:great|good|really)|this is a great|sounds good|say (?:the )?word|no response|i (?:now )?have (?:all|everything|enough|full|comprehensive|a)\b|agentid:|now i (?:have|see|understand)|waiting|noted|an agent is|(?:the )?(?:\w+ )?(?:sub)?agents? (?:is|are) (?:still )?running)/i.test(
      bare,
    )
  )
    return true
  // "All three fixes are implemented and verified:" – finished, but not what.
  return /^(?:all|both|everything|each|implementation|the (?:implementation|fix(?:es)?|work|plan|document|changes?|refactor\w*|task|feature|analysis)|analysis|merge|changes?|it)\b[^.,;`]{0,60}\b(?:done|complete[d]?|implemented|applied|finished|in place|ready|updated|clean|working|here|verified|successful\w*)\b[^.;`]{0,40}[.:!]?$/i.test(
    bare,
  )
}

/** The state of checks ("All 1321 tests pass, lint clean"): good for what was completed, poor as a title. */
export function isStatus(text: string): boolean {
  return (
    /\b(?:tests?|lint(?:ing)?|type-?check|build|checks?|suite|hooks?|ci)\b[^.]{0,60}\b(?:pass(?:es|ed|ing)?|clean|green|succeed(?:s|ed)?|0 issues|no errors|successful)\b/i.test(
      text,
    ) || /^(?:committed|pushed|commit\b|pr (?:created|opened)|merged)/i.test(text)
  )
}

/** Explains: a cause, a mechanism, a limit. */
export function isExplanation(text: string): boolean {
  return /\b(?:because|since|caused?|root cause|reason|due to|turns out|actually|the (?:bug|issue|problem|culprit)|which means|this means|so that|works by|happens when|only (?:when|if|works)|never|always|instead of|rather than|doesn't|does not|isn't|can't|cannot|without)\b|原因|因为|ため|denn|weil|porque|parce que|потому/i.test(
    text,
  )
}

/** A question back to the person, or an offer: what the answer leaves open. */
export function isOpenQuestion(text: string): boolean {
  return /[?？]\s*$/.test(text) && !/^(?:does|did|is|was|why|how come)\b/i.test(text)
}

/** What comes next, in the answer's own words. */
export function isNextStep(said: Said): boolean {
  if (
    /\b(?:next steps?|follow-?ups?|remaining|to ?do|still (?:open|to do)|not done|out of scope|later|outstanding)\b|次のステップ|下一步|nächste schritte|próximos pasos/i.test(
      said.under,
    )
  )
    return true
  return /\b(?:next steps?|you (?:may|might|can now|should|will|'ll) (?:want|need|have|also)|remains? to|still (?:needs?|to do|missing|open)|follow-?up|not (?:yet|pushed|committed)|left (?:unstaged|for later)|once you|when you're ready|if you(?:'d| would)? (?:want|like|prefer|need)|give .{1,30} (?:a|another) try)\b/i.test(
    said.text,
  )
}

/** A sentence as a title: no markup, no trailing stop, subject "I" dropped, cut at a clause rather than inside one. */
export function asTitle(text: string, max = 100): string {
  const flat = withoutOpener(text)
    .replaceAll('`', '')
    .replace(/^(?:i've|i have|i|we've|we have|we)\s+(?:also |now |successfully |just )*(?=[a-z]+(?:ed|t|ade|ote|uilt|an)\b)/i, '')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\s.:;,。、–—-]+$/, '')
  // A file name or an identifier in front keeps its own spelling.
  const whole = /^[a-zß-ÿ]+(?:[\s,]|$)/.test(flat) ? flat.charAt(0).toUpperCase() + flat.slice(1) : flat
  if (whole.length <= max) return whole
  // The last boundary between clauses that leaves enough to understand.
  const cut = Math.max(...[' — ', ' – ', '; ', ': ', ', ', ' (', ' so that ', ' because '].map((mark) => whole.lastIndexOf(mark, max - 1)))
  return cut >= max * 0.45 ? whole.slice(0, cut).trimEnd() : shorten(whole, max)
}

/** Markdown emphasis and links reduced to their words; `code` stays marked. */
export function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]{0,300})\]\([^)]{0,500}\)/g, '$1')
    .replace(/\*\*|__(?=\S)|(?<=\S)__/g, '')
    .replace(/(^|[\s(])\*(?=\S)([^*]{1,200})\*/g, '$1$2')
    .replace(/<\/?(?:br|b|i|em|strong|sub|sup|details|summary)\s*\/?>/gi, ' ')
    .replace(/\p{Extended_Pictographic}|[✓✕]|\uFE0F/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}

function* outsideFences(markdown: string): Generator<string> {
  let fence = ''
  for (const line of linesOf(markdown, 2000)) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1]
    if (mark && (fence === '' || mark.startsWith(fence))) fence = fence ? '' : mark
    else if (!fence && !mark) yield line
  }
}

/** A table row as `first: rest`; rulers and rows of one word say nothing. */
function rowOf(line: string): string | null {
  const cells = line
    .split('|')
    .map(plain)
    .filter((cell) => cell !== '' && !/^[:-]+$/.test(cell))
  if (cells.length < 2 || cells.every((cell) => /^[\w#?. ]{1,14}$/.test(cell))) return null
  return `${cells[0]}: ${cells.slice(1).join(' · ')}`
}
