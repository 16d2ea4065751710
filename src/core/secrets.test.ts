import { describe, expect, test } from 'bun:test'
import { growth, LINEAR } from '../../test/support/growth.ts'
import { mixed, NOT_SECRET, SECRET_SHAPES, TEXTS_WITH_SECRETS } from '../../test/support/secret-shapes.ts'
import { redact, redactJson, usablePatterns } from './secrets.ts'

describe('redact', () => {
  test.each(SECRET_SHAPES)('hides a %s', (kind, secret) => {
    for (const [before, after] of [
      ['', ''],
      ['see ', ' here'],
      ['"', '",'],
      ['(', ').'],
      ['\n', '\n'],
    ])
      expect(redact(`${before}${secret}${after}`)).toBe(`${before}[redacted:${kind}]${after}`)
  })

  test.each(TEXTS_WITH_SECRETS)('%j', (text, left) => {
    expect(redact(text)).toBe(left)
  })

  test.each(NOT_SECRET)('leaves %j', (text) => {
    expect(redact(text)).toBe(text)
  })

  test("hides the matches of a person's own patterns, except inside a marker", () => {
    expect(redact('ACME-1 and ACME-22', [/ACME-\d+/])).toBe('[redacted:custom] and [redacted:custom]')
    expect(redact(`ghp_${mixed(36)} token`, [/token/gi, /x*/])).toBe('[redacted:github-token] [redacted:custom]')
    expect(redact('[redacted:github-token]', [/token/])).toBe('[redacted:github-token]')
  })

  test('a pattern of the person that is not valid is skipped', () => {
    expect(usablePatterns(['(', 'ACME-\\d+'])).toEqual([/ACME-\d+/g])
  })

  test('a pattern that matches part of a secret does not expose the rest', () => {
    expect(redact('DB_PASSWORD=hunter2', [/\d/])).toBe('DB_PASSWORD=[redacted:password]')
    expect(redact(`ACMEghp_${mixed(36)}`, [/ACME/])).toBe('[redacted:custom][redacted:github-token]')
  })

  test('redacting twice gives the same result', () => {
    const parts = [...SECRET_SHAPES.map(([, secret]) => secret), ...TEXTS_WITH_SECRETS.map(([text]) => text), ...NOT_SECRET]
    const glue = [
      '',
      ' ',
      '\n',
      '=',
      ':',
      '"',
      "'",
      '-',
      '_',
      '@',
      '/',
      '.',
      ',',
      'x',
      'token',
      'password=',
      '[redacted:jwt]',
      ']',
      '\\',
      '://a:',
    ]
    const random = randomFrom(11)
    for (let i = 0; i < 4000; i++) {
      const text = Array.from({ length: 1 + random(6) }, () => {
        const part = parts[random(parts.length)] ?? ''
        // Complete, or cut anywhere: most mistakes happen where a secret is cut in two.
        const piece = random(2) ? part : part.slice(random(part.length + 1)).slice(0, random(80))
        return piece + (glue[random(glue.length)] ?? '')
      }).join('')
      const once = redact(text)
      expect(redact(once)).toBe(once)
    }
  })

  test.each([
    'a',
    '=',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----\n',
    'eyJ',
    'eyJ-',
    'eyJaaaaaaaaa.',
    'pass',
    'token=',
    'token="',
    'token: ',
    'password=hunter2\n',
    '"key", "a" ',
    'curl ',
    'mysql ',
    'mysql -u ',
    'redis-cli -h ',
    'cookie: a=b; ',
    'cookie: ',
    'password=abc\n',
    'docker login ',
    'PAT=',
    'a:5432:b:',
    'LS0tLS1CRUdJTi',
    'Private-Lines: 9\n',
    '://a:x/',
    '://a:',
    '\\',
    'SG.',
    '[redacted:',
    mixed(61),
    'function f(a,b){return a.key?b[a.token]:c("x")}',
  ])('four times as much of %j takes about four times as long', (unit) => {
    expect(growth(redact, unit.repeat(Math.ceil(100_000 / unit.length)))).toBeLessThan(LINEAR)
  })
})

describe('redactJson', () => {
  test('hides secrets in every string, and every value under a key that names a secret', () => {
    const value = {
      command: 'deploy --password swordfish',
      env: [`GITHUB_TOKEN=ghp_${mixed(36)}`],
      password: 'correct horse',
      apiKey: 'abc',
      auth: { access_token: 'abc', client_secret: ['one', 'two'], expires: 3600 },
      token: `ghp_${mixed(36)}`,
    }
    expect(redactJson<unknown>(value)).toEqual({
      command: 'deploy --password [redacted:password]',
      env: ['GITHUB_TOKEN=[redacted:github-token]'],
      password: '[redacted:password]',
      apiKey: '[redacted:key]',
      auth: { access_token: '[redacted:token]', client_secret: ['[redacted:secret]', '[redacted:secret]'], expires: 3600 },
      token: '[redacted:github-token]',
    })
  })

  test('hides the values of cookies, as a list or single', () => {
    expect(redactJson({ headers: { Cookie: 'a=12345; b=6789', 'set-cookie': ['x=abcdef; Path=/'], cookie: 'none' } })).toEqual({
      headers: { Cookie: 'a=[redacted:cookie]', 'set-cookie': ['x=[redacted:cookie]; Path=/'], cookie: 'none' },
    })
  })

  test('leaves placeholders for secrets, and keys that only sound like one', () => {
    const value = {
      password: '',
      api_key: `\${API_KEY}`,
      secret: '<your secret>',
      token: 'string',
      authorization: null,
      key: 'Enter',
      primary_key: 'id',
      token_type: 'bearer',
      tokens: '1200',
      file_path: '/src/password.ts',
      tool_use_id: 'toolu_01AbCdEfGh',
    }
    expect(redactJson(value)).toEqual(value)
  })

  test('redacting twice gives the same result', () => {
    const once = redactJson({ password: 'x y', token: 'abc', note: `key ghp_${mixed(36)}` }, [/y/])
    expect(redactJson(once, [/y/])).toEqual(once)
  })

  test('works at a depth of 10,000', () => {
    let value: unknown = 'DB_PASSWORD=swordfish'
    for (let i = 0; i < 10_000; i++) value = [value]
    let found = redactJson(value)
    while (Array.isArray(found)) found = found[0]
    expect(found).toBe('DB_PASSWORD=[redacted:password]')
  })
})

function randomFrom(start: number): (below: number) => number {
  let seed = start
  return (below) => {
    seed = (seed * 48271) % 2147483647
    return seed % below
  }
}
