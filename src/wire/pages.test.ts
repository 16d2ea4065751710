import { expect, test } from 'bun:test'
import { pathOf } from './pages.ts'

test.each([
  ['', '/feed'],
  ['search', '/search'],
  ['health', '/worker'],
  ['12', '/memory/12'],
  ['#12', '/memory/12'],
  ['S3', '/memory/S3'],
  ['N01HZX', '/memory/N01HZX'],
])('"%s" opens %s', (wanted, path) => {
  expect(pathOf(wanted)).toBe(path)
})

test.each(['../etc', 'nowhere', 'feed/../x', 'http://evil.example', '12?x'])('"%s" is no page', (wanted) => {
  expect(pathOf(wanted)).toBeNull()
})
