import { expect, test } from 'bun:test'
import { selectedDefinitions } from './selected-definitions.ts'

const definition = (name: string, firstLine: number, lastLine: number) => ({ name, firstLine, lastLine, memories: [] })
const all = [definition('Reader', 1, 20), definition('Reader.next', 3, 8), definition('Reader.close', 10, 12), definition('parse', 30, 40)]
const select = (from: number, to = from, isEmpty = from === to) =>
  selectedDefinitions(all, { start: { line: from - 1 }, end: { line: to - 1 }, isEmpty }).map(({ name }) => name)

test('a cursor means the innermost definition around it', () => {
  expect(select(5)).toEqual(['Reader.next'])
  expect(select(15)).toEqual(['Reader'])
  expect(select(35)).toEqual(['parse'])
  expect(select(25)).toEqual([])
})

test('a selection means every definition that it touches', () => {
  expect(select(5, 11)).toEqual(['Reader', 'Reader.next', 'Reader.close'])
  expect(select(4, 6)).toEqual(['Reader.next'])
  expect(select(18, 31)).toEqual(['Reader', 'parse'])
})
