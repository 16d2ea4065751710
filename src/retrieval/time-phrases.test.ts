import { describe, expect, test } from 'bun:test'
import { clockFor, describeWindow, findUnspacedTimes, parseInstant, parseTimePhrase } from './time-phrases.ts'

// A Wednesday afternoon in Berlin.
const now = Date.UTC(2026, 10, 11, 14, 30)
const zone = 'Europe/Berlin'

/** What the first words of a text mean, and how many words that takes. */
function meaning(text: string): string | null {
  const time = parseTimePhrase(text, clockFor(text, now, zone))
  return time && `${describeWindow(time, zone)} (${time.wordCount})`
}

describe('words for times', () => {
  test.each([
    ['today', '2026-11-11 (1)'],
    ['Today?', '2026-11-11 (1)'],
    ['yesterday', '2026-11-10 (1)'],
    ["yesterday's crash", '2026-11-10 (1)'],
    ['yesterday evening', '2026-11-10 17:00 to 2026-11-11 00:00 (2)'],
    ['the day before yesterday', '2026-11-09 (4)'],
    ['this morning', '2026-11-11 00:00 to 2026-11-11 12:00 (2)'],
    ['tonight', '2026-11-11 18:00 to 2026-11-12 06:00 (1)'],
    ['last night', '2026-11-10 18:00 to 2026-11-11 06:00 (2)'],
    ['this week', '2026-11-09 to 2026-11-15 (2)'],
    ['last week', '2026-11-02 to 2026-11-08 (2)'],
    ['last month', '2026-10-01 to 2026-10-31 (2)'],
    ['this year', '2026-01-01 to 2026-12-31 (2)'],
    ['last year', '2025-01-01 to 2025-12-31 (2)'],
    ['last weekend', '2026-11-07 to 2026-11-08 (2)'],
    ['over the weekend', '2026-11-07 to 2026-11-08 (3)'],
    ['on Monday', '2026-11-09 (2)'],
    ['on Wednesday', '2026-11-11 (2)'],
    ['last Wednesday', '2026-11-04 (2)'],
    ['last Tuesday afternoon', '2026-11-10 12:00 to 2026-11-10 18:00 (3)'],
    ['recently', 'no fixed time (1)'],
    ['the other day', 'no fixed time (3)'],
  ])('%s: %s', (text, expected) => expect(meaning(text)).toBe(expected))
})

describe('names of days and months', () => {
  const day = (text: string) => meaning(text)?.replace(/ \(\d\)$/, '')
  // From Thursday of last week to this Wednesday.
  const DAYS: [date: string, names: string[]][] = [
    ['2026-11-05', ['Thursday', 'Donnerstag', 'jeudi', 'jueves']],
    ['2026-11-06', ['Friday', 'Freitag', 'vendredi', 'viernes']],
    ['2026-11-07', ['Saturday', 'Samstag', 'samedi', 'sábado']],
    ['2026-11-08', ['Sunday', 'Sonntag', 'dimanche', 'domingo']],
    ['2026-11-09', ['Monday', 'Montag', 'lundi', 'lunes']],
    ['2026-11-10', ['Tuesday', 'Dienstag', 'mardi', 'martes']],
    ['2026-11-11', ['Wednesday', 'Mittwoch', 'mercredi', 'miércoles']],
  ]
  test.each(DAYS)('%s is the latest %p', (date, names) => {
    for (const name of names) expect([name, day(`on ${name}`) ?? day(name)]).toEqual([name, date])
  })

  test('in a filter a short name is enough: since:mon', () => {
    const SHORT: [date: string, names: string[]][] = [
      ['2026-11-05', ['thu', 'thur', 'thurs']],
      ['2026-11-06', ['fri']],
      ['2026-11-07', ['sat']],
      ['2026-11-08', ['sun']],
      ['2026-11-09', ['mon']],
      ['2026-11-10', ['tue', 'tues']],
      ['2026-11-11', ['wed']],
    ]
    for (const [date, names] of SHORT)
      for (const name of names) {
        const time = parseTimePhrase(name, clockFor(name, now, zone), true)
        expect([name, time && describeWindow(time, zone)]).toEqual([name, date])
      }
    expect(meaning('mon')).toBeNull()
  })

  const MONTHS: [month: string, names: string[]][] = [
    ['01', ['January', 'Jan', 'Januar', 'janvier', 'enero']],
    ['02', ['February', 'Feb', 'Februar', 'février', 'febrero']],
    ['03', ['March', 'Mar', 'März', 'mars', 'marzo']],
    ['04', ['April', 'Apr', 'avril', 'abril']],
    ['05', ['May', 'Mai', 'mayo']],
    ['06', ['June', 'Jun', 'Juni', 'juin', 'junio']],
    ['07', ['July', 'Jul', 'Juli', 'juillet', 'julio']],
    ['08', ['August', 'Aug', 'août', 'agosto']],
    ['09', ['September', 'Sep', 'Sept', 'septembre', 'septiembre']],
    ['10', ['October', 'Oct', 'Oktober', 'octobre', 'octubre']],
  ]
  test.each(MONTHS)('month %s is called %p', (month, names) => {
    for (const name of names) expect([name, day(`5 ${name} 2026`)]).toEqual([name, `2026-${month}-05`])
  })

  test('numbers up to twelve may be words', () => {
    const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
    for (const [n, word] of words.entries()) expect([word, meaning(`last ${word} days`)]).toEqual([word, meaning(`last ${n + 1} days`)])
  })
})

