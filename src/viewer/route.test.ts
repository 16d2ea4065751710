import { expect, test } from 'bun:test'
import { hrefOf, memoryHref, parseRoute } from './route.ts'

test('the address of a view leads back to the same view', () => {
  for (const [page, id, query] of [
    ['feed', '', {}],
    ['search', '', { q: 'a b&c=d', kind: 'note' }],
    ['memory', 'N01HZX', {}],
    ['graph', 'file:src/a b.ts', { project: 'host.example/x' }],
  ] as const) {
    const [path = '', search = ''] = hrefOf(page, id, query).split('?')
    expect(parseRoute(path, search)).toEqual({ page, id, query })
  }
})

test('empty filters are left out of the address', () => {
  expect(hrefOf('feed', '', { project: '', type: undefined })).toBe('/feed')
})

test('an empty address opens the feed, and an unknown one is no page', () => {
  expect(parseRoute('/', '').page).toBe('feed')
  expect(parseRoute('/nowhere', '').page).toBe('missing')
  expect(parseRoute('/memory/%E0%A4%A', '').id).toBe('%E0%A4%A')
})

test('the address of a memory contains its id', () => {
  expect(memoryHref('observation', 12)).toBe('/memory/12')
  expect(memoryHref('summary', 3)).toBe('/memory/S3')
  expect(memoryHref('note', '01HZ')).toBe('/memory/N01HZ')
})
