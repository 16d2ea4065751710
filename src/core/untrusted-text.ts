import { withoutPrivate } from './privacy.ts'

/**
 * Recalled text as data. What comes back into a model's context was once a prompt, a file or a web page, and may hold anything:
 * here it loses what could pass for structure (tags, headings, roles, new lines) and what could pass for an order. What merely speaks
 * of these stays readable: it is put in quotes, or its bracket is a narrower one. Done twice it changes nothing more.
 */
export function neutralizeText(text: string): string {
  // U+FEFF counts as a blank in a pattern and as nothing on a screen.
  const seen = asTyped(text.replace(/[^\S\ufeff ]/g, ' '))
  // Capture takes our own block out by its tags; a tag in the middle of it, in whatever spelling, would end that too early.
  const line = withoutPrivate(seen)
    .text.replace(/ {2,}/g, ' ')
    .replace(/^(?:\s*(?:#{1,6}\s|>|[-*]\s|```))+/, '')
  const ordered = replaceAsRead(line, INSTRUCTION_PATTERN, (order, { index }) => (isQuoted(order, index, line) ? order : `“${order}”`))
  const spoken = replaceAsRead(ordered, SPEAKER_LABEL, (name, { 0: read, index }) =>
    isSpeech(read, ordered.slice(index + name.length, index + name.length + 30)) ? `“${name}”` : name,
  )
  // Last, because behind quotes there is no index and no type.
  const marked = replaceAsRead(spoken, MARK, (mark) => `“${mark.slice(1, -1).trim()}”`)
  return replaceAsRead(marked, TAG, () => '‹').trim()
}

/**
 * The same for a text whose lines matter: each line by itself, its indent and list mark kept. An order that was broken over lines
 * would slip through that way; then the whole comes back on one line.
 */
export function neutralizeLines(text: string): string {
  const seen = withoutPrivate(text).text
  const lines = seen.split('\n').map((line) => {
    const [, indent = '', mark = ''] = /^([ \t]{0,40})(?:([-*])\s)?/.exec(line) ?? []
    // A bracket at the end of a line could open a tag with the next one.
    return `${indent}${mark ? '- ' : ''}${neutralizeText(line).replace(/<(?=[|/]?$)/, '‹')}`.trimEnd()
  })
  const flat = neutralizeText(seen)
  const orders = (part: string) => asRead(part).match(INSTRUCTION_PATTERN)?.length ?? 0
  return orders(flat) > lines.reduce((sum, line) => sum + orders(line), 0) ? flat : lines.join('\n')
}

/** Whether a text addresses the model over the head of the person. */
export const looksLikeInstruction = (text: string) => asRead(asTyped(text)).search(INSTRUCTION_PATTERN) >= 0

/** Without what nobody sees, and in the letters of a keyboard. The empty pattern of Braille is seen as a blank. */
const asTyped = (text: string) =>
  text
    .replace(INVISIBLE, '')
    .replaceAll('\u2800', ' ')
    .replace(DISGUISED, (letter) => letter.normalize('NFKC'))

/** Changes what a pattern finds in a text as it is read; what is kept of it stays as it was written. */
function replaceAsRead(text: string, pattern: RegExp, change: (written: string, found: RegExpExecArray) => string): string {
  let [done, from] = ['', 0]
  for (const found of asRead(text).matchAll(pattern)) {
    const end = found.index + found[0].length
    done += text.slice(from, found.index) + change(text.slice(found.index, end), found)
    from = end
  }
  return done + text.slice(from)
}

/** With Latin letters for those that look like them, each in its place: only to find by, because Russian and Greek are written with them. */
const asRead = (text: string) => text.replace(ALIKE, (letter) => LATIN[LOOKING_LATIN.indexOf(letter)] ?? letter)

const LOOKING_LATIN = 'аеорсухіјѕԁһӏԛԝкмтАВЕКМНОРСТУХІЈЅαορνικτυΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɑɡ'
const LATIN = 'aeopcyxijsdhlqwkmtABEKMHOPCTYXIJSaopviktuABEZHIKMNOPTYXiag'
const ALIKE = new RegExp(`[${LOOKING_LATIN}]`, 'g')

/** Control, zero-width, direction, variation and tag characters, and blank letters: a person does not see them, a model does. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Letters and signs that read as others do: full-width, small, circled and squared ones, and the alphabets that were made for mathematics. */
const DISGUISED = /[Ａ-Ｚａ-ｚ＜＞｜／［］﹤﹥﹕ſⓐ-ⓩⒶ-Ⓩ\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f149}]/gu

/** What reads as a colon. */
const COLON = '[:：꞉∶]'

/** Who speaks in a conversation with a model. */
const SPEAKER = 'system|assistant|human|user|developer'

/** Names of tags that a model may take for its own, even where a type could stand. */
const OWN = `${SPEAKER}|s|sys|inst|tool|function|instructions?|prompt|message|context|thinking|invoke|parameter`

const TAG = new RegExp(
  `[<〈\\u2329⟨](?:${[
    // `</x`, `< /x`, `<!--`, `<?xml`, `<|im_start|>`: never a type, never a comparison with a word.
    '(?=\\s?/|[!?]|\\|\\S)',
    `(?=\\s?(?:${OWN})(?:\\s?[>/|〉\\u232a⟩]|\\s\\w+\\s?>))`,
    // Any name, where no word stands right before: `<b>`. Behind one it is a type or a comparison: `Array<string>`, `i<n`, `<<EOF`.
    '(?=[a-z])(?<![\\w$<].)',
    // Unless the name could be no type's: `<tool_result>`, `<system-reminder>`, `<a:b>`, `<a href=`.
    '(?=[a-z][a-z\\d$.]{0,60}(?:[-_]|:(?!:)|\\s\\w+=))',
  ].join('|')})`,
  'gi',
)

/** Marks in square brackets by which some models' prompts are told apart. */
const MARK = new RegExp(`(?<!\\w)\\[\\s?(/?\\s?(?:inst|sys|(?:${SPEAKER})(?:[ _](?:prompt|message))?))\\s?\\]`, 'gi')

/** A speaker's name before a colon; in quotes it is quoted already. An underscore before it is emphasis, or joins it to a word. */
const SPEAKER_LABEL = new RegExp(
  `(?<![a-z\\d“"'\`.-]|[a-z\\d]_{1,3})(?:${SPEAKER})(?:[ _-](?:prompt|message|instructions?|note|notice|override|reminder|update))?(?=[*_]{0,3} ?${COLON})`,
  'gi',
)

/**
 * Whether somebody is made to speak by the colon that follows. Without a blank behind it lower case is a pair (`user:password`,
 * `system:masters`), though not of a `human:`. A figure is a fact: `system: 24 GB`.
 */
function isSpeech(name: string, after: string): boolean {
  const [mark = '', colon] = SPEECH.exec(after) ?? []
  const said = after.slice(mark.length)
  if (/^[:/]/.test(said)) return false
  if (/^(?:[\s*_]|$)/.test(said) || colon !== ':') return !(/^(?:system|user)$/.test(name) && FIGURE.test(said))
  return /^(?:\p{Lu}|human|assistant)/u.test(name)
}

const SPEECH = new RegExp(`^[*_]{0,3} ?(${COLON})`)
const FIGURE = /^ \d+(?:[.,]\d+)*(?: ?(?:[a-z]{1,3}|%))?(?![\w.)])/i

const BLANK = '[\\s*_,…-]{1,6}'
const words = (...all: string[]) => all.map((one) => one.replaceAll(' ', BLANK)).join('|')
const FILLER = `(?:(?:all|any|every|each|of|the|your|my|our|these|those|this|that|other|and|or)${BLANK}){0,6}`
const BEFORE = 'previous|prior|earlier|above|preceding|foregoing|past|initial|original|system|developer|safety'
const INSTRUCTION_NOUN =
  'instructions?|prompts?|messages?|rules?|context|guidelines?|directives?|directions?|commands?|orders|constraints?|programming'
const SINCE = words(
  'above',
  'before',
  'so far',
  'given',
  'earlier',
  'previously',
  'until now',
  'up to now',
  'you (?:were|have|had|got|received|know)',
)
const YOU_WERE = words("(?:that )?you(?: (?:were|have|had|are)|[’']ve|[’']d)(?: been)? (?:told|given|taught|instructed|asked|read|learned)")

/** Phrases that address the model over the head of the person. Quoted, they read as what they are: something that was said. */
const INSTRUCTION_PATTERN = new RegExp(
  [
    // Not to heed what it was told: "ignore all of the previous instructions", "forget your rules", "disregard what you were told".
    `\\b(?:${words('ignore', 'disregard', 'forget', 'override', 'bypass', 'discard', 'overrule', 'pay no attention to', "(?:stop|do not|don[’']t|never) (?:follow|obey|heed)(?:ing)?")})${BLANK}` +
      `(?:${[
        `${FILLER}(?:${BEFORE})${BLANK}(?:(?:and|or)${BLANK}(?:${BEFORE})${BLANK})?(?:${INSTRUCTION_NOUN})\\b`,
        `${FILLER}(?:${INSTRUCTION_NOUN})${BLANK}(?:${SINCE})\\b`,
        `(?:(?:all|any|of)${BLANK}){0,3}your${BLANK}(?:(?:own|current)${BLANK})?(?:${INSTRUCTION_NOUN}|training)\\b`,
        `(?:${words('everything', 'anything', 'all', 'all that', 'whatever', 'what')})${BLANK}(?:(?:${YOU_WERE})|(?:${words('that', 'written', 'said', 'came', 'is', 'was', 'comes', 'you know')})?${BLANK.replace('1', '0')}(?:${words('above', 'before', 'earlier', 'previously', 'so far', 'until now', 'up to now')}))\\b`,
        `${words('(?:all |any )?(?:of )?the (?:above|foregoing|preceding)')}\\b`,
      ].join('|')})`,
    // Who it is to be.
    words(
      '\\byou (?:must|are|will|shall) now\\b',
      '\\bfrom now on you (?:must|are|will|shall)\\b',
      '\\bpretend (?:that )?you (?:are|have)\\b',
    ),
    `\\bnew${BLANK}(?:system${BLANK})?instructions?\\b(?=\\s*${COLON})`,
    // Whom not to tell.
    words(
      "\\b(?:do not|don[’']t|never) (?:tell|inform|mention (?:this |it )?to|notify|alert|warn|show) (?:this to |it to )?the (?:user|human|person|developer)\\b",
    ),
  ].join('|'),
  'gi',
)

const isQuoted = (part: string, at: number, whole: string) => whole[at - 1] === '“' && whole[at + part.length] === '”'
