import type { Prompt } from './memory.ts'
import { readProse } from './prose.ts'

/** A sentence that changes a literal value: "at most 30 s instead of 10 s". Values are without spaces and in lower case, to compare them. */
export type ChangedValue = { sentence: string; old: string }

/** The values that a turn changed: the person in a prompt they typed, or the agent in its answer. */
export function valueChangesOf({ origin, text, answer }: Pick<Prompt, 'origin' | 'text' | 'answer'>): ChangedValue[] {
  const isTyped = origin === 'person' && text.length <= MAX_TYPED_CHARACTERS
  const reported = changedValues(answer ?? '').filter(({ sentence }) => REPORTED.test(sentence))
  return [...reported, ...(isTyped ? changedValues(text) : [])]
}

/** An agent says that it changed something. "Where X is used instead of Y" describes how things are. */
const REPORTED =
  /\b(?:now|changed|updated|switched|renamed|moved|raised|lowered|increased|decreased|reduced|bumped|replaced|migrated|set)\b/i

/** A longer prompt was pasted, and its words are not the person's. */
const MAX_TYPED_CHARACTERS = 3000

/** The sentences of a text that replace one literal value by another of its kind. Only explicit wording counts. */
export function changedValues(text: string): ChangedValue[] {
  return readProse(text.slice(0, MAX_TEXT_CHARACTERS)).flatMap(({ text: sentence, kind }) => {
    const old = kind === 'heading' || sentence.length > MAX_SENTENCE_CHARACTERS ? null : replacedValueIn(sentence)
    return old === null ? [] : [{ sentence: sentence.replace(/\s+/g, ' ').trim(), old }]
  })
}

/** The literal values in a text, in the form in which they are compared. */
export function valuesIn(text: string): Set<string> {
  return new Set((text.slice(0, MAX_TEXT_CHARACTERS).match(new RegExp(VALUE, 'gi')) ?? []).map(comparable))
}

/** Whether a change is about a value in a text: the sentence there with the old value has a word in common that says what it is about. */
export function isAboutValueOf({ sentence, old }: ChangedValue, text: string): boolean {
  const stems = new Set(wordStems(sentence))
  const said = readProse(text.slice(0, MAX_TEXT_CHARACTERS)).filter((item) => valuesIn(item.text).has(old))
  return said.some((item) => wordStems(item.text).some((stem) => stems.has(stem)))
}

function replacedValueIn(sentence: string): string | null {
  if (OBSERVED.test(sentence)) return null
  for (const { pattern, oldFirst } of CHANGES) {
    const [, first, second] = pattern.exec(sentence) ?? []
    if (first === undefined || second === undefined) continue
    const [before, after] = (oldFirst ? [first, second] : [second, first]).map(comparable)
    if (before !== undefined && isTelling(before) && before !== after && kindOf(before) === kindOf(after ?? '')) return before
  }
  return null
}

/** A long text is a log or a document, not a statement. */
const MAX_TEXT_CHARACTERS = 20_000
/** Longer ones list many things. */
const MAX_SENTENCE_CHARACTERS = 300

const UNIT =
  '(?: ?(?:ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?|d|days?|weeks?|months?|years?|%|[kmgt]i?b|px|rem|em|chars?|characters?|tokens?|lines?|rows?|items?|spaces|columns?|retries|attempts|tries|times|workers?|threads?|requests?|connections?))'
/** A number with a unit, a version, or a short text in code or quotation marks. */
const VALUE = `(?:v?\\d[\\d.,_]*\\d${UNIT}?|\\d${UNIT}?|\`[^\`\\n]{1,40}\`|"[^"\\n]{1,40}"|“[^”\\n]{1,40}”)(?![\\p{L}\\p{N}])`

const CHANGES: { pattern: RegExp; oldFirst: boolean }[] = [
  {
    pattern: new RegExp(
      `(${VALUE})[^.;\\d]{0,20}?,? (?:instead of|rather than|and no longer) (?:the (?:old|former|previous) )?(${VALUE})`,
      'iu',
    ),
    oldFirst: false,
  },
  {
    pattern: new RegExp(
      `\\b(?:chang|rais|lower|increas|decreas|reduc|bump|mov|switch|shorten|length|extend|upgrad|updat|set)\\w*\\b[^.;]{0,80}?\\bfrom (${VALUE}) to (${VALUE})`,
      'iu',
    ),
    oldFirst: true,
  },
  {
    pattern: new RegExp(`\\bnow (?:is |at most |at least )?(${VALUE})[^.;]{0,10}\\((?:was|previously|formerly|before:?) (${VALUE})`, 'iu'),
    oldFirst: false,
  },
  { pattern: new RegExp(`\\bno longer (${VALUE}),? but (${VALUE})`, 'iu'), oldFirst: true },
]

/** Words that show that a value is not a setting: output, durations, expectations, wishes and examples. */
const OBSERVED =
  /\b(?:expects?|needs? to|should|would|still there|shows?|showed|showing|displays?|displayed|reports?|reported|prints?|printed|returns?|returned|took|takes|examples?|e\.g)\b/i

/** A small number or a plain word occurs in texts about anything. */
const isTelling = (value: string) =>
  /^v?\d/.test(value) ? /\d[a-z%]|\d[.,_]\d|\d{3}/.test(value) : /[\p{L}\p{N}][/._:()-]+[\p{L}\p{N}]|[a-z][A-Z]/u.test(value)

const comparable = (value: string) =>
  value
    .toLowerCase()
    .replace(/["“”`\s_]/g, '')
    .replace(/(?<=\d)(?:sec|secs|seconds?)$/, 's')
    .replace(/(?<=\d)(?:mins?|minutes?)$/, 'min')

/** Two numbers are of one kind if their units are; other texts only with other texts. */
const kindOf = (value: string) => (/^v?\d/.test(value) ? `number ${/[a-z%]*$/.exec(value)?.[0] ?? ''}` : 'text')

const wordStems = (text: string) =>
  (text.toLowerCase().match(/\p{L}{4,}/gu) ?? [])
    .filter((word) => !NO_SUBJECT.has(word))
    .map((word) =>
      word
        .replace(/ies$/, 'y')
        .replace(/(?:ing|es|ed|s)$/, '')
        .slice(0, 6),
    )

/** Words that occur in statements about any value. */
const NO_SUBJECT = new Set(
  'instead rather than from changed change changes raised lowered increased reduced bumped now most least with that this have been will were which value values default limit maximum minimum only still also longer wait waits seconds minutes hours days time times after before every each about into when then they them their there because should would could make makes made uses used using keep keeps kept does done more less over under same other'.split(
    ' ',
  ),
)
