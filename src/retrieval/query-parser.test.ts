import { describe, expect, test } from 'bun:test'
import { growth, LINEAR, processorTime } from '../../test/support/growth.ts'
import { combineWindows, type ParsedQuery, parseQuery } from './query-parser.ts'
import { describeWindow } from './time-phrases.ts'

// A Wednesday afternoon in Berlin.
const now = Date.UTC(2026, 10, 11, 14, 30)
const zone = 'Europe/Berlin'
const parse = (text: string) => parseQuery(text, now, zone)

/** Only the filters that are set. */
function filtersOf({ filters }: ParsedQuery): object {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== null)))
}
const when = (text: string) => describeWindow(parse(text).filters, zone)

test('a query is parsed into filters, time, words and names', () => {
  const query = parse('why did getUser fail in src/auth.ts yesterday? type:bugfix')
  expect(query).toMatchObject({
    text: 'why did getUser fail in src/auth.ts',
    words: ['getuser', 'fail', 'src', 'auth', 'ts'],
    identifiers: ['getUser', 'src/auth.ts'],
    files: ['src/auth.ts'],
    understood: [{ word: 'yesterday', at: 36, meaning: '2026-11-10', from: 'text' }],
    problems: [],
  })
  expect(query.filters).toMatchObject({ types: ['bugfix'], since: Date.UTC(2026, 10, 9, 23), before: Date.UTC(2026, 10, 10, 23) })
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
    ['login -kind:prompts', { kinds: ['observation', 'summary', 'note', 'commit'] }, 'login'],
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
    ['agent:codex,Claude login', { agents: ['codex', 'claude-code'] }, 'login'],
  ])('%s', (text, filters, left) => {
    const query = parse(text)
    expect(filtersOf(query)).toEqual(filters)
    expect(query.text).toBe(left)
    expect(query.problems).toEqual([])
  })

  test('a space after the colon is allowed if the next word is clearly the value', () => {
    expect(filtersOf(parse('type: feature login'))).toEqual({ types: ['feature'] })
    expect(filtersOf(parse('kind: summaries'))).toEqual({ kinds: ['summary'] })
    expect(when('since: last week login')).toBe('since 2026-11-02')
    expect(filtersOf(parse('tag: auth'))).toEqual({})
    expect(filtersOf(parse('the error type: undefined'))).toEqual({})
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
  ])('%s is text without a problem', (text) => {
    const query = parse(text)
    expect(filtersOf(query)).toEqual({})
    expect(query.text).toBe(text)
    expect(query.problems).toEqual([])
  })

  test('a query of several lines is a prompt or a paste and has no filters', () => {
    const text = 'fix this:\ntype: feature\nbranch:main since yesterday'
    expect(filtersOf(parse(text))).toEqual({})
    expect(parse(`${text}\n`).text).toBe(text)
    expect(parse('\n type:bugfix \n').filters.types).toEqual(['bugfix'])
  })
})

