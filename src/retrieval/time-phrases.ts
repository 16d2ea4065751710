/**
 * Time words: “yesterday”, “in March”, “vor 3 Tagen”, 上周. A word is taken for a time only in a form that can hardly mean anything
 * else, because a window that nobody meant hides what was looked for.
 */
export type TimeWindow = { since: number | null; before: number | null }

export type TimePhrase = TimeWindow & {
  /** How many words it took. */
  wordCount: number
  /** Where `since:` and `before:` draw the line; null for words like “recently”, which draw none. */
  boundary: number | null
}

/** No phrase is longer, so nobody need look further ahead. */
export const MAX_PHRASE_WORDS = 12

/** What a question is read against: the moment in the person's own zone, and whether “hier” is French, not German for “here”. */
export type Clock = { now: Temporal.ZonedDateTime; french: boolean }

export function clockFor(text: string, now: number, zone?: string): Clock {
  let read: Temporal.ZonedDateTime | undefined
  return {
    // Read when a time is spoken of: the first look at the calendar costs thirty milliseconds and ten megabytes.
    get now() {
      read ??= Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone ?? Temporal.Now.timeZoneId())
      return read
    },
    french: /hier/i.test(text) && FRENCH.test(text),
  }
}

const FRENCH = /(?<![a-zà-ÿ])(?:nous|avons|pourquoi|quel(?:le)?s?|est-ce|qu[ei]|les?|dans|avec|pour|depuis|était|erreur)(?![a-zà-ÿ])/iu

/**
 * The time that the first words of a text speak of; the words are parted by single spaces. `named` is for the value of `since:` and
 * `before:`, where whatever can be a time is one: `march`, `2025`, `7d`.
 */
export function parseTimePhrase(text: string, clock: Clock, named = false): TimePhrase | null {
  if (!named && !TIME_START.test(text)) return null
  const start = endOf(OPENING_PUNCTUATION, text, 0) ?? 0
  const preposition = PREPOSITIONS.find(({ words }) => endOf(words, text, start) !== null)
  const from = (preposition && endOf(preposition.words, text, start)) ?? start
  const first = timeAt(text, from, named ? 'named' : (preposition?.before ?? 'alone'), clock)
  const { said, end } = (first && preposition?.sense === 'range' && rangeFrom(first, text, clock)) || first || {}
  if (!said || !end) return null
  const words = text.slice(0, end).split(' ').length
  const edge = said === 'no fixed time' ? null : (said.point ?? said.from).epochMilliseconds
  if (preposition?.sense === 'since') return { wordCount: words, since: edge, before: null, boundary: edge }
  if (preposition?.sense === 'before') return { wordCount: words, since: null, before: edge, boundary: edge }
  return { wordCount: words, ...windowFor(said), boundary: edge }
}

/**
 * The moment that a whole text names, as `since:` takes it: of a day or a longer time its beginning. Null where it names none. A number is
 * milliseconds since 1970, save one that can be a year.
 */
export function parseInstant(text: string, now: number, zone?: string): number | null {
  const words = text.trim().replace(/\s+/g, ' ')
  if (/^\d{1,16}$/.test(words) && !/^(?:19|20)\d\d$/.test(words)) return Number(words)
  const time = words.length > MAX_INSTANT_CHARACTERS ? null : parseTimePhrase(words, clockFor(words, now, zone), true)
  return time?.wordCount === words.split(' ').length ? time.boundary : null
}

const MAX_INSTANT_CHARACTERS = 100

/** How a moment may be written, for whoever wrote something else. */
export const TIME_EXAMPLES = '2026-03-01, march, 7d, yesterday, “last week”'

/** The times within a word of a script that sets no spaces (Chinese, Japanese), and where they stand in it. */
export function findUnspacedTimes(text: string, clock: Clock): (TimeWindow & { word: string; at: number })[] {
  if (!/[\u3040-\u9fff]/.test(text)) return []
  return [...text.matchAll(UNSPACED_PHRASE)].flatMap(({ 0: word, index: at }) => {
    for (const { pattern, said } of UNSPACED) {
      pattern.lastIndex = at
      const match = pattern.exec(text)
      if (match) return [{ ...windowFor(said(match.groups ?? {}, clock.now)), word, at }]
    }
    return []
  })
}

