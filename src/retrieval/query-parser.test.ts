import { describe, expect, test } from 'bun:test'
import { growth, LINEAR, processorTime } from '../../test/support/growth.ts'
import { combineWindows, type ParsedQuery, parseQuery } from './query-parser.ts'
import { describeWindow } from './time-phrases.ts'

// A Wednesday afternoon in Berlin.
const now = Date.UTC(2026, 10, 11, 14, 30)
const zone = 'Europe/Berlin'
const read = (text: string) => parseQuery(text, now, zone)

/** The filters that are set, and nothing else. */
function filtersOf({ filters }: ParsedQuery): object {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== null)))
}
const when = (text: string) => describeWindow(read(text).filters, zone)

test('a question is taken apart into filters, time, words and names', () => {
  const question = read('why did getUser fail in src/auth.ts yesterday? type:bugfix')
  expect(question).toMatchObject({
    text: 'why did getUser fail in src/auth.ts',
    words: ['getuser', 'fail', 'src', 'auth', 'ts'],
    identifiers: ['getUser', 'src/auth.ts'],
    files: ['src/auth.ts'],
    understood: [{ word: 'yesterday', at: 36, meaning: '2026-11-10', from: 'text' }],
    problems: [],
  })
  expect(question.filters).toMatchObject({ types: ['bugfix'], since: Date.UTC(2026, 10, 9, 23), before: Date.UTC(2026, 10, 10, 23) })
})

describe('filters', () => {
  test.each<[string, object, string]>([
    ['type:bugfix login', { types: ['bugfix'] }, 'login'],
    ['login TYPE:BugFix', { types: ['bugfix'] }, 'login'],
    ['type:bug login type:feat', { types: ['bugfix', 'feature'] }, 'login'],
    ['types:fixes,discoveries', { types: ['bugfix', 'discovery'] }, ''],
    ['type:episodic kind:notes', { types: ['episodic'], kinds: ['note'] }, ''],
    ['(type:bugfix)?', { types: ['bugfix'] }, ''],
    ['(type:bugfix) login', { types: ['bugfix'] }, 'login'],
    ['type：bugfix', { types: ['bugfix'] }, ''],
    ['ns:Decisions namespace:apis', { namespaces: ['decisions', 'apis'] }, ''],
    [
      'login -type:bugfix,feature',
      { types: ['refactor', 'change', 'discovery', 'decision', 'procedural', 'semantic', 'episodic'] },
      'login',
    ],
    ['type:bugfix,feature -type:feature x1', { types: ['bugfix'] }, 'x1'],
    ['login -kind:prompts', { kinds: ['observation', 'summary', 'note'] }, 'login'],
    ['tag:auth -tag:wip,old x1', { tags: ['auth'], notTags: ['wip', 'old'] }, 'x1'],
    ['path:"my file.ts" file:./src/a.ts', { paths: ['my file.ts', 'src/a.ts'] }, ''],
    ["path:'a,b.ts',c.ts", { paths: ['a,b.ts', 'c.ts'] }, ''],
    ['path:src/[id].tsx, crash', { paths: ['src/[id].tsx'] }, 'crash'],
    ['path:"never closed', { paths: ['never'] }, 'closed'],
    [
      'project:App branch:Fix/Login session:ab12 source:Import',
      { project: 'app', branch: 'Fix/Login', session: 'ab12', sources: ['import'] },
      '',
    ],
    ['tag:a tag:a', { tags: ['a'] }, ''],
  ])('%s', (text, filters, left) => {
    const question = read(text)
    expect(filtersOf(question)).toEqual(filters)
    expect(question.text).toBe(left)
    expect(question.problems).toEqual([])
  })

  test('a space after the colon is forgiven where what follows can be nothing else', () => {
    expect(filtersOf(read('type: feature login'))).toEqual({ types: ['feature'] })
    expect(filtersOf(read('kind: summaries'))).toEqual({ kinds: ['summary'] })
    expect(when('since: last week login')).toBe('since 2026-11-02')
    expect(filtersOf(read('tag: auth'))).toEqual({})
    expect(filtersOf(read('the error type: undefined'))).toEqual({})
  })

  test.each([
    'https://a.org/x',
    'file:///etc/hosts',
    'C:\\x',
    '12:30',
    'std::vector',
    'Session::get',
    'foo:bar',
    'types',
    'my-type:x',
    'ſince:7d',
    ':',
  ])('%s is text, and nothing is wrong with it', (text) => {
    const question = read(text)
    expect(filtersOf(question)).toEqual({})
    expect(question.text).toBe(text)
    expect(question.problems).toEqual([])
  })

  test('a question of several lines is a prompt or a paste, and names no filters', () => {
    const text = 'fix this:\ntype: feature\nbranch:main since yesterday'
    expect(filtersOf(read(text))).toEqual({})
    expect(read(`${text}\n`).text).toBe(text)
    expect(read('\n type:bugfix \n').filters.types).toEqual(['bugfix'])
  })
})

