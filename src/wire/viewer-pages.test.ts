import { expect, test } from 'bun:test'
import { PAGE_NAMES, viewerPathFor } from './viewer-pages.ts'

test.each([
  ['', '/feed'],
  ['search', '/search'],
  ['health', '/worker'],
  ['12', '/memory/12'],
  ['#12', '/memory/12'],
  ['S3', '/memory/S3'],
  ['C5', '/memory/C5'],
  ['N01HZX', '/memory/N01HZX'],
])('"%s" opens %s', (text, path) => {
  expect(viewerPathFor(text)).toBe(path)
})

test('every page that the help names can be opened', () => {
  expect(PAGE_NAMES).toContain('health')
  expect(PAGE_NAMES.filter((name) => viewerPathFor(name) === null)).toEqual([])
})

test.each(['../etc', 'nowhere', 'feed/../x', 'http://evil.example', '12?x'])('"%s" is not a page', (text) => {
  expect(viewerPathFor(text)).toBeNull()
})