/** A window in a few words for a person: `2026-03-01`, `2026-03-02 to 2026-03-08`, `since 2026-03-01 14:30`. */
export function describeWindow({ since, before }: TimeWindow, zone: string): string {
  const local = (at: number) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone)
  const isMidnight = (at: number) => local(at).startOfDay().epochMilliseconds === at
  const day = (at: number, offset = 0) => local(at).toPlainDate().add({ days: offset }).toString()
  const minute = (at: number) => local(at).toPlainDateTime().toString({ smallestUnit: 'minute' }).replace('T', ' ')
  const shown = (at: number) => (isMidnight(at) ? day(at) : minute(at))
  if (since === null) return before === null ? 'no fixed time' : `before ${shown(before)}`
  if (before === null) return `since ${shown(since)}`
  if (!isMidnight(since) || !isMidnight(before)) return `${minute(since)} to ${minute(before)}`
  // A window ends before its end, so whole days are told by the last of them.
  return day(since) === day(before, -1) ? day(since) : `${day(since)} to ${day(before, -1)}`
}

/** From a moment up to another. `point` is the line that “since” and “before” draw where the span is wider than what was said. */
type TimeSpan = { from: Temporal.ZonedDateTime; to: Temporal.ZonedDateTime; point?: Temporal.ZonedDateTime }
type PhraseTime = TimeSpan | 'no fixed time'
type TimeMatch = { said: PhraseTime; end: number }

function windowFor(said: PhraseTime): TimeWindow {
  if (said === 'no fixed time') return { since: null, before: null }
  return { since: said.from.epochMilliseconds, before: said.to.epochMilliseconds }
}

/** What stands before a time: nothing, a word for days (“on”), one for longer times (“in”), one for both (“since”), or `since:`. */
type PrecedingWord = 'alone' | 'day' | 'period' | 'any' | 'named'

