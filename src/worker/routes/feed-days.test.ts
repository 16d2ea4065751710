import { expect, test } from 'bun:test'
import type { DocumentLocation } from '../../store/store.ts'
import { newestDays } from './feed-days.ts'

const HOUR = 3_600_000
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
const startOf = (day: string) => Date.parse(day)

function location(at: number, sessionId: number): DocumentLocation {
  return { documentId: at, kind: 'prompt', ref: String(at), sessionId, turn: 1, project: 'p' as DocumentLocation['project'], at }
}

const readFrom = (all: DocumentLocation[]) => async (offset: number) => all.slice(offset, offset + 300)

test('a page of the feed ends with a whole day', async () => {
  // Ten memories a day, each of another session.
  const all = Array.from({ length: 1000 }, (_, i) => location((2400 - i * 2.4) * HOUR, i))
  const { documents, next } = await newestDays(readFrom(all), 12, dayOf, startOf)
  expect(next).toBe(startOf(dayOf(documents.at(-1)?.at ?? 0)))
  const rest = all.filter(({ at }) => next !== null && at < next)
  expect(documents.length + rest.length).toBe(all.length)
})

test('the last page has no next one', async () => {
  const { documents, next } = await newestDays(readFrom([location(HOUR, 1)]), 12, dayOf, startOf)
  expect([documents.length, next]).toEqual([1, null])
})

test('a day with very many memories is continued on the next page without losing one', async () => {
  const all = Array.from({ length: 7000 }, (_, i) => location(20 * HOUR - Math.floor(i / 3) * 1000, 1))
  const seen: number[] = []
  let before = Number.MAX_SAFE_INTEGER
  for (let page = 0; page < 10; page++) {
    const { documents, next } = await newestDays(readFrom(all.filter(({ at }) => at < before)), 12, dayOf, startOf)
    seen.push(...documents.map(({ at }) => at))
    if (next === null) break
    before = next
  }
  expect(seen).toEqual(all.map(({ at }) => at))
})
