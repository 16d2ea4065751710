import { describe, expect, test } from 'bun:test'
import type { Signal } from '../../core/hit.ts'
import type { DocumentLocation } from '../../store/store.ts'
import type { Ranking, RankingSignal } from '../ranking.ts'
import { newScores } from '../scores.ts'
import type { RetrievalOptions } from '../search-options.ts'
import { WEIGHTS } from '../weights.ts'
import { latest } from './latest.ts'
import { recency } from './recency.ts'
import { session } from './session.ts'
import { time } from './time.ts'
import { variety } from './variety.ts'

type Found = Partial<DocumentLocation> & { score: number }

/** What a signal gives to documents that were found with these scores, by their position. */
async function given(signal: RankingSignal, found: Found[], name: Signal, options: RetrievalOptions = {}): Promise<(number | undefined)[]> {
  const scores = newScores()
  for (const [n, { score, ...location }] of found.entries()) {
    const place: DocumentLocation = {
      documentId: n + 1,
      kind: 'prompt',
      ref: String(n),
      project: null,
      sessionId: 1,
      turn: n + 1,
      at: 1000,
      ...location,
    } as DocumentLocation
    scores.give(place, 'words', score)
  }
  await signal({ scores, options } as Partial<Ranking> as Ranking)
  return scores.all().map(({ signals }) => signals[name])
}

const DAY = 86_400_000

describe('the session signal', () => {
  test('raises all documents of a session by its good turns, compared with the best session', async () => {
    const found = [{ score: 2 }, { score: 1 }, { score: 1.5, sessionId: 2 }]
    expect(await given(session, found, 'session')).toEqual([WEIGHTS.session, WEIGHTS.session, WEIGHTS.session / 2])
  })

  test('counts a turn once, by its best document, and at most three turns', async () => {
    const sameTurn = [
      { score: 2, turn: 1 },
      { score: 1, turn: 1 },
      { score: 4, sessionId: 2 },
    ]
    expect((await given(session, sameTurn, 'session'))[0]).toBe(WEIGHTS.session / 2)
    const many = [{ score: 1 }, { score: 2 }, { score: 2 }, { score: 2 }, { score: 12, sessionId: 2 }]
    expect((await given(session, many, 'session'))[0]).toBe(WEIGHTS.session / 2)
  })

  test('counts documents outside a turn separately, and ignores those outside a session', async () => {
    const found = [
      { score: 1, turn: null },
      { score: 1, turn: null },
      { score: 4, sessionId: 2 },
      { score: 9, sessionId: null, turn: null },
    ]
    expect(await given(session, found, 'session')).toEqual([WEIGHTS.session / 2, WEIGHTS.session / 2, WEIGHTS.session, undefined])
  })
})

describe('the variety signal', () => {
  test('lets each further turn of a session sink a little more', async () => {
    const found = [{ score: 4 }, { score: 3 }, { score: 2 }, { score: 1, sessionId: 2 }]
    const [first, second, third, other] = await given(variety, found, 'variety')
    expect([first, other]).toEqual([undefined, undefined])
    expect(second).toBeCloseTo(3 * (WEIGHTS.repeatedSession - 1))
    expect(third).toBeCloseTo(2 * (WEIGHTS.repeatedSession ** 2 - 1))
  })

  test('does not count a document that says again what a better one of its turn says', async () => {
    const found: Found[] = [
      { score: 4, turn: 1 },
      { score: 3, turn: 1, kind: 'observation' },
      { score: 2, turn: 2 },
    ]
    expect((await given(variety, found, 'variety'))[2]).toBeCloseTo(2 * (WEIGHTS.repeatedSession - 1))
    // Two observations of one turn are about different parts of it.
    const parts = found.map((one, n): Found => (n === 0 ? { ...one, kind: 'observation' } : one))
    expect((await given(variety, parts, 'variety'))[2]).toBeCloseTo(2 * (WEIGHTS.repeatedSession ** 2 - 1))
  })

  test('leaves documents outside a session alone', async () => {
    expect(
      await given(
        variety,
        [
          { score: 2, sessionId: null },
          { score: 1, sessionId: null },
        ],
        'variety',
      ),
    ).toEqual([undefined, undefined])
  })
})

describe('the time signal', () => {
  const at = (...days: number[]) => days.map((day) => ({ score: 1, at: day * DAY }))

  test('gives its whole weight within the mentioned time, and half at a distance of half its length', async () => {
    const timeWindow = { since: 10 * DAY, before: 20 * DAY }
    const half = WEIGHTS.time / 2
    expect(await given(time, at(10, 15, 5, 25), 'time', { timeWindow })).toEqual([WEIGHTS.time, WEIGHTS.time, half, half])
  })

  test('near a short or open time a day away counts half', async () => {
    const hour = DAY / 24
    expect(await given(time, at(9), 'time', { timeWindow: { since: 10 * DAY, before: 10 * DAY + hour } })).toEqual([WEIGHTS.time / 2])
    expect(await given(time, at(9, 90), 'time', { timeWindow: { since: 10 * DAY, before: null } })).toEqual([
      WEIGHTS.time / 2,
      WEIGHTS.time,
    ])
    expect(await given(time, at(11, 1), 'time', { timeWindow: { since: null, before: 10 * DAY } })).toEqual([
      WEIGHTS.time / 2,
      WEIGHTS.time,
    ])
  })

  test('gives nothing when no time is mentioned', async () => {
    expect(await given(time, at(1), 'time')).toEqual([undefined])
  })
})

describe('the recency signal', () => {
  test('spreads its weight from the oldest to the newest', async () => {
    const found = [0, 50, 100].map((at) => ({ score: 1, at }))
    expect(await given(recency, found, 'recency')).toEqual([0, WEIGHTS.recency / 2, WEIGHTS.recency])
  })

  test('gives nothing when all are of one time', async () => {
    expect(await given(recency, [{ score: 1 }, { score: 2 }], 'recency')).toEqual([undefined, undefined])
  })
})

describe('the signal for the latest', () => {
  test('orders the good documents by time, and leaves the weak ones where they are', async () => {
    const found = [
      { score: 10, at: 100 },
      { score: 9, at: 300 },
      { score: 9.5, at: 200 },
      { score: 2, at: 400 },
    ]
    const gifts = await given(latest, found, 'recency', { prefersLatest: true })
    const totals = found.map(({ score }, n) => score + (gifts[n] ?? 0))
    expect(totals[1]).toBeGreaterThan(totals[2] ?? 0)
    expect(totals[2]).toBeGreaterThan(totals[0] ?? 0)
    expect(totals[0]).toBe(10)
    // Above the best, but not by more than folding similar hits allows.
    expect(totals[1]).toBeLessThan(10 * (1 + WEIGHTS.latest))
    expect(gifts[3]).toBeUndefined()
  })

  test('gives nothing unless the query asks for the latest', async () => {
    expect(await given(latest, [{ score: 1 }], 'recency')).toEqual([undefined])
  })
})