const OPENING_PUNCTUATION = /[(["'“„«¿¡]*/iuy
const PREPOSITIONS: { words: RegExp; sense: 'within' | 'since' | 'before' | 'range'; before: PrecedingWord }[] = [
  { words: /(?:on|at|am|le|el) /iuy, sense: 'within', before: 'day' },
  { words: /(?:in|during|within|over|throughout|of|im|en|durante|pendant) /iuy, sense: 'within', before: 'period' },
  // “The line before may fail” is about no month.
  { words: /(?:since|after(?! (?-i:may)\b)|seit|nach|depuis|après|desde) /iuy, sense: 'since', before: 'any' },
  { words: /(?:before(?! (?-i:may)\b)|until|till|bis|avant|antes de|hasta) /iuy, sense: 'before', before: 'any' },
  { words: /(?:from|between|von|vom|zwischen|entre) /iuy, sense: 'range', before: 'any' },
]
/** May stand before any time. */
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
  for (const { pattern, stands, said } of RULES) {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    const found = match?.groups ?? {}
    const meant = match && stands(found, before, clock) ? said(found, clock.now) : null
    if (match && meant) return { said: meant, end: at + match[0].length }
  }
  return null
}

/** “the week before 3 August”, “two days after March 3rd”: so long, right beside another time. “The week of” it is the one it is in. */
function relativeTimeAt(text: string, at: number, clock: Clock): TimeMatch | null {
  RELATIVE_TIME.lastIndex = at
  const { n, unit, side = '' } = RELATIVE_TIME.exec(text)?.groups ?? {}
  const other = unit ? ruleTimeAt(text, RELATIVE_TIME.lastIndex, 'any', clock) : null
  if (!other || other.said === 'no fixed time') return null
  const { from, to } = other.said
  if (/of/i.test(side)) return { said: calendar(from, 0, 'week'), end: other.end }
  const long = { [`${unitOf(unit)}s`]: n ? numberOf(n) : 1 }
  const said = /before|vor|avant|antes/i.test(side) ? { from: from.subtract(long), to: from } : { from: to, to: to.add(long) }
  return { said, end: other.end }
}

/** “from March to May”, “between August 11 and August 15 2025”: a year said once is meant for both. */
function rangeFrom(first: TimeMatch, text: string, clock: Clock): TimeMatch | null {
  const at = endOf(JOIN, text, first.end)
  const second = at === null ? null : timeAt(text, at, 'any', clock)
  if (!second || first.said === 'no fixed time' || second.said === 'no fixed time') return null
  const { to } = second.said
  const from = isBefore(first.said.from, to) ? first.said.from : first.said.from.with({ year: to.year })
  return isBefore(from, to) ? { said: { from, to }, end: second.end } : null
}

const isBefore = (a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime) => Temporal.ZonedDateTime.compare(a, b) < 0

type TimeUnit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year'

/** Names in English, German, French and Spanish; the short ones behind `since:`; the last ones as in 3天前 and 2週間前. */
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
/** Parts of a day and their hours; a night ends in the morning after. */
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
/** “The week before may fail” is about no month. */
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
/** What a number behind “in” counts when it is no year. */
const COUNTABLE_NOUNS =
  'ms|milliseconds|s|secs?|seconds|bytes|kb|mb|tokens|char(?:acter)?s|lines|rows|files|items|px|pixels|commits|tests|entries'

type TimeMatchGroups = Record<string, string | undefined>
type TimeRuleCondition = (found: TimeMatchGroups, before: PrecedingWord, clock: Clock) => boolean
type TimeRuleMeaning = (found: TimeMatchGroups, now: Temporal.ZonedDateTime) => PhraseTime | null

const alone: TimeRuleCondition = () => true
const afterPreposition: TimeRuleCondition = (_, before) => before !== 'alone'
const afterDayPreposition: TimeRuleCondition = (_, before) => before !== 'alone' && before !== 'period'
const afterPeriodPreposition: TimeRuleCondition = (_, before) => before !== 'alone' && before !== 'day'
const afterFilterKey: TimeRuleCondition = (_, before) => before === 'named'

/** What a time looks like, behind what it is clear enough to be one, and what it means. The first that fits is taken. */
const RULES = (
  [
    ['day before yesterday|vorgestern|avant-hier|anteayer', alone, (_, now) => days(now, -2)],
    ['last night|gestern abend|hier soir|anoche', alone, (_, now) => hours(now, -1, 18, 30)],
    [`(?:yesterday|gestern|ayer)(?: ${PART})?`, alone, ({ part }, now) => partOfDay(now, -1, part)],
    [`hier(?: ${PART})?`, (_, before, { french }) => french || before === 'named', ({ part }, now) => partOfDay(now, -1, part)],
    ['tomorrow|morgen|demain|mañana', afterFilterKey, (_, now) => days(now, 1)],
    ['tonight', alone, (_, now) => hours(now, 0, 18, 30)],
    [`(?:this|heute|ce(?:t|tte)?|esta) ${PART}`, alone, ({ part }, now) => partOfDay(now, 0, part)],
    ["(?:earlier )?(?:today|heute|aujourd['’]hui|hoy)", alone, (_, now) => days(now, 0)],
    [`(?:earlier )?(?:this|diese[rnms]?|cette|ce|esta|este) ${PERIOD}(?:-ci)?`, alone, ({ unit }, now) => calendar(now, 0, unit)],
    [`${LAST} ${NUMBER} ${UNIT}`, alone, ({ n, unit }, now) => upToNow(now, n, unit)],
    [
      `past (?<unit>hour|day|week|month|year)|last (?<unit>hour)|the last (?<unit>week|month|year)(?! of)`,
      alone,
      ({ unit }, now) => upToNow(now, '1', unit),
    ],
    [
      `${LAST} ${PERIOD}(?! of)|(?:${PERIOD}|(?<unit>an)) (?:derni(?:er|ère)|passée?|pasad[oa])`,
      alone,
      ({ unit }, now) => calendar(now, 1, unit),
    ],
    ['(?<unit>week|month|year) before last', alone, ({ unit }, now) => calendar(now, 2, unit)],
    [`${LAST} (?:quarter|quartal)(?! of)`, alone, (_, now) => quarter(now, -1)],
    ['(?:this|dieses) (?:quarter|quartal)', alone, (_, now) => quarter(now, 0)],
    [`${QUARTER}(?:[ /-]| of )${YEAR}|${YEAR}[ /-]?q(?<quarter>[1-4])`, alone, quarterNamed],
    [QUARTER, afterPeriodPreposition, quarterNamed],
    [`${NTH} week (?:of|in) ${ANY_MONTH}(?:,? (?:of )?${YEAR})?`, alone, weekOfMonth],
    [`${NUMBER} ${UNIT} (?:ago|back)|(?:vor|il y a|hace) ${NUMBER} ${UNIT}`, alone, ({ n, unit }, now) => ago(now, n, unit)],
    ['(?<last>last|past) weekend|this weekend', alone, weekend],
    ['weekend', afterPreposition, weekend],
    [`(?:${LAST}|this|diesen) ${WEEKDAY}(?: ${PART})?|${WEEKDAY} (?<last>dernier|pasado)`, alone, latestWeekday],
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
    [`(?<a>\\d{1,2})/(?<b>\\d{1,2})/${YEAR}`, alone, slashedDate],
    [`${YEAR}-(?<month>\\d\\d)`, afterPreposition, wholeMonth],
    [`${ANY_MONTH},? (?:de )?${YEAR}`, alone, wholeMonth],
    [`(?:${LAST}|this) ${MONTH}`, ({ month }) => !isVerb(month), wholeMonth],
    [MONTH, afterPeriodPreposition, wholeMonth],
    [ANY_MONTH, afterFilterKey, wholeMonth],
    [
      `(?:year |jahre? )?${YEAR}(?! (?:${COUNTABLE_NOUNS})\\b)`,
      isPastYear,
      ({ year }, now) => calendar(now, now.year - Number(year), 'year'),
    ],
    ['recently|lately|neulich|kürzlich|récemment|recientemente|the other day|a while (?:ago|back)', alone, () => 'no fixed time'],
    [`(?<n>\\d{1,4}) ?${SHORT_UNIT}|${NUMBER} ${UNIT}`, afterFilterKey, ({ n, unit }, now) => upToNow(now, n, unit)],
  ] satisfies [words: string, stands: TimeRuleCondition, said: TimeRuleMeaning][]
).map(([words, stands, said]) => ({ pattern: new RegExp(`${ARTICLE}(?:${words})${TAIL}`, 'iuy'), stands, said }))

/** Whether a text may begin with a time at all: asked of every word, so it is one pattern. */
const TIME_START = new RegExp(
  `^${OPENING_PUNCTUATION.source}(?:${PREPOSITIONS.map(({ words }) => words.source).join('|')})?(?:${[RELATIVE_TIME, ...RULES.map(({ pattern }) => pattern)].map(({ source }) => source).join('|')})`,
  'iu',
)

/** “March 3rd” is a day wherever it stands; “may 3” and “dec 3” only behind a word for days. */
function isClearDay({ month, clear, year }: TimeMatchGroups, before: PrecedingWord): boolean {
  if (clear || year || before === 'day' || before === 'named') return true
  const short = MONTHS.some(([, short]) => isOneOf(short, month))
  return !isVerb(month) && (!short || before === 'any')
}

const isVerb = (month = '') => month === 'may' || month === 'march'

/** Nothing was remembered before 2010, and “in 2048” is no time yet. */
function isPastYear({ year }: TimeMatchGroups, before: PrecedingWord, { now }: Clock): boolean {
  return before === 'named' || (before !== 'alone' && before !== 'day' && Number(year) >= 2010 && Number(year) <= now.year)
}

/** Midnight, or an hour, of a day in the person's zone; where a clock change skips it, the first moment after. */
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

/** A whole week (from Monday), month or year, so many before this one. */
function calendar(now: Temporal.ZonedDateTime, back: number, name: string | undefined): TimeSpan {
  const unit = unitOf(name)
  const today = now.toPlainDate()
  const monday = today.subtract({ days: today.dayOfWeek - 1 })
  const start = unit === 'week' ? monday : today.with(unit === 'month' ? { day: 1 } : { month: 1, day: 1 })
  const first = start.subtract({ [`${unit}s`]: back })
  return { from: startOf(now, first), to: startOf(now, first.add({ [`${unit}s`]: 1 })) }
}

/** “The last 3 days” begin when the day began: a little more is kinder than a little less. */
function upToNow(now: Temporal.ZonedDateTime, n: string | undefined, name: string | undefined): TimeSpan {
  return { from: pointBack(now, n, unitOf(name)), to: days(now, 0).to }
}

/** How far “2 weeks ago” reaches to either side. A day is that day, unless it is “a few”. */
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

/** The latest such day, today if it is one; “last Monday” is never today. */
function latestWeekday({ weekday, last, part }: TimeMatchGroups, now: Temporal.ZonedDateTime): TimeSpan {
  const wanted = WEEKDAYS.findIndex((names) => isOneOf(names.join('|'), weekday)) + 1
  const back = (now.dayOfWeek - wanted + 7) % 7
  return partOfDay(now, last && back === 0 ? -7 : -back, part)
}

/** A day; without a year the latest one there was. Null for the 30th of February. */
function date({ year, month, day }: TimeMatchGroups, now: Temporal.ZonedDateTime): TimeSpan | null {
  const found = plainDate(Number(year ?? now.year), monthOf(month), Number(day))
  if (!found) return null
  const isAhead = !year && Temporal.PlainDate.compare(found, now.toPlainDate()) > 0
  const first = isAhead ? found.subtract({ years: 1 }) : found
  return { from: startOf(now, first), to: startOf(now, first.add({ days: 1 })) }
}

/** `22/02/2026` and `02/22/2026` are one day; of `03/04/2026` nobody knows which is meant. */
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

/** A month; without a year the latest one there was, this one included. */
function wholeMonth({ year, month, last }: TimeMatchGroups, now: Temporal.ZonedDateTime): TimeSpan | null {
  const number = monthOf(month)
  const isAhead = number > now.month || (last && number === now.month)
  const start = plainDate(year ? Number(year) : now.year - Number(Boolean(isAhead)), number, 1)
  return start && { from: startOf(now, start), to: startOf(now, start.add({ months: 1 })) }
}

/** “The second week” of a month begins with its eighth day; “the last” ends with its last. Without a year, the latest month there was. */
function weekOfMonth({ nth, ...found }: TimeMatchGroups, now: Temporal.ZonedDateTime): TimeSpan | null {
  const month = wholeMonth(found, now)
  if (!month) return null
  const index = ordinalOf(nth)
  const from = index < 0 ? month.to.subtract({ days: 7 }) : month.from.add({ days: 7 * index })
  const to = from.add({ days: 7 })
  return isBefore(from, month.to) ? { from, to: isBefore(to, month.to) ? to : month.to } : null
}

/** Three months from January, April, July or October on, so many quarters from this one. */
function quarter(now: Temporal.ZonedDateTime, offset: number): TimeSpan {
  const first = now
    .toPlainDate()
    .with({ month: now.month - ((now.month - 1) % 3), day: 1 })
    .add({ months: 3 * offset })
  return { from: startOf(now, first), to: startOf(now, first.add({ months: 3 })) }
}

/** A quarter of a year; without one the latest there was, this one included. */
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
  if (!found) throw new Error(`a rule took “${name}” for a unit of time`)
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

/** Chinese and Japanese. 周期 is a cycle, not a week, and 目前天气 the weather now. */
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
  ] satisfies [words: string, said: (found: TimeMatchGroups, now: Temporal.ZonedDateTime) => PhraseTime][]
).map(([words, said]) => ({ pattern: new RegExp(words, 'uy'), said }))
const UNSPACED_PHRASE = new RegExp(UNSPACED.map(({ pattern }) => pattern.source).join('|'), 'gu')