test.each([
  ['Saturday', 14, '2026-11-14 to 2026-11-15'],
  ['Sunday', 15, '2026-11-14 to 2026-11-15'],
  ['Monday', 16, '2026-11-14 to 2026-11-15'],
])('on a %s the weekend is this one or the one before, and the last weekend is never this one', (_, day, weekend) => {
  const at = (text: string) => {
    const time = parseTimePhrase(text, clockFor(text, Date.UTC(2026, 10, day, 14), zone))
    return time && describeWindow(time, zone)
  }
  expect(at('over the weekend')).toBe(weekend)
  expect(at('last weekend')).toBe(day < 16 ? '2026-11-07 to 2026-11-08' : weekend)
})

describe('counts of days, weeks and months', () => {
  test.each([
    ['last 3 days', '2026-11-08 to 2026-11-11 (3)'],
    ['the past two weeks', '2026-10-28 to 2026-11-11 (4)'],
    ['in the last week', '2026-11-04 to 2026-11-11 (4)'],
    ['over the past few days', '2026-11-07 to 2026-11-11 (5)'],
    ['last hour', '2026-11-11 14:30 to 2026-11-12 00:00 (2)'],
    ['within the last 3 days', '2026-11-08 to 2026-11-11 (5)'],
    ['3 days ago', '2026-11-08 (3)'],
    ['a few days ago', '2026-11-05 to 2026-11-09 (4)'],
    ['two weeks ago', '2026-10-25 to 2026-10-31 (3)'],
    ['a month ago', '2026-09-26 to 2026-10-26 (3)'],
    ['an hour ago', '2026-11-11 13:30 to 2026-11-11 15:30 (3)'],
    ['since 2 weeks ago', 'since 2026-10-28 (4)'],
  ])('%s: %s', (text, expected) => expect(meaning(text)).toBe(expected))
})