describe('what cannot be used is pointed at, and looked for as text', () => {
  test.each([
    ['crash type:bugfx', 'bugfx', 'there is no type “bugfx”; did you mean bugfix?', 'crash bugfx'],
    ['type:bugfix,banana', 'banana', 'there is no type “banana”; there are bugfix, feature, refactor', 'banana'],
    ['kind:dog', 'dog', 'there is no kind “dog”; there are observation, summary, prompt, note', 'dog'],
    ['type:d', 'd', 'there is no type “d”', 'd'],
    ['since:soon login', 'soon', '“soon” is no time that since: understands', 'soon login'],
    ['before:2026-02-30', '2026-02-30', '“2026-02-30” is no time', '2026-02-30'],
    ['login -path:src/auth', 'src/auth', '-path: leaves nothing out; -type:', 'login'],
    ['login -type:bugfx', 'bugfx', 'there is no type “bugfx”; did you mean bugfix?', 'login'],
    ['login type:bugfix -type:bug', 'bug', '-type: would leave no type', 'login'],
    ['project:a project:b', 'b', 'a question has one project, and this one has a', 'b'],
    ['login type:', 'type:', 'type: needs its value right behind it, as in type:bugfix', 'login type:'],
    ['tags: auth', 'tags:', 'tags: needs its value right behind it, as in tag:auth', 'tags: auth'],
    ['path:"" x1', 'path:', 'path: needs its value', 'path: x1'],
  ])('%s', (text, word, message, left) => {
    const { problems, text: rest } = read(text)
    expect(problems).toHaveLength(1)
    expect(problems[0]?.word).toBe(word)
    expect(problems[0]?.message).toStartWith(message)
    expect(text.slice(problems[0]?.at)).toStartWith(word)
    expect(rest).toBe(left)
  })
})

describe('time', () => {
  test.each([
    ['since:7d', 'since 2026-11-04'],
    ['after:2026-03', 'since 2026-03-01'],
    ['before:march', 'before 2026-03-01'],
    ['until:"last week"', 'before 2026-11-02'],
    ['since:last week login', 'since 2026-11-02'],
    ['since:march before:may', '2026-03-01 to 2026-04-30'],
    ['since:2025 since:2026', 'since 2026-01-01'],
    ['what broke last week', '2026-11-02 to 2026-11-08'],
    ['what broke yesterday or last week', '2026-11-02 to 2026-11-10'],
    ['since Monday until yesterday', '2026-11-09'],
    ['before:2026-11-05 what broke last week', '2026-11-02 to 2026-11-04'],
    ['昨天修复了什么', '2026-11-10'],
    ['what broke recently', 'no fixed time'],
  ])('%s: %s', (text, expected) => expect(when(text)).toBe(expected))

  test('time words are not looked for, words that are no times are', () => {
    expect(read('what did the deploy break in the last 3 days').words).toEqual(['deploy', 'break'])
    expect(read('may the last argument of today.ts march').words).toEqual(['may', 'last', 'argument', 'today', 'ts', 'march'])
  })

  test('a question of nothing but time and common words asks for everything of that time', () => {
    expect(read('what did we do yesterday').words).toEqual([])
    expect(read('what did the heron do').words).toEqual(['heron'])
  })

  test('times in the text that exclude each other do not count; filters do', () => {
    const text = read('last weekend before April 10, 2023')
    expect(filtersOf(text)).toEqual({})
    expect(text.problems.map(({ message }) => message)).toEqual(['these times have nothing in common: last weekend; before April 10, 2023'])
    expect(when('since:7d in March')).toBe('since 2026-11-04')
  })

  test('who looks again without the times of the text can say what the filters alone leave', () => {
    const { understood } = read('since:2026 what broke last week')
    expect(describeWindow(combineWindows(understood.filter(({ from }) => from === 'filter')), zone)).toBe('since 2026-01-01')
  })
})

