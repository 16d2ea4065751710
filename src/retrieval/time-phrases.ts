/**
 * Time phrases: “yesterday”, “in March”, “vor 3 Tagen”, 上周. A phrase counts only in a form that can hardly mean anything else, because a wrong
 * window would rank the right memory lower. docs/decisions/0028 compares this with a library.
 */
import { once } from '../core/once.ts'

export type TimeWindow = { since: number | null; before: number | null }

export type TimePhrase = TimeWindow & {
  /** How many words the phrase has. */
  wordCount: number
  /** The instant for `since:` and `before:`; null for phrases like “recently”. */
  boundary: number | null
}

/** No phrase is longer, so parsers need not look further ahead. */
export const MAX_PHRASE_WORDS = 12

/** The current time in the person's time zone, and whether “hier” is French (yesterday) or German (here). */
export type Clock = { now: Temporal.ZonedDateTime; french: boolean }

export function clockFor(text: string, now: number, zone?: string): Clock {
  let cached: Temporal.ZonedDateTime | undefined
  return {
    // Computed on demand: the first use of the calendar costs thirty milliseconds and ten megabytes.
    get now() {
      cached ??= Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone ?? Temporal.Now.timeZoneId())
      return cached
    },
    french: /hier/i.test(text) && FRENCH.test(text),
  }
}

const FRENCH = /(?<![a-zà-ÿ])(?:nous|avons|pourquoi|quel(?:le)?s?|est-ce|qu[ei]|les?|dans|avec|pour|depuis|était|erreur)(?![a-zà-ÿ])/iu

/**
 * Parses a time phrase at the start of a text whose words are separated by single spaces. `isFilterValue`: the text is a value of `since:` or
 * `before:`, where anything that can be a time is one: `march`, `2025`, `7d`.
 */
export function parseTimePhrase(text: string, clock: Clock, isFilterValue = false): TimePhrase | null {
  if (!isFilterValue && !TIME_START().test(text)) return null
  const start = endOf(OPENING_PUNCTUATION, text, 0) ?? 0
  const preposition = PREPOSITIONS.find(({ words }) => endOf(words, text, start) !== null)
  const from = (preposition && endOf(preposition.words, text, start)) ?? start
  const first = timeAt(text, from, isFilterValue ? 'filter' : (preposition?.before ?? 'none'), clock)
  const { time, end } = (first && preposition?.sense === 'range' && rangeFrom(first, text, clock)) || first || {}
  if (!time || !end) return null
  const wordCount = text.slice(0, end).split(' ').length
  const boundary = time === 'no fixed time' ? null : (time.point ?? time.from).epochMilliseconds
  if (preposition?.sense === 'since') return { wordCount, since: boundary, before: null, boundary }
  if (preposition?.sense === 'before') return { wordCount, since: null, before: boundary, boundary }
  return { wordCount, ...windowFor(time), boundary }
}

/**
 * The instant that a whole text means, as a value of `since:`: for a day or longer, its beginning. Null if it means none. A number is
 * milliseconds since 1970, unless it can be a year.
 */
export function parseInstant(text: string, now: number, zone?: string): number | null {
  const words = text.trim().replace(/\s+/g, ' ')
  if (/^\d{1,16}$/.test(words) && !/^(?:19|20)\d\d$/.test(words)) return Number(words)
  const time = words.length > MAX_INSTANT_CHARACTERS ? null : parseTimePhrase(words, clockFor(words, now, zone), true)
  return time?.wordCount === words.split(' ').length ? time.boundary : null
}

const MAX_INSTANT_CHARACTERS = 100

/** Examples of valid times, for error messages. */
export const TIME_EXAMPLES = '2026-03-01, march, 7d, yesterday, “last week”'

/** The times inside a word of a script without spaces (Chinese, Japanese), with their positions. */
export function findUnspacedTimes(text: string, clock: Clock): (TimeWindow & { word: string; at: number })[] {
  if (!/[\u3040-\u9fff]/.test(text)) return []
  return [...text.matchAll(UNSPACED_PHRASE())].flatMap(({ 0: word, index: at }) => {
    for (const { words, timeFor } of UNSPACED) {
      const pattern = words.pattern()
      pattern.lastIndex = at
      const match = pattern.exec(text)
      if (match) return [{ ...windowFor(timeFor(match.groups ?? {}, clock.now)), word, at }]
    }
    return []
  })
}