describe('dates', () => {
  test.each([
    ['in March', '2026-03-01 to 2026-03-31 (2)'],
    ['in December', '2025-12-01 to 2025-12-31 (2)'],
    ['in may', '2026-05-01 to 2026-05-31 (2)'],
    ['in March 2025', '2025-03-01 to 2025-03-31 (3)'],
    ['Dec 2025', '2025-12-01 to 2025-12-31 (2)'],
    ['last November', '2025-11-01 to 2025-11-30 (2)'],
    ['in 2025', '2025-01-01 to 2025-12-31 (2)'],
    ['on 2026-03-01', '2026-03-01 (2)'],
    ['in 2026-03', '2026-03-01 to 2026-03-31 (2)'],
    ['March 3rd', '2026-03-03 (2)'],
    ['December 3rd', '2025-12-03 (2)'],
    ['on may 3', '2026-05-03 (3)'],
    ['the 3rd of May', '2026-05-03 (4)'],
    ['October 13, 2023', '2023-10-13 (3)'],
    ['on 3 June, 2023?', '2023-06-03 (4)'],
    ['since yesterday', 'since 2026-11-10 (2)'],
    ['before last week', 'before 2026-11-02 (3)'],
    ['before May', 'before 2026-05-01 (2)'],
    ['22/02/2026', '2026-02-22 (1)'],
    ['on 02/22/2026', '2026-02-22 (2)'],
    ['Q1 2026', '2026-01-01 to 2026-03-31 (2)'],
    ['2025-Q4', '2025-10-01 to 2025-12-31 (1)'],
    ['in Q4', '2026-10-01 to 2026-12-31 (2)'],
    ['the third quarter of 2025', '2025-07-01 to 2025-09-30 (5)'],
    ['last quarter', '2026-07-01 to 2026-09-30 (2)'],
    ['this quarter', '2026-10-01 to 2026-12-31 (2)'],
    ['letztes Quartal', '2026-07-01 to 2026-09-30 (2)'],
    ['the week before 3 August', '2026-07-27 to 2026-08-02 (5)'],
    ['two days after March 3rd', '2026-03-04 to 2026-03-05 (5)'],
    ['the month before last', '2026-09-01 to 2026-09-30 (4)'],
    ['in the week of 3 August', '2026-08-03 to 2026-08-09 (6)'],
    ['the second week of November', '2026-11-08 to 2026-11-14 (5)'],
    ['the last week of February 2024', '2024-02-23 to 2024-02-29 (6)'],
    ['the fifth week of December', '2025-12-29 to 2025-12-31 (5)'],
    ['between March and May', '2026-03-01 to 2026-05-31 (4)'],
    ['from August 11 to August 15 2023', '2023-08-11 to 2023-08-15 (7)'],
    ['from Monday to deploy', '2026-11-09 (2)'],
  ])('%s: %s', (text, expected) => expect(meaning(text)).toBe(expected))
})

test.each([
  ['German', 'vorgestern', '2026-11-09 (1)'],
  ['German', 'letzte Woche', '2026-11-02 to 2026-11-08 (2)'],
  ['German', 'vor einer Woche', '2026-11-01 to 2026-11-07 (3)'],
  ['German', 'am Montag', '2026-11-09 (2)'],
  ['German', 'im März', '2026-03-01 to 2026-03-31 (2)'],
  ['German', 'seit gestern', 'since 2026-11-10 (2)'],
  ['French', "aujourd'hui", '2026-11-11 (1)'],
  ['French', 'hier pourquoi', '2026-11-10 (1)'],
  ['French', 'la semaine dernière', '2026-11-02 to 2026-11-08 (3)'],
  ['French', 'il y a 3 jours', '2026-11-08 (5)'],
  ['Spanish', 'ayer', '2026-11-10 (1)'],
  ['Spanish', 'el mes pasado', '2026-10-01 to 2026-10-31 (3)'],
  ['Spanish', 'hace 2 días', '2026-11-09 (3)'],
  ['Spanish', 'el 3 de marzo de 2025', '2025-03-03 (6)'],
])('%s is understood: %s', (_, text, expected) => expect(meaning(text)).toBe(expected))

test.each([
  'today.ts',
  'today-picker',
  'this month/year',
  'last argument',
  'last one',
  'last second',
  'the last week of the sprint',
  'this function',
  'the day-picker component',
  'Monday',
  'may fail',
  'may 3 people',
  'before may fail',
  'march on',
  'march 3 steps',
  '3 may break',
  'dec 3',
  'in dec',
  '2025',
  '2025.1',
  'in 2000 ms',
  '03/04/2026',
  '31/02/2026',
  '22/02/26',
  'Q1',
  'the last quarter of the file',
  'the week before the release',
  'the day before may fail',
  'two days after',
  'tomorrow',
  'the second week of work',
  'the fifth week of February 2026',
  'in 2024 tokens',
  'in 2048',
  '2026-03-01',
  'on 2026-02-30',
  'hier ist ein Fehler',
  'this an error',
  'in days',
  '',
  ' ',
])('%p is not a time', (text) => expect(meaning(text)).toBeNull())

