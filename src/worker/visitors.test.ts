import { expect, test } from 'bun:test'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { openVisitors } from './visitors.ts'

const HOUR = 60 * 60_000

test('a link signs one browser in, once, and the browser stays signed in', () => {
  using folder = temporaryFolder()
  const visitors = openVisitors(join(folder.path, 'visitors'))
  const code = visitors.invite('/search', 1000)
  const entered = visitors.enter(code, 2000)
  expect(entered?.to).toBe('/search')
  expect(visitors.enter(code, 2000)).toBeNull()
  expect(visitors.knows(entered?.secret ?? '', 3000)).toBe(true)
  expect(visitors.knows(code, 3000)).toBe(false)
  expect(visitors.knows('', 3000)).toBe(false)
})

test('a link works for half a minute', () => {
  using folder = temporaryFolder()
  const visitors = openVisitors(join(folder.path, 'visitors'))
  expect(visitors.enter(visitors.invite('/feed', 0), 29_999)).not.toBeNull()
  expect(visitors.enter(visitors.invite('/feed', 0), 30_000)).toBeNull()
})

test('a browser that was not used for a week must sign in again; one in use stays signed in', () => {
  using folder = temporaryFolder()
  const visitors = openVisitors(join(folder.path, 'visitors'))
  const { secret } = visitors.enter(visitors.invite('/feed', 0), 1) ?? { secret: '' }
  expect(visitors.knows(secret, 6 * 24 * HOUR)).toBe(true)
  expect(visitors.knows(secret, 12 * 24 * HOUR)).toBe(true)
  expect(visitors.knows(secret, 20 * 24 * HOUR)).toBe(false)
})

test('browsers stay signed in after a restart, and the file contains no secret', () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'visitors')
  const before = openVisitors(file)
  const { secret } = before.enter(before.invite('/feed', 0), 1) ?? { secret: '' }
  expect(openVisitors(file).knows(secret, 2)).toBe(true)
  expect(readFileSync(file, 'utf8')).not.toContain(secret)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a file with other content signs no browser in', () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'visitors')
  for (const text of ['', 'no JSON', '{}', '[["x", 9e15]]', '[[1, 2], null]']) {
    writeFileSync(file, text)
    expect(openVisitors(file).knows('x', 1)).toBe(false)
  }
})

test('unused links do not accumulate', () => {
  using folder = temporaryFolder()
  const visitors = openVisitors(join(folder.path, 'visitors'))
  const first = visitors.invite('/feed', 0)
  for (let i = 0; i < 100; i++) visitors.invite('/feed', 0)
  expect(visitors.enter(first, 1)).toBeNull()
})

test('a visit in a frame keeps the origins of its pages after a restart; damaged entries are ignored', () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'visitors')
  const before = openVisitors(file)
  const { secret = '' } = before.enter(before.invite('/feed', 0, ['vscode-webview://a']), 1) ?? {}
  expect(openVisitors(file).frameOf(secret)).toEqual(['vscode-webview://a'])
  expect(openVisitors(file).frameOf('unknown')).toEqual([])
  writeFileSync(file, readFileSync(file, 'utf8').replace('["vscode-webview://a"]', '[7]'))
  expect(openVisitors(file).knows(secret, 2)).toBe(false)
})

test('frames of an editor do not sign browsers out, however many are opened', () => {
  using folder = temporaryFolder()
  const visitors = openVisitors(join(folder.path, 'visitors'))
  const { secret } = visitors.enter(visitors.invite('/feed', 0), 1) ?? { secret: '' }
  const frames = Array.from(
    { length: 60 },
    (_, n) => visitors.enter(visitors.invite('/feed', n, ['vscode-webview://a']), n + 2)?.secret ?? '',
  )
  expect(visitors.knows(secret, 100)).toBe(true)
  expect(frames.filter((frame) => visitors.knows(frame, 100))).toEqual(frames.slice(10))
})