/** A window as people read it: `2026-03-01`, `2026-03-02 to 2026-03-08`, `since 2026-03-01 14:30`. */
export function describeWindow({ since, before }: TimeWindow, zone: string): string {
  const local = (at: number) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  const isMidnight = (at: number) => local(at).startOfDay().epochMilliseconds === at
  const day = (at: number, offset = 0) => local(at).toPlainDate().add({ days: offset }).toString()
  const minute = (at: number) => local(at).toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ')
  const shown = (at: number) => (isMidnight(at) ? day(at) : minute(at))
  if (since === null) return before === null ? 'no fixed time' : `before ${shown(before)}`
  if (before === null) return `since ${shown(since)}`
  if (!isMidnight(since) || !isMidnight(before)) return `${minute(since)} to ${minute(before)}`
  // The end is exclusive, so a range of whole days shows its last day.
  return day(since) === day(before, -1) ? day(since) : `${day(since)} to ${day(before, -1)}`
}

/** From one instant up to another. `point`: the instant for “since” and “before” if the span was widened. */
type TimeSpan = { from: Temporal.ZonedDateTime; to: Temporal.ZonedDateTime; point?: Temporal.ZonedDateTime }
type PhraseTime = TimeSpan | 'no fixed time'
type TimeMatch = { time: PhraseTime; end: number }

function windowFor(time: PhraseTime): TimeWindow {
  if (time === 'no fixed time') return { since: null, before: null }
  return { since: time.from.epochMilliseconds, before: time.to.epochMilliseconds }
}

/** What precedes a time: nothing, a word for days (“on”), one for longer times (“in”), one for both (“since”), or a filter key. */
type PrecedingWord = 'none' | 'day' | 'period' | 'any' | 'filter'