describe('as a value of since:, anything that can be a time is one', () => {
  const edge = (text: string) => {
    const at = parseTimePhrase(text, clockFor(text, now, zone), true)?.boundary ?? null
    return at === null ? null : describeWindow({ since: at, before: null }, zone).slice('since '.length)
  }
  test.each([
    ['7d', '2026-11-04'],
    ['2w', '2026-10-28'],
    ['3mo', '2026-08-11'],
    ['1y', '2025-11-11'],
    ['12h', '2026-11-11 03:30'],
    ['90m', '2026-11-11 14:00'],
    ['3 days', '2026-11-08'],
    ['2 weeks ago', '2026-10-28'],
    ['march', '2026-03-01'],
    ['mar', '2026-03-01'],
    ['mon', '2026-11-09'],
    ['2025', '2025-01-01'],
    ['2026-03', '2026-03-01'],
    ['2026-03-01', '2026-03-01'],
    ['2026/3/1', '2026-03-01'],
    ['1.3.2026', '2026-03-01'],
    ['tomorrow', '2026-11-12'],
    ['22/02/2026', '2026-02-22'],
    ['Q1', '2026-01-01'],
    ['2026-03-01T12:30', '2026-03-01 12:30'],
    ['2026-03-01 12:30', '2026-03-01 12:30'],
    ['2026-03-01T12:30Z', '2026-03-01 13:30'],
    ['2026-03-01T12:30+02:00', '2026-03-01 11:30'],
    ['hier', '2026-11-10'],
  ])('%s: %s', (text, expected) => expect(edge(text)).toBe(expected))

  test.each(['foo', '3', '2026-13-01', '2026-02-29', '2026-03-01T25:00', '03/01/2026', 'recently'])('%s is not a time', (text) => {
    expect(edge(text)).toBeNull()
  })
})

test.each([
  ['昨天修复了登录', '昨天 2026-11-10'],
  ['上周的错误和今天', '上周 2026-11-02 to 2026-11-08, 今天 2026-11-11'],
  ['三个月前', '三个月前 2026-07-27 to 2026-08-26'],
  ['最近7天', '最近7天 2026-11-04 to 2026-11-11'],
  ['一昨日のバグ', '一昨日 2026-11-09'],
  ['2週間前', '2週間前 2026-10-25 to 2026-10-31'],
  ['最近', '最近 no fixed time'],
  ['目前天气上周期', ''],
])('%s contains %p', (text, expected) => {
  const times = findUnspacedTimes(text, clockFor(text, now, zone))
  expect(times.map((time) => `${text.slice(time.at, time.at + time.word.length)} ${describeWindow(time, zone)}`).join(', ')).toBe(expected)
})

test('days are in the time zone of the person', () => {
  const late = Date.UTC(2026, 10, 11, 23, 30)
  const today = (zone: string) => parseTimePhrase('today', clockFor('', late, zone))
  expect(today('Europe/Berlin')).toMatchObject({ since: Date.UTC(2026, 10, 11, 23), before: Date.UTC(2026, 10, 12, 23) })
  expect(today('America/New_York')).toMatchObject({ since: Date.UTC(2026, 10, 11, 5), before: Date.UTC(2026, 10, 12, 5) })
})

test('a day of a clock change has 23 or 25 hours, and one without a midnight starts at one', () => {
  const hours = (noon: number, zone: string) => {
    const { since, before } = parseTimePhrase('today', clockFor('', noon, zone)) ?? {}
    return ((before ?? 0) - (since ?? 0)) / 3_600_000
  }
  expect(hours(Date.UTC(2026, 2, 29, 12), 'Europe/Berlin')).toBe(23)
  expect(hours(Date.UTC(2026, 9, 25, 12), 'Europe/Berlin')).toBe(25)
  expect(hours(Date.UTC(2018, 10, 4, 12), 'America/Sao_Paulo')).toBe(23)
})

test('an instant is any value of since:, the start of a longer time, or milliseconds', () => {
  const at = (text: string) => {
    const instant = parseInstant(text, now, zone)
    return instant === null ? null : new Date(instant).toISOString().slice(0, 16)
  }
  for (const [text, expected] of [
    ['2026-03-01', '2026-02-28T23:00'],
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00'],
    ['12h', '2026-11-11T02:30'],
    ['7d', '2026-11-03T23:00'],
    ['yesterday', '2026-11-09T23:00'],
    [' last  week ', '2026-11-01T23:00'],
    ['march', '2026-02-28T23:00'],
    ['2025', '2024-12-31T23:00'],
    ['2500', '1970-01-01T00:00'],
    ['1770000000000', '2026-02-02T02:40'],
  ] as const)
    expect([text, at(text)]).toEqual([text, expected])
  for (const text of ['', 'never', '7x', 'd', '-7d', '2026-13-01', '2026-02-30', 'recently', 'yesterday and more', 'x'.repeat(9999)])
    expect([text, at(text)]).toEqual([text, null])
})
