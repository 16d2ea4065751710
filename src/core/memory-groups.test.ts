import { expect, test } from 'bun:test'
import { groupNeighbours, groupRanked } from './memory-groups.ts'

const on = (day: number, file: string | null) => ({ at: new Date(2026, 2, day, 12).getTime(), file })

test('a ranked list is grouped by day and file, the group of the best memory first', () => {
  const groups = groupRanked([on(2, 'a.ts'), on(1, null), on(2, 'a.ts'), on(1, 'a.ts')])
  expect(groups).toEqual([
    { day: '2026-03-02', file: 'a.ts', places: [0, 2] },
    { day: '2026-03-01', file: null, places: [1] },
    { day: '2026-03-01', file: 'a.ts', places: [3] },
  ])
})

test('a list in the order of time keeps its order, and only neighbours are grouped', () => {
  const groups = groupNeighbours([on(1, 'a.ts'), on(1, 'a.ts'), on(1, 'b.ts'), on(1, 'a.ts')])
  expect(groups.map(({ file, places }) => [file, places])).toEqual([
    ['a.ts', [0, 1]],
    ['b.ts', [2]],
    ['a.ts', [3]],
  ])
})