const OPENING_PUNCTUATION = /[(["'“„«¿¡]*/iuy
const PREPOSITIONS: { words: RegExp; sense: 'within' | 'since' | 'before' | 'range'; before: PrecedingWord }[] = [
  { words: /(?:on|at|am|le|el) /iuy, sense: 'within', before: 'day' },
  { words: /(?:in|during|within|over|throughout|of|im|en|durante|pendant) /iuy, sense: 'within', before: 'period' },
  // “The line before may fail” does not mean the month.
  { words: /(?:since|after(?! (?-i:may)\b)|seit|nach|depuis|après|desde) /iuy, sense: 'since', before: 'any' },
  { words: /(?:before(?! (?-i:may)\b)|until|till|bis|avant|antes de|hasta) /iuy, sense: 'before', before: 'any' },
  { words: /(?:from|between|von|vom|zwischen|entre) /iuy, sense: 'range', before: 'any' },
]
/** May precede any time. */
const ARTICLE = "(?:the |der |die |den |dem |la |le |el |l['’])?"
/** A time ends where its word ends: `today?` and `last week's` are times, `today.ts` and `this month/year` are not. */
const TAIL = `(?=(?:['’]s)?[)\\]"'”’»“.,;:!?…]*(?: |$))`
const JOIN = / (?:to|and|until|till|through|bis|und|à|au|et|al?|y|hasta) /iuy

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : null
}

function timeAt(text: string, at: number, before: PrecedingWord, clock: Clock): TimeMatch | null {
  return relativeTimeAt(text, at, clock) ?? ruleTimeAt(text, at, before, clock)
}

function ruleTimeAt(text: string, at: number, before: PrecedingWord, clock: Clock): TimeMatch | null {
  for (const { words, isAllowed, timeFor } of RULES) {
    const pattern = words.pattern()
    pattern.lastIndex = at
    const match = pattern.exec(text)
    const groups = match?.groups ?? {}
    const time = match && isAllowed(groups, before, clock) ? timeFor(groups, clock.now) : null
    if (match && time) return { time, end: at + match[0].length }
  }
  return null
}

/** “the week before 3 August”, “two days after March 3rd”: a span next to another time. “The week of” a day contains that day. */
function relativeTimeAt(text: string, at: number, clock: Clock): TimeMatch | null {
  RELATIVE_TIME.lastIndex = at
  const { n, unit, side = '' } = RELATIVE_TIME.exec(text)?.groups ?? {}
  const other = unit ? ruleTimeAt(text, RELATIVE_TIME.lastIndex, 'any', clock) : null
  if (!other || other.time === 'no fixed time') return null
  const { from, to } = other.time
  if (/of/i.test(side)) return { time: calendar(from, 0, 'week'), end: other.end }
  const length = { [`${unitOf(unit)}s`]: n ? numberOf(n) : 1 }
  const time = /before|vor|avant|antes/i.test(side) ? { from: from.subtract(length), to: from } : { from: to, to: to.add(length) }
  return { time, end: other.end }
}

/** “from March to May”, “between August 11 and August 15 2025”: one year applies to both. */
function rangeFrom(first: TimeMatch, text: string, clock: Clock): TimeMatch | null {
  const at = endOf(JOIN, text, first.end)
  const second = at === null ? null : timeAt(text, at, 'any', clock)
  if (!second || first.time === 'no fixed time' || second.time === 'no fixed time') return null
  const { to } = second.time
  const from = isBefore(first.time.from, to) ? first.time.from : first.time.from.with({ year: to.year })
  return isBefore(from, to) ? { time: { from, to }, end: second.end } : null
}

const isBefore = (a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime) => Temporal.ZonedDateTime.compare(a, b) < 0

type TimeUnit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'

/** Names in English, German, French and Spanish; short names for filter values; names as in 3天前 and 2週間前. */
const UNITS: Record<TimeUnit, [names: string, short: string, unspaced: string]> = {
  minute: ['minute[sn]?|mins?|minutos?', 'm|min', '分钟|分鐘|分'],
  hour: ['hours?|hrs?|stunden?|heures?|horas?', 'h', '个?小时|個?小時|時間'],
  day: ['days?|tag(?:en?)?|jours?|d[ií]as?', 'd', '天|日'],
  week: ['weeks?|wochen?|semaines?|semanas?', 'w', '周|週間?|[个個]星期'],
  month: ['months?|monat(?:en?)?|mois|mes(?:es)?', 'mo', '[个個かヶカケ]月'],
  year: ['years?|jahr(?:en?)?|ans?|années?|años?', 'y', '年'],
}
const MONTHS: [names: string, short: string][] = [
  ['january|januar|janvier|enero', 'jan'],
  ['february|februar|février|febrero', 'feb'],
  ['march|märz|mars|marzo', 'mar'],
  ['april|avril|abril', 'apr'],
  ['may|mai|mayo', 'may'],
  ['june|juni|juin|junio', 'jun'],
  ['july|juli|juillet|julio', 'jul'],
  ['august|août|agosto', 'aug'],
  ['september|septembre|septiembre', 'sept?'],
  ['october|oktober|octobre|octubre', 'oct'],
  ['november|novembre|noviembre', 'nov'],
  ['december|dezember|décembre|diciembre', 'dec'],
]
const WEEKDAYS: [names: string, short: string][] = [
  ['monday|montag|lundi|lunes', 'mon'],
  ['tuesday|dienstag|mardi|martes', 'tues?'],
  ['wednesday|mittwoch|mercredi|miércoles', 'wed'],
  ['thursday|donnerstag|jeudi|jueves', 'thu(?:rs?)?'],
  ['friday|freitag|vendredi|viernes', 'fri'],
  ['saturday|samstag|samedi|sábado', 'sat'],
  ['sunday|sonntag|dimanche|domingo', 'sun'],
]
/** Parts of a day and their hours. A night ends the next morning. */
const DAY_PARTS: [names: string, from: number, to: number][] = [
  ['morning|morgen|früh|matin|mañana', 0, 12],
  ['afternoon|nachmittag|après-midi|tarde', 12, 18],
  ['evening|abend|soir', 17, 24],
  ['night|nacht|nuit|noche', 18, 30],
]
const NUMBERS = [
  'a|an|one|ein|eine[mr]?|un|une|una|一',
  'couple(?: of)?|two|zwei|deux|dos|[二两兩]',
  'three|drei|trois|tres|三',
  'few|four|einigen|vier|quelques|quatre|unos|cuatro|[四几数]',
  'several|five|fünf|cinq|cinco|五',
  'six|sechs|seis|六',
  'seven|sieben|sept|siete|七',
  'eight|acht|huit|ocho|八',
  'nine|neun|neuf|nueve|九',
  'ten|zehn|dix|diez|十',
  'eleven|elf|onze',
  'twelve|zwölf|douze|doce',
]

const namesOf = (all: string[][]) => all.map(([names]) => names).join('|')
const UNIT = `(?<unit>${namesOf(Object.values(UNITS))})`
const SHORT_UNIT = `(?<unit>${Object.values(UNITS)
  .map(([, short]) => short)
  .join('|')})`
const PERIOD = '(?<unit>week|month|year|woche|monat|jahr|semaine|mois|année|semana|mes|año)'
const NUMBER = `(?<n>\\d{1,3}|(?:a )?(?:${NUMBERS.join('|')}))`
/** A pattern that is made when it is first needed: few queries name a time, and making all of them took the worker six milliseconds at its start. */
const onDemand = (source: string, flags: string) => ({ source, pattern: once(() => new RegExp(source, flags)) })
/** “The week before may fail” does not mean the month. */
const RELATIVE_TIME = new RegExp(
  `${ARTICLE}(?:(?:${NUMBER} )?(?<unit>${namesOf([UNITS.day, UNITS.week, UNITS.month, UNITS.year])}) (?<side>before|after|vor|nach|avant|après|antes de|después de)|(?<unit>week) (?<side>of)) (?!(?-i:may)\\b)(?=\\S)`,
  'iuy',
)
const PART = `(?<part>${DAY_PARTS.map(([names]) => names).join('|')})`
const MONTH = `(?<month>${namesOf(MONTHS)})`
const ANY_MONTH = `(?<month>${MONTHS.flat().join('|')})\\.?`
const WEEKDAY = `(?<weekday>${namesOf(WEEKDAYS)})`
const DAY = '(?<day>\\d{1,2})'
const YEAR = '(?<year>(?:19|20)\\d\\d)'
const ORDINALS = ['first|1st|erste[ns]?', 'second|2nd|zweite[ns]?', 'third|3rd|dritte[ns]?', 'fourth|4th|vierte[ns]?', 'fifth|5th']
const NTH = `(?<nth>${ORDINALS.join('|')}|last)`
const QUARTER = `(?:q(?<quarter>[1-4])|(?:(?<quarter>[1-4])\\.|(?<nth>${ORDINALS.slice(0, 4).join('|')})) (?:quarter|quartal))`
const LAST = '(?<last>last|previous|past|letzte[rnms]?|vergangene[rnms]?|vorige[rnms]?)'
/** A number before one of these is not a year: “in 2000 ms”. */
const COUNTABLE_NOUNS =
  'ms|milliseconds|s|secs?|seconds|bytes|kb|mb|tokens|char(?:acter)?s|lines|rows|files|items|px|pixels|commits|tests|entries'

type TimeMatchGroups = Record<string, string | undefined>
type TimeRuleCondition = (groups: TimeMatchGroups, before: PrecedingWord, clock: Clock) => boolean
type TimeRuleMeaning = (groups: TimeMatchGroups, now: Temporal.ZonedDateTime) => PhraseTime | null

const always: TimeRuleCondition = () => true
const afterPreposition: TimeRuleCondition = (_, before) => before !== 'none'
const afterDayPreposition: TimeRuleCondition = (_, before) => before !== 'none' && before !== 'period'
const afterPeriodPreposition: TimeRuleCondition = (_, before) => before !== 'none' && before !== 'day'
const afterFilterKey: TimeRuleCondition = (_, before) => before === 'filter'

/** The pattern of a time, when it counts as one, and what it means. The first match wins. */
const RULES = (
  [
    ['day before yesterday|vorgestern|avant-hier|anteayer', always, (_, now) => days(now, -2)],
    ['last night|gestern abend|hier soir|anoche', always, (_, now) => hours(now, -1, 18, 30)],
    [`(?:yesterday|gestern|ayer)(?: ${PART})?`, always, ({ part }, now) => partOfDay(now, -1, part)],
    [`hier(?: ${PART})?`, (_, before, { french }) => french || before === 'filter', ({ part }, now) => partOfDay(now, -1, part)],
    ['tomorrow|morgen|demain|mañana', afterFilterKey, (_, now) => days(now, 1)],
    ['tonight', always, (_, now) => hours(now, 0, 18, 30)],
    [`(?:this|heute|ce(?:t|tte)?|esta) ${PART}`, always, ({ part }, now) => partOfDay(now, 0, part)],
    ["(?:earlier )?(?:today|heute|aujourd['’]hui|hoy)", always, (_, now) => days(now, 0)],
    [`(?:earlier )?(?:this|diese[rnms]?|cette|ce|esta|este) ${PERIOD}(?:-ci)?`, always, ({ unit }, now) => calendar(now, 0, unit)],
    [`${LAST} ${NUMBER} ${UNIT}`, always, ({ n, unit }, now) => upToNow(now, n, unit)],
    [
      `past (?<unit>hour|day|week|month|year)|last (?<unit>hour)|the last (?<unit>week|month|year)(?! of)`,
      always,
      ({ unit }, now) => upToNow(now, '1', unit),
    ],
    [
      `${LAST} ${PERIOD}(?! of)|(?:${PERIOD}|(?<unit>an)) (?:derni(?:er|ère)|passée?|pasad[oa])`,
      always,
      ({ unit }, now) => calendar(now, 1, unit),
    ],
    ['(?<unit>week|month|year) before last', always, ({ unit }, now) => calendar(now, 2, unit)],
    [`${LAST} (?:quarter|quartal)(?! of)`, always, (_, now) => quarter(now, -1)],
    ['(?:this|dieses) (?:quarter|quartal)', always, (_, now) => quarter(now, 0)],
    [`${QUARTER}(?:[ /-]| of )${YEAR}|${YEAR}[ /-]?q(?<quarter>[1-4])`, always, quarterNamed],
    [QUARTER, afterPeriodPreposition, quarterNamed],
    [`${NTH} week (?:of|in) ${ANY_MONTH}(?:,? (?:of )?${YEAR})?`, always, weekOfMonth],
    [`${NUMBER} ${UNIT} (?:ago|back)|(?:vor|il y a|hace) ${NUMBER} ${UNIT}`, always, ({ n, unit }, now) => ago(now, n, unit)],
    ['(?<last>last|past) weekend|this weekend', always, weekend],
    ['weekend', afterPreposition, weekend],
    [`(?:${LAST}|this|diesen) ${WEEKDAY}(?: ${PART})?|${WEEKDAY} (?<last>dernier|pasado)`, always, latestWeekday],
    [`${WEEKDAY}(?: ${PART})?`, afterDayPreposition, latestWeekday],
    [`(?<weekday>${WEEKDAYS.map(([, short]) => short).join('|')})`, afterFilterKey, latestWeekday],
    [`${ANY_MONTH} ${DAY}(?<clear>st|nd|rd|th)?(?:,? ?${YEAR})?`, isClearDay, date],
    [`${DAY}(?:st|nd|rd|th|er|\\.)? (?<clear>of |de )?${ANY_MONTH}(?:,? (?:de )?${YEAR})?`, isClearDay, date],
    [
      `(?<stamp>${YEAR}-(?<month>\\d\\d)-${DAY}[t ](?<hour>\\d\\d):(?<minute>\\d\\d)(?::\\d\\d(?:\\.\\d+)?)?(?<offset>z|[+-]\\d\\d:\\d\\d)?)`,
      afterFilterKey,
      clockTime,
    ],
    [`${YEAR}-(?<month>\\d\\d)-${DAY}`, afterPreposition, date],
    [`${YEAR}(?<mark>[/.])(?<month>\\d\\d?)\\k<mark>${DAY}|${DAY}\\.(?<month>\\d\\d?)\\.${YEAR}`, afterFilterKey, date],
    [`(?<a>\\d{1,2})/(?<b>\\d{1,2})/${YEAR}`, always, slashedDate],
    [`${YEAR}-(?<month>\\d\\d)`, afterPreposition, wholeMonth],
    [`${ANY_MONTH},? (?:de )?${YEAR}`, always, wholeMonth],
    [`(?:${LAST}|this) ${MONTH}`, ({ month }) => !isVerb(month), wholeMonth],
    [MONTH, afterPeriodPreposition, wholeMonth],
    [ANY_MONTH, afterFilterKey, wholeMonth],
    [
      `(?:year |jahre? )?${YEAR}(?! (?:${COUNTABLE_NOUNS})\\b)`,
      isPastYear,
      ({ year }, now) => calendar(now, now.year - Number(year), 'year'),
    ],
    ['recently|lately|neulich|kürzlich|récemment|recientemente|the other day|a while (?:ago|back)', always, () => 'no fixed time'],
    [`(?<n>\\d{1,4}) ?${SHORT_UNIT}|${NUMBER} ${UNIT}`, afterFilterKey, ({ n, unit }, now) => upToNow(now, n, unit)],
  ] satisfies [words: string, isAllowed: TimeRuleCondition, timeFor: TimeRuleMeaning][]
).map(([words, isAllowed, timeFor]) => ({ words: onDemand(`${ARTICLE}(?:${words})${TAIL}`, 'iuy'), isAllowed, timeFor }))

/**
 * Whether a text may start with a time. It is tested for every word of a query, so it is a small pattern that lets some other texts through: one of all
 * rules took a worker ten milliseconds to compile.
 */
const TIME_START = once(() => {
  const name = [...MONTHS.flat(), namesOf(WEEKDAYS), 'quarter|quartal|weekend'].join('|')
  const beginning = `${LAST}|${NTH}|${NUMBER}|this|earlier|diese[rnms]?|ce(?:t|tte)?|est[ae]|vor|il y a|hace|\\d\\d?(?:st|nd|rd|th|er|\\.)?(?: of| de)?`
  const besideUnit = 'before|after|vor|nach|avant|après|antes|después|of|derni|passé|pasad'
  const alone =
    'day before|vorgestern|avant-hier|anteayer|anoche|yesterday|gestern|ayer|hier|tonight|today|heute|aujourd|hoy|recently|lately|neulich|kürzlich|récemment|recientemente|other day|a while|earlier (?:today|heute|aujourd|hoy)|q[1-4]|(?:year |jahre? )?(?:19|20)\\d\\d|\\d\\d?/\\d'
  const phrase = `(?:(?:${beginning}) ){1,4}(?:${UNIT}|${PART}|${name})|${name}|${UNIT} (?:${besideUnit})|${alone}`
  const prepositions = PREPOSITIONS.map(({ words }) => words.source).join('|')
  const pattern = `^${OPENING_PUNCTUATION.source}(?:${prepositions})?${ARTICLE}(?:${phrase})`
  // Many groups with the same name make a pattern slow to compile.
  return new RegExp(pattern.replace(/\(\?<\w+>/g, '(?:'), 'iu')
})

/** “March 3rd” is always a day; “may 3” and “dec 3” only after a word for days. */
function isClearDay({ month, clear, year }: TimeMatchGroups, before: PrecedingWord): boolean {
  if (clear || year || before === 'day' || before === 'filter') return true
  const short = MONTHS.some(([, short]) => isOneOf(short, month))
  return !isVerb(month) && (!short || before === 'any')
}

const isVerb = (month = '') => month === 'may' || month === 'march'

/** No memory is from before 2010 or from the future. */
function isPastYear({ year }: TimeMatchGroups, before: PrecedingWord, { now }: Clock): boolean {
  return before === 'filter' || (before !== 'none' && before !== 'day' && Number(year) >= 2010 && Number(year) <= now.year)
}

/** Midnight, or another hour, of a day in the person's time zone; if a clock change skips it, the first instant after it. */
function startOf(now: Temporal.ZonedDateTime, date: Temporal.PlainDate, hour = 0): Temporal.ZonedDateTime {
  return date.toPlainDateTime({ hour }).toZonedDateTime(now.timeZoneId)
}

function days(now: Temporal.ZonedDateTime, offset: number): TimeSpan {
  return hours(now, offset, 0, 24)
}

function hours(now: Temporal.ZonedDateTime, offset: number, from: number, to: number): TimeSpan {
  const date = now.toPlainDate().add({ days: offset })
  return { from: startOf(now, date, from), to: startOf(now, date.add({ days: Math.floor(to / 24) }), to % 24) }
}

function partOfDay(now: Temporal.ZonedDateTime, offset: number, part: string | undefined): TimeSpan {
  const [, from, to] = DAY_PARTS.find(([names]) => isOneOf(names, part)) ?? ['', 0, 24]
  return hours(now, offset, from, to)
}

/** A whole week (from Monday), month or year, `back` of them before the current one. */
function calendar(now: Temporal.ZonedDateTime, back: number, name: string | undefined): TimeSpan {
  const unit = unitOf(name)
  const today = now.toPlainDate()
  const monday = today.subtract({ days: today.dayOfWeek - 1 })
  const start = unit === 'week' ? monday : today.with(unit === 'month' ? { day: 1 } : { month: 1, day: 1 })
  const first = start.subtract({ [`${unit}s`]: back })
  return { from: startOf(now, first), to: startOf(now, first.add({ [`${unit}s`]: 1 })) }
}

/** “The last 3 days” start at midnight: too much is better than too little. */
function upToNow(now: Temporal.ZonedDateTime, n: string | undefined, name: string | undefined): TimeSpan {
  return { from: pointBack(now, n, unitOf(name)), to: days(now, 0).to }
}

/** How far “2 weeks ago” extends to either side. “3 days ago” is exactly that day, but “a few days ago” is not. */
const SLACK: Record<TimeUnit, Temporal.DurationLike> = {
  minute: { minutes: 10 },
  hour: { hours: 1 },
  day: { days: 0 },
  week: { days: 3 },
  month: { days: 15 },
  year: { months: 6 },
}
const VAGUE = /couple|few|several|einigen|quelques|unos|几|数/i

function ago(now: Temporal.ZonedDateTime, n: string | undefined, name: string | undefined): TimeSpan {
  const unit = unitOf(name)
  const point = pointBack(now, n, unit)
  const slack = unit === 'day' && VAGUE.test(n ?? '') ? { days: 2 } : SLACK[unit]
  const end = isClockUnit(unit) ? point : point.add({ days: 1 })
  return { from: point.subtract(slack), to: end.add(slack), point }
}

const isClockUnit = (unit: TimeUnit) => unit === 'minute' || unit === 'hour'

function pointBack(now: Temporal.ZonedDateTime, n: string | undefined, unit: TimeUnit): Temporal.ZonedDateTime {
  const back = { [`${unit}s`]: numberOf(n) }
  return isClockUnit(unit) ? now.subtract(back) : startOf(now, now.toPlainDate().subtract(back))
}

function weekend({ last }: TimeMatchGroups, now: Temporal.ZonedDateTime): TimeSpan {
  const today = now.toPlainDate()
  const saturday = 6 - today.dayOfWeek
  const offset = last || saturday > 0 ? saturday - 7 : saturday
  return { from: days(now, offset).from, to: days(now, offset + 1).to }
}

/** The latest such day, which may be today; “last Monday” is never today. */
function latestWeekday({ weekday, last, part }: TimeMatchGroups, now: Temporal.ZonedDateTime): TimeSpan {
  const wanted = WEEKDAYS.findIndex((names) => isOneOf(names.join('|'), weekday)) + 1
  const back = (now.dayOfWeek - wanted + 7) % 7
  return partOfDay(now, last && back === 0 ? -7 : -back, part)
}

/** A day; without a year, the latest one that is not in the future. Null for the 30th of February. */
function date({ year, month, day }: TimeMatchGroups, now: Temporal.ZonedDateTime): TimeSpan | null {
  const found = plainDate(Number(year ?? now.year), monthOf(month), Number(day))
  if (!found) return null
  const isAhead = !year && Temporal.PlainDate.compare(found, now.toPlainDate()) > 0
  const first = isAhead ? found.subtract({ years: 1 }) : found
  return { from: startOf(now, first), to: startOf(now, first.add({ days: 1 })) }
}

/** `22/02/2026` and `02/22/2026` are the same day; `03/04/2026` is ambiguous. */
function slashedDate({ a, b, year }: TimeMatchGroups, now: Temporal.ZonedDateTime): TimeSpan | null {
  const [low, high] = [Number(a), Number(b)].sort((x, y) => x - y)
  return high === low || Number(high) > 12 ? date({ year, month: String(low), day: String(high) }, now) : null
}

function clockTime({ stamp = '', year, month, day, hour, minute, offset }: TimeMatchGroups, now: Temporal.ZonedDateTime): TimeSpan | null {
  const found = plainDate(Number(year), monthOf(month), Number(day))
  if (!found || Number(hour) > 23 || Number(minute) > 59) return null
  const local = found.toPlainDateTime({ hour: Number(hour), minute: Number(minute) }).toZonedDateTime(now.timeZoneId)
  const instant = offset ? Date.parse(stamp.replace(' ', 'T').toUpperCase()) : local.epochMilliseconds
  if (Number.isNaN(instant)) return null
  const from = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(now.timeZoneId)
  return { from, to: from.add({ minutes: 1 }) }
}

/** A month; without a year, the latest one, which may be the current one. */
function wholeMonth({ year, month, last }: TimeMatchGroups, now: Temporal.ZonedDateTime): TimeSpan | null {
  const number = monthOf(month)
  const isAhead = number > now.month || (last && number === now.month)
  const start = plainDate(year ? Number(year) : now.year - Number(Boolean(isAhead)), number, 1)
  return start && { from: startOf(now, start), to: startOf(now, start.add({ months: 1 })) }
}

/** The second week of a month starts on its eighth day; the last one ends on its last day. Without a year, the latest such month. */
function weekOfMonth({ nth, ...groups }: TimeMatchGroups, now: Temporal.ZonedDateTime): TimeSpan | null {
  const month = wholeMonth(groups, now)
  if (!month) return null
  const index = ordinalOf(nth)
  const from = index < 0 ? month.to.subtract({ days: 7 }) : month.from.add({ days: 7 * index })
  const to = from.add({ days: 7 })
  return isBefore(from, month.to) ? { from, to: isBefore(to, month.to) ? to : month.to } : null
}

/** A calendar quarter, `offset` quarters from the current one. */
function quarter(now: Temporal.ZonedDateTime, offset: number): TimeSpan {
  const first = now
    .toPlainDate()
    .with({ month: now.month - ((now.month - 1) % 3), day: 1 })
    .add({ months: 3 * offset })
  return { from: startOf(now, first), to: startOf(now, first.add({ months: 3 })) }
}

/** A quarter; without a year, the latest one, which may be the current one. */
function quarterNamed({ quarter: number, nth, year }: TimeMatchGroups, now: Temporal.ZonedDateTime): TimeSpan | null {
  const month = 3 * (number ? Number(number) - 1 : ordinalOf(nth)) + 1
  const first = plainDate(year ? Number(year) : now.year - Number(month > now.month), month, 1)
  return first && { from: startOf(now, first), to: startOf(now, first.add({ months: 3 })) }
}

const ordinalOf = (word: string | undefined) => ORDINALS.findIndex((names) => isOneOf(names, word))

function plainDate(year: number, month: number, day: number): Temporal.PlainDate | null {
  if (month < 1 || month > 12 || day < 1 || day > Temporal.PlainYearMonth.from({ year, month }).daysInMonth) return null
  return Temporal.PlainDate.from({ year, month, day })
}

function monthOf(name = ''): number {
  return /^\d/.test(name) ? Number(name) : MONTHS.findIndex((names) => isOneOf(names.join('|'), name)) + 1
}

function unitOf(name = ''): TimeUnit {
  const units = Object.keys(UNITS) as TimeUnit[]
  const found = units.find((unit) => isOneOf(UNITS[unit].join('|'), name))
  if (!found) throw new Error(`a time rule matched “${name}”, which is not a unit of time`)
  return found
}

function numberOf(text = ''): number {
  return /^\d/.test(text) ? Number(text) : NUMBERS.findIndex((names) => isOneOf(`(?:a )?(?:${names})`, text)) + 1
}

const isOneOf = (names: string, word = '') => new RegExp(`^(?:${names})$`, 'iu').test(word)

const HAN_NUMBER = '[一二两兩三四五六七八九十几数]'
const UNSPACED_NUMBER = `(?<!${HAN_NUMBER})(?<n>\\d{1,3}|${HAN_NUMBER})`
const UNSPACED_UNIT = `(?<unit>${Object.values(UNITS)
  .map(([, , unspaced]) => unspaced)
  .join('|')})`

/** Chinese and Japanese. 周期 means cycle, not week, and 目前天气 the current weather. */
const UNSPACED = (
  [
    [`${UNSPACED_NUMBER}${UNSPACED_UNIT}前`, ({ n, unit }, now) => ago(now, n, unit)],
    [`(?:最近|过去|過去)${UNSPACED_NUMBER}${UNSPACED_UNIT}[間间]?`, ({ n, unit }, now) => upToNow(now, n, unit)],
    ['(?<!目)前天|一昨日|おととい', (_, now) => days(now, -2)],
    ['昨天|昨日|きのう', (_, now) => days(now, -1)],
    ['今天早上|今早|今朝', (_, now) => partOfDay(now, 0, 'morning')],
    ['今天|今日|きょう', (_, now) => days(now, 0)],
    ['(?:本|[这這][个個]?|今)(?:[周週](?!期)|星期)', (_, now) => calendar(now, 0, 'week')],
    ['(?:上[个個]?|先)(?:[周週](?!期)|星期)', (_, now) => calendar(now, 1, 'week')],
    ['(?:本|[这這][个個]|今)月', (_, now) => calendar(now, 0, 'month')],
    ['(?:上[个個]?|先)月', (_, now) => calendar(now, 1, 'month')],
    ['今年', (_, now) => calendar(now, 0, 'year')],
    ['去年|(?<!一)昨年', (_, now) => calendar(now, 1, 'year')],
    ['最近', () => 'no fixed time'],
  ] satisfies [words: string, timeFor: (groups: TimeMatchGroups, now: Temporal.ZonedDateTime) => PhraseTime][]
).map(([words, timeFor]) => ({ words: onDemand(words, 'uy'), timeFor }))
const UNSPACED_PHRASE = onDemand(UNSPACED.map(({ words }) => words.source).join('|'), 'gu').pattern
