import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, nowhere, temporaryFolder } from '../../test/support/builders.ts'
import { homePaths } from '../platform/paths.ts'
import { keepForLater, readSpool, removeFromSpool, type SpooledPayload, spoolSize } from './spool.ts'

test('payloads are read oldest first, and are gone once removed', () => {
  using at = aSpool()
  for (const [delivery, when] of [
    ['c', 3],
    ['a', 10],
    ['b', 2],
  ] as const) {
    expect(keepForLater(at.home, spooled({ delivery, at: when }))).toBe(true)
  }
  expect([...readSpool(at.home)].map(({ spooled }) => spooled?.delivery)).toEqual(['b', 'c', 'a'])
  for (const { path } of readSpool(at.home)) removeFromSpool(path)
  expect(spoolSize(at.home)).toBe(0)
})

test('an empty spool and a missing one have no payloads', () => {
  using at = aSpool()
  expect([...readSpool(at.home)]).toEqual([])
  expect(spoolSize(at.home)).toBe(0)
})

test('only the owner can read the payloads', () => {
  using at = aSpool()
  keepForLater(at.home, spooled({}))
  const [name] = readdirSync(at.home.spool)
  expect(statSync(join(at.home.spool, name ?? '')).mode & 0o777).toBe(0o600)
  expect(statSync(at.home.spool).mode & 0o777).toBe(0o700)
})

test('a delivery that is spooled twice is stored once', () => {
  using at = aSpool()
  keepForLater(at.home, spooled({}))
  keepForLater(at.home, spooled({}))
  expect(spoolSize(at.home)).toBe(1)
})

test('a file without a payload is reported as such, and half-written ones are ignored', () => {
  using at = aSpool()
  mkdirSync(at.home.spool, { recursive: true })
  const texts = [
    '',
    '{"delivery":"x"',
    '[]',
    'null',
    '"text"',
    '{}',
    '{"delivery":1,"agent":"a","at":1,"context":{}}',
    '{"delivery":"d","agent":"a","at":1,"context":null}',
  ]
  for (const [i, text] of texts.entries()) writeFileSync(join(at.home.spool, `${i}.json`), text)
  writeFileSync(join(at.home.spool, '0.json.123.tmp'), '{"half')
  mkdirSync(join(at.home.spool, 'folder.json'))
  expect([...readSpool(at.home)].map(({ spooled }) => spooled)).toEqual([...texts, 'folder.json'].map(() => null))
})

test('a full spool keeps its payloads and takes no more', () => {
  using at = aSpool()
  const keep = (delivery: string, room: { files: number; bytes: number }) => keepForLater(at.home, spooled({ delivery }), room)
  expect(keep('first', { files: 1, bytes: 1000 })).toBe(true)
  expect(keep('second', { files: 1, bytes: 1000 })).toBe(false)
  expect(keep('second', { files: 2, bytes: 200 })).toBe(false)
  expect(keep('second', { files: 2, bytes: 1000 })).toBe(true)
  expect([...readSpool(at.home)].map(({ spooled }) => spooled?.delivery)).toEqual(['first', 'second'])
})

test('the size of a large spool is estimated from a sample', () => {
  using at = aSpool()
  mkdirSync(at.home.spool, { recursive: true })
  for (let i = 0; i < 1000; i++) writeFileSync(join(at.home.spool, `${i}.json`), 'x'.repeat(100))
  const keep = (bytes: number) => keepForLater(at.home, spooled({}), { files: 5000, bytes })
  expect([keep(99_000), keep(110_000)]).toEqual([false, true])
})

test('a spool has limits by default', () => {
  using at = aSpool()
  keepForLater(at.home, spooled({ delivery: 'first' }))
  const big = join(at.home.spool, '000-big.json')
  writeFileSync(big, '')
  truncateSync(big, 256 * 1024 * 1024)
  expect(keepForLater(at.home, spooled({ delivery: 'second' }))).toBe(false)
})

function spooled(given: Partial<SpooledPayload>): SpooledPayload {
  return { delivery: 'd1', agent: 'claude-code', at: 1000, context: nowhere, payload: {}, ...given }
}

function aSpool() {
  const folder = temporaryFolder()
  return { home: homePaths(environment(folder.path)), [Symbol.dispose]: () => folder[Symbol.dispose]() }
}
