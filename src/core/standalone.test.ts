import { expect, test } from 'bun:test'
import { standsAlone } from './standalone.ts'

test.each([
  'Cache in a JSON file, not SQLite, because the native build breaks.',
  'in this repo we want to commit the generated ledger',
  'I want to replace getUserID with a machine identifier.',
  'Docker is not relevant, the hosted runners can do that.',
])('is clear without its conversation: %s', (sentence) => {
  expect(standsAlone(sentence)).toBe(true)
})

test.each([
  "let's only add replace then for now, but leave the others",
  'lets get this in quite early, but not top prio.',
  'It should use the ledger instead.',
  'This should not be changed, only the `--local-dev` flag should.',
  'Keep both.',
  'Yes, go on.',
])('is not: %s', (sentence) => {
  expect(standsAlone(sentence)).toBe(false)
})
