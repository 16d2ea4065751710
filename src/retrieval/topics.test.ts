import { describe, expect, test } from 'bun:test'
import type { Entity } from '../core/entities.ts'
import { clusterObservations } from './topics.ts'

/** Observations by number, each with what it names: a path, or `kind:name`. */
const naming = (...observations: string[][]) =>
  clusterObservations(
    observations.flatMap((names, n) =>
      names.map((name) => {
        const [, kind = 'file', rest = name] = /^(symbol|command|error|package|issue|url):(.*)$/.exec(name) ?? []
        return { observation: n + 1, entity: { kind, name: rest } as Entity }
      }),
    ),
  )
const groups = (...observations: string[][]) => naming(...observations).map(({ observations: ids }) => ids.toSorted((a, b) => a - b))

describe('a topic', () => {
  test('is a group of observations that name the same things; one that shares nothing belongs to none', () => {
    expect(groups(['src/clock.ts'], ['src/ledger.ts'], ['src/clock.ts'], ['src/ledger.ts'], ['src/other.ts'])).toEqual([
      [2, 4],
      [1, 3],
    ])
  })

  test('comes before smaller ones, and of two of one size the one with the newest observation', () => {
    expect(groups(['a.ts'], ['a.ts'], ['b.ts'], ['b.ts'], ['b.ts'])).toEqual([
      [3, 4, 5],
      [1, 2],
    ])
    expect(groups(['a.ts'], ['b.ts'], ['a.ts'], ['b.ts'])).toEqual([
      [2, 4],
      [1, 3],
    ])
  })

  test('is made by files, symbols, issues, errors and packages, not by commands and addresses', () => {
    for (const name of ['symbol:tideClock', 'issue:#12', 'error:ENOENT', 'package:zod']) expect(groups([name], [name])).toEqual([[1, 2]])
    for (const name of ['command:npm test', 'url:https://host.example']) expect(groups([name], [name])).toEqual([])
  })

  test('may be made by a folder, but not by the first one', () => {
    expect(groups(['src/tide/a.ts'], ['src/tide/b.ts'])).toEqual([[1, 2]])
    expect(groups(['src/a.ts'], ['src/b.ts'])).toEqual([])
  })

  test('is not made by a name that every fourth observation has', () => {
    const others = Array.from({ length: 20 }, (_, n) => [`own${n}.ts`])
    expect(groups(...Array.from({ length: 10 }, () => ['package.json']), ...others)).toEqual([])
    expect(groups(...Array.from({ length: 4 }, () => ['package.json']), ...others)).toEqual([[1, 2, 3, 4]])
  })

  test('takes an observation that names two things to the one that it shares more with', () => {
    expect(groups(['a.ts', 'b.ts'], ['a.ts', 'b.ts'], ['c.ts', 'd.ts'], ['c.ts', 'd.ts'], ['a.ts', 'c.ts', 'd.ts'])).toEqual([
      [3, 4, 5],
      [1, 2],
    ])
  })

  test('that has its second observation first takes one that shares as much with another topic', () => {
    const [a, b, between] = [
      ['a.ts', 'b.ts'],
      ['c.ts', 'd.ts'],
      ['e.ts', 'f.ts'],
    ]
    expect(groups(['e.ts', ...a], ['f.ts', ...b], b, a, between)).toEqual([
      [2, 3, 5],
      [1, 4],
    ])
    expect(groups(['e.ts', ...a], ['f.ts', ...b], a, b, between)).toEqual([
      [1, 3, 5],
      [2, 4],
    ])
  })
})

describe('the name of a topic', () => {
  const name = (...names: string[]) => naming(names, names)[0]?.name

  test('has its most distinctive names, without their folders', () => {
    expect(name('src/tide/clock.ts')).toBe('clock.ts')
    expect(name('symbol:tideClock', 'package:zod', 'error:ENOENT', 'issue:#7')).toBe('#7, tideClock, ENOENT')
  })

  test('has the folder of a file whose name many folders have, and of a folder', () => {
    expect(name('src/tide/index.ts')).toBe('tide/index.ts')
    expect(name('index.ts')).toBe('index.ts')
    expect(naming(['src/tide/a.ts'], ['src/tide/b.ts'])[0]?.name).toBe('src/tide/')
  })

  test('does not say a folder and a file in it', () => {
    const [topic] = naming(['src/tide/a.ts'], ['src/tide/a.ts'], ['src/tide/b.ts'])
    expect(topic?.entities.map((entity) => entity.name)).toHaveLength(1)
  })

  test('has at most three of its five most distinctive names', () => {
    const [topic] = naming(...[1, 2].map(() => ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts']))
    expect([topic?.name, topic?.entities.length]).toEqual(['a.ts, b.ts, c.ts', 5])
  })
})