describe('unusable filters are reported and searched as text', () => {
  test.each([
    ['crash type:bugfx', 'bugfx', 'unknown type “bugfx”; did you mean bugfix?', 'crash bugfx'],
    ['type:debugfix', 'debugfix', 'unknown type “debugfix”; did you mean bugfix?', 'debugfix'],
    ['type:bugfix,banana', 'banana', 'unknown type “banana”; use one of: bugfix, feature, refactor', 'banana'],
    ['kind:dog', 'dog', 'unknown kind “dog”; use one of: observation, summary, prompt, note, commit', 'dog'],
    ['type:d', 'd', 'unknown type “d”', 'd'],
    ['since:soon login', 'soon', '“soon” is not a time for since:; use for example', 'soon login'],
    ['before:2026-02-30', '2026-02-30', '“2026-02-30” is not a time', '2026-02-30'],
    ['login -path:src/auth', 'src/auth', '-path: is not supported; only -type:', 'login'],
    ['login -type:bugfx', 'bugfx', 'unknown type “bugfx”; did you mean bugfix?', 'login'],
    ['login type:bugfix -type:bug', 'bug', 'ignored, because -type: would exclude every type', 'login'],
    ['project:a project:b', 'b', 'only one project: is allowed, and the query already has project:a', 'b'],
    ['login type:', 'type:', 'type: has no value; write it without a space, as in type:bugfix', 'login type:'],
    ['tags: auth', 'tags:', 'tags: has no value; write it without a space, as in tag:auth', 'tags: auth'],
    ['path:"" x1', 'path:', 'path: has no value', 'path: x1'],
  ])('%s', (text, word, message, left) => {
    const { problems, text: rest } = parse(text)
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

  test('a time of several words is understood as it was written, also as the value of a filter', () => {
    expect(parse('since:last week login').understood).toMatchObject([{ word: 'last week', at: 6, from: 'filter' }])
    expect(parse('what broke last week?').understood).toMatchObject([{ word: 'last week', at: 11, from: 'text' }])
  })

  test('time phrases are not searched, other words are', () => {
    expect(parse('what did the deploy break in the last 3 days').words).toEqual(['deploy', 'break'])
    expect(parse('may the last argument of today.ts march').words).toEqual(['may', 'last', 'argument', 'today', 'ts', 'march'])
  })

  test('a query of only a time and common words asks for everything of that time', () => {
    expect(parse('what did we do yesterday').words).toEqual([])
    expect(parse('what did the heron do').words).toEqual(['heron'])
  })

  test('times that are open on one side overlap', () => {
    expect(parse('since 2026-03-01 since 2026-04-01').problems).toEqual([])
    expect(parse('since:2026-03-01 the deploy since 2026-04-01').problems).toEqual([])
  })

  test('times in the text that do not overlap are ignored, filters are not', () => {
    const text = parse('last weekend before April 10, 2023')
    expect(filtersOf(text)).toEqual({})
    expect(text.problems.map(({ message }) => message)).toEqual(['these times do not overlap: last weekend; before April 10, 2023'])
    expect(when('since:7d in March')).toBe('since 2026-11-04')
  })

  test('the window of the filters alone can be computed', () => {
    const { understood } = parse('since:2026 what broke last week')
    expect(describeWindow(combineWindows(understood.filter(({ from }) => from === 'filter')), zone)).toBe('since 2026-01-01')
  })
})

describe('any text is a valid query', () => {
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
  ])('%p', (text) => expect(typeof parse(text).text).toBe('string'))

  test('the remaining text has no filter and no time', () => {
    const next = random(7)
    for (let i = 0; i < 3000; i++) {
      const text = Array.from({ length: next(25) }, () => `${PIECES[next(PIECES.length)]}${next(5) < 2 ? ' ' : ''}`).join('')
      const query = parse(text)
      const again = parse(query.text)
      expect([text, filtersOf(again), again.understood, again.text]).toEqual([text, {}, [], query.text])
      for (const { word, at } of query.problems) expect(text[at]).toBe(word[0])
      expect(query.words.length).toBeLessThanOrEqual(40)
    }
  })

  test('so is any sequence of code units', () => {
    const next = random(11)
    for (let i = 0; i < 500; i++) {
      const text = Array.from({ length: next(60) }, () => String.fromCharCode(next(0x10000))).join('')
      expect(parse(parse(text).text).text).toBe(parse(text).text)
    }
  })

  test.each(['type:', 'type:x,', 'tag:"', 'today ', 'last ', 'since:', '昨天', 'a', ' ', '(', 'path:a"b,'])(
    'a megabyte of %p is parsed in linear time',
    (piece) => {
      expect(growth(parse, piece.repeat(2000 / piece.length))).toBeLessThan(LINEAR)
      const used = processorTime()
      parse(piece.repeat(1_000_000 / piece.length))
      expect(used()).toBeLessThan(2000)
    },
  )
})

/** Pieces that may interact badly: keys, quotes, parts of times, scripts without spaces, punctuation. */
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
])('“%s” asks for recent work, not for its words', (text) => {
  expect(parse(text)).toMatchObject({ asksForRecentWork: true, words: [] })
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
])('“%s” does not ask for recent work', (text) => {
  expect(parse(text).asksForRecentWork).toBe(false)
})
