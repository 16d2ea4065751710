import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { costInUsd, findPrice, readPrices } from './prices.ts'

test('a model is priced by its name, also with a date or a reseller’s prefix, but not by a similar name', () => {
  using home = temporaryFolder()
  const prices = readPrices(home.path)
  expect(prices.problems).toEqual([])
  const haiku = findPrice(prices, 'claude-haiku-4-5')
  expect(haiku).toEqual({ input: 1, cached: 0.1, output: 5 })
  expect(findPrice(prices, 'claude-haiku-4-5-20251001')).toEqual(haiku)
  expect(findPrice(prices, 'anthropic/claude-haiku-4.5')).toEqual(haiku)
  expect(findPrice(prices, 'gpt-5-mini')?.input).toBe(0.25)
  expect(findPrice(prices, 'gpt-5-mini-2025-08-07')?.input).toBe(0.25)
  for (const name of ['gpt-55', 'gpt-5.2', 'gpt-5-pro', 'claude-opus-5-7', 'claude-haiku-4-5-thinking', 'gpt-5-mini:online', 'llama3', ''])
    expect(findPrice(prices, name)).toBeNull()
})

test('a person’s own prices come first, and an invalid file is reported and ignored', () => {
  using home = temporaryFolder()
  writeFileSync(join(home.path, 'prices.toml'), '"gpt-5-mini" = { input = 9.0, output = 9.0 }\n"house" = { input = 0, output = 0 }')
  expect(findPrice(readPrices(home.path), 'gpt-5-mini')).toEqual({ input: 9, cached: 9, output: 9 })
  expect(findPrice(readPrices(home.path), 'house')).toEqual({ input: 0, cached: 0, output: 0 })
  writeFileSync(join(home.path, 'prices.toml'), '"gpt-5-mini" = { input = -1.0, output = 9.0 }')
  const { byModel, problems } = readPrices(home.path)
  expect([byModel['gpt-5-mini']?.input, problems.length]).toEqual([0.25, 1])
})

test('cached tokens cost the cached price', () => {
  expect(costInUsd({ input: 1, cached: 0.1, output: 5 }, { input: 1_000_000, cached: 500_000, output: 100_000 })).toBeCloseTo(1.05)
})
