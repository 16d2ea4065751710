import { withoutPrivate } from './privacy.ts'

/**
 * Makes recalled text harmless for a model's context. It was once a prompt, a file or a web page and may contain anything: everything that looks
 * like structure (tags, headings, roles, line breaks) or like an instruction is quoted, or its bracket is replaced by a similar one, so
 * the text stays readable. Neutralizing twice gives the same text.
 */
export function neutralizeText(text: string): string {
  // U+FEFF matches \s in a pattern but is invisible on a screen.
  const seen = asTyped(text.replace(/[^\S\ufeff ]/g, ' '))
  // Capture removes our own block by its tags; a closing tag inside the block, in any spelling, would end it too early.
  const line = withoutPrivate(seen)
    .text.replace(/ {2,}/g, ' ')
    .replace(/^(?:\s*(?:#{1,6}\s|>|[-*]\s|```))+/, '')
  const quoted = replaceAsRead(line, INSTRUCTION_PATTERN, (phrase, { index }) => (isQuoted(phrase, index, line) ? phrase : `“${phrase}”`))
  const unlabelled = replaceAsRead(quoted, SPEAKER_LABEL, (name, { 0: read, index }) =>
    isSpeech(read, quoted.slice(index + name.length, index + name.length + 30)) ? `“${name}”` : name,
  )
  // Last, because after quotes a bracket can be neither an index nor a type.
  const marked = replaceAsRead(unlabelled, MARK, (mark) => `“${mark.slice(1, -1).trim()}”`)
  return replaceAsRead(marked, TAG, () => '‹').trim()
}

/**
 * Neutralizes a text line by line and keeps indents and list marks. If an instruction is spread over several lines, the whole text is returned on
 * one line instead.
 */
export function neutralizeLines(text: string): string {
  const seen = withoutPrivate(text).text
  const lines = seen.split('\n').map((line) => {
    const [, indent = '', mark = ''] = /^([ \t]{0,40})(?:([-*])\s)?/.exec(line) ?? []
    // A bracket at the end of a line could open a tag together with the next line.
    return `${indent}${mark ? '- ' : ''}${neutralizeText(line).replace(/<(?=[|/]?$)/, '‹')}`.trimEnd()
  })
  const flat = neutralizeText(seen)
  const countInstructions = (part: string) => asRead(part).match(INSTRUCTION_PATTERN)?.length ?? 0
  return countInstructions(flat) > lines.reduce((sum, line) => sum + countInstructions(line), 0) ? flat : lines.join('\n')
}

/** Whether a text gives instructions to the model, past the person. */
export const looksLikeInstruction = (text: string) => asRead(asTyped(text)).search(INSTRUCTION_PATTERN) >= 0

/** The text without invisible characters and in ordinary letters. The empty Braille pattern looks like a space. */
const asTyped = (text: string) =>
  text
    .replace(INVISIBLE, '')
    .replaceAll('\u2800', ' ')
    .replace(DISGUISED, (letter) => letter.normalize('NFKC'))

/** Searches a text with look-alike letters replaced, and changes the original text where the pattern matched. */
function replaceAsRead(text: string, pattern: RegExp, change: (written: string, found: RegExpExecArray) => string): string {
  let [done, from] = ['', 0]
  for (const found of asRead(text).matchAll(pattern)) {
    const end = found.index + found[0].length
    done += text.slice(from, found.index) + change(text.slice(found.index, end), found)
    from = end
  }
  return done + text.slice(from)
}

/** The text with Latin letters instead of look-alikes, for searching only: Russian and Greek need these letters. */
const asRead = (text: string) => text.replace(ALIKE, (letter) => LATIN[LOOKING_LATIN.indexOf(letter)] ?? letter)

const LOOKING_LATIN = 'аеорсухіјѕԁһӏԛԝкмтАВЕКМНОРСТУХІЈЅαορνικτυΑΒΕΖΗΙΚΜΝΟΡΤΥΧıɑɡ'
const LATIN = 'aeopcyxijsdhlqwkmtABEKMHOPCTYXIJSaopviktuABEZHIKMNOPTYXiag'
const ALIKE = new RegExp(`[${LOOKING_LATIN}]`, 'g')

/** Control, zero-width, direction, variation and tag characters, and blank letters: invisible to a person, but not to a model. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** Variants of letters and punctuation: full-width, small, circled, squared and mathematical ones. */
const DISGUISED = /[Ａ-Ｚａ-ｚ＜＞｜／［］﹤﹥﹕ſⓐ-ⓩⒶ-Ⓩ\u{1d400}-\u{1d7ff}\u{1f130}-\u{1f149}]/gu

/** Characters that look like a colon. */
const COLON = '[:：꞉∶]'

/** The roles in a conversation with a model. */
const SPEAKER = 'system|assistant|human|user|developer'

/** Names of tags that a model may take for real ones, even where code could have a type. */
const OWN = `${SPEAKER}|s|sys|inst|tool|function|instructions?|prompt|message|context|thinking|invoke|parameter`

const TAG = new RegExp(
  `[<〈\\u2329⟨](?:${[
    // `</x`, `< /x`, `<!--`, `<?xml`, `<|im_start|>`: never a type or a comparison.
    '(?=\\s?/|[!?]|\\|\\S)',
    `(?=\\s?(?:${OWN})(?:\\s?[>/|〉\\u232a⟩]|\\s\\w+\\s?>))`,
    // Any name that does not follow a word: `<b>`. After a word it is a type or a comparison: `Array<string>`, `i<n`, `<<EOF`.
    '(?=[a-z])(?<![\\w$<].)',
    // After a word too, if the name cannot be a type: `<tool_result>`, `<system-reminder>`, `<a:b>`, `<a href=`.
    '(?=[a-z][a-z\\d$.]{0,60}(?:[-_]|:(?!:)|\\s\\w+=))',
  ].join('|')})`,
  'gi',
)

/** Markers in square brackets that separate the roles in some models' prompts. */
const MARK = new RegExp(`(?<!\\w)\\[\\s?(/?\\s?(?:inst|sys|(?:${SPEAKER})(?:[ _](?:prompt|message))?))\\s?\\]`, 'gi')

/** A role before a colon, unless it is quoted already. An underscore before it is emphasis, or joins it to a word. */
const SPEAKER_LABEL = new RegExp(
  `(?<![a-z\\d“"'\`.-]|[a-z\\d]_{1,3})(?:${SPEAKER})(?:[ _-](?:prompt|message|instructions?|note|notice|override|reminder|update))?(?=[*_]{0,3} ?${COLON})`,
  'gi',
)

/**
 * Whether a role and its colon start a message. Without a space after the colon, a lower-case role is part of a pair (`user:password`,
 * `system:masters`), except `human:` and `assistant:`. A number after it is a fact: `system: 24 GB`.
 */
function isSpeech(name: string, after: string): boolean {
  const [mark = '', colon] = SPEECH.exec(after) ?? []
  const message = after.slice(mark.length)
  if (/^[:/]/.test(message)) return false
  if (/^(?:[\s*_]|$)/.test(message) || colon !== ':') return !(/^(?:system|user)$/.test(name) && FIGURE.test(message))
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

/** Phrases that give instructions to the model, past the person. In quotes they read as quoted text. */
const INSTRUCTION_PATTERN = new RegExp(
  [
    // To ignore its instructions: "ignore all of the previous instructions", "forget your rules".
    `\\b(?:${words('ignore', 'disregard', 'forget', 'override', 'bypass', 'discard', 'overrule', 'pay no attention to', "(?:stop|do not|don[’']t|never) (?:follow|obey|heed)(?:ing)?")})${BLANK}` +
      `(?:${[
        `${FILLER}(?:${BEFORE})${BLANK}(?:(?:and|or)${BLANK}(?:${BEFORE})${BLANK})?(?:${INSTRUCTION_NOUN})\\b`,
        `${FILLER}(?:${INSTRUCTION_NOUN})${BLANK}(?:${SINCE})\\b`,
        `(?:(?:all|any|of)${BLANK}){0,3}your${BLANK}(?:(?:own|current)${BLANK})?(?:${INSTRUCTION_NOUN}|training)\\b`,
        `(?:${words('everything', 'anything', 'all', 'all that', 'whatever', 'what')})${BLANK}(?:(?:${YOU_WERE})|(?:${words('that', 'written', 'said', 'came', 'is', 'was', 'comes', 'you know')})?${BLANK.replace('1', '0')}(?:${words('above', 'before', 'earlier', 'previously', 'so far', 'until now', 'up to now')}))\\b`,
        `${words('(?:all |any )?(?:of )?the (?:above|foregoing|preceding)')}\\b`,
      ].join('|')})`,
    // To take another role.
    words(
      '\\byou (?:must|are|will|shall) now\\b',
      '\\bfrom now on you (?:must|are|will|shall)\\b',
      '\\bpretend (?:that )?you (?:are|have)\\b',
    ),
    `\\bnew${BLANK}(?:system${BLANK})?instructions?\\b(?=\\s*${COLON})`,
    // To hide something from the person.
    words(
      "\\b(?:do not|don[’']t|never) (?:tell|inform|mention (?:this |it )?to|notify|alert|warn|show) (?:this to |it to )?the (?:user|human|person|developer)\\b",
    ),
  ].join('|'),
  'gi',
)

const isQuoted = (part: string, at: number, whole: string) => whole[at - 1] === '“' && whole[at + part.length] === '”'