describe('any text is a question', () => {
  test.each([
    '',
    ' ',
    '\0',
    '"',
    "'; DROP TABLE observations; --",
    'NEAR(',
    '*',
    '\ud83d',
    '\u200b',
    'type:"',
    '-',
    '-tag:',
    '()',
    'since:since:since:7d',
  ])('%p', (text) => expect(typeof read(text).text).toBe('string'))

  test('and what is left of it holds no filter and no time', () => {
    const next = random(7)
    for (let i = 0; i < 3000; i++) {
      const text = Array.from({ length: next(25) }, () => `${PIECES[next(PIECES.length)]}${next(5) < 2 ? ' ' : ''}`).join('')
      const question = read(text)
      const again = read(question.text)
      expect([text, filtersOf(again), again.understood, again.text]).toEqual([text, {}, [], question.text])
      for (const { word, at } of question.problems) expect(text[at]).toBe(word[0])
      expect(question.words.length).toBeLessThanOrEqual(40)
    }
  })

  test('and so is any sequence of code units', () => {
    const next = random(11)
    for (let i = 0; i < 500; i++) {
      const text = Array.from({ length: next(60) }, () => String.fromCharCode(next(0x10000))).join('')
      expect(read(read(text).text).text).toBe(read(text).text)
    }
  })

  test.each(['type:', 'type:x,', 'tag:"', 'today ', 'last ', 'since:', '昨天', 'a', ' ', '(', 'path:a"b,'])(
    'a megabyte of %p is read in linear time',
    (piece) => {
      expect(growth(read, piece.repeat(2000 / piece.length))).toBeLessThan(LINEAR)
      const used = processorTime()
      read(piece.repeat(1_000_000 / piece.length))
      expect(used()).toBeLessThan(2000)
    },
  )
})

/** What may go wrong where it meets: keys, quotes, times in pieces, scripts without spaces, signs. */
const PIECES =
  `type: types: Since: before: tag: -tag: path: project: kind: after: until: session: " ' “ ” , : ： ( ) [ ] bugfix banana feature, note
  last week year yesterday today the day before in March may 3 3rd 2025 2026-03-01 7d ago days between and from to on Monday of recently hier le
  昨天 上 周 最近 3天前 目 前天 // :: https://a.b - – . ? * y.ts src/a.ts 😀 ſince: \0 \u200b \ud83d \udc00`
    .split(/ +|\n +/)
    .concat(' ', '\t', '\n', '\u3000', 'a'.repeat(150))

/** A generator of whole numbers below a bound, the same for the same seed. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

test.each([
  'what did I do recently',
  'last session',
  'latest changes',
  'show me the most recent work',
  'what happened on july 16',
  'was habe ich zuletzt gemacht',
  'what did we do',
  'yesterday',
  "qu'avons-nous fait récemment",
  '¿qué hice últimamente?',
  '最近做了什么',
])('“%s” is about what was done, not about its words', (text) => {
  expect(read(text)).toMatchObject({ asksForRecentWork: true, words: [] })
})

test.each([
  'last commit',
  'changes',
  'session',
  'what did the deploy change yesterday',
  'latest error in src/auth.ts',
  'the last argument',
  'type:bugfix',
  'AND OR NOT',
  'work queue',
  'sessions do work again',
  'task list yesterday',
])('“%s” names something to look for, or nothing at all', (text) => {
  expect(read(text).asksForRecentWork).toBe(false)
})
