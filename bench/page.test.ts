import { expect, test } from 'bun:test'
import { benchPage, growthCurve, withMeasuredPart } from './page.ts'
import type { Result } from './result.ts'

const MACHINE = { date: '2026-01-02', cpu: 'a processor', cores: 2, memoryGb: 8, system: 'linux', load: 0.5, commit: 'abc1234' }
const search = (name: string, size: number, value: number): Result => ({ part: 'Search', name, size, value, unit: 'ms' })

test('the page says when and where it was measured, and lists every part', () => {
  const { markdown } = benchPage([{ part: 'Worker', name: 'idle memory', value: 55, unit: 'MB', goal: 60 }], MACHINE)
  expect(markdown).toContain('Measured on 2026-01-02 at abc1234: a processor, 2 cores, 8 GB')
  expect(markdown).toContain('### Worker\n\n| what | measured | goal |\n|---|---|---|\n| idle memory | 55 MB | 60 |')
})

test('a missed goal is listed, whether more or less is better', () => {
  const { markdown } = benchPage(
    [
      { part: 'Import', name: 'transcripts', value: 17, unit: 'MB/s', goal: 40 },
      { part: 'Worker', name: 'idle memory', value: 70, unit: 'MB', goal: 60 },
      { part: 'Worker', name: 'events', value: 1700, unit: 'events/s', goal: 1500 },
    ],
    MACHINE,
  )
  const losses = markdown.split('### Missed goals and lost comparisons\n\n')[1]
  expect(losses).toBe('- Import, transcripts: 17 MB/s, goal 40\n- Worker, idle memory: 70 MB, goal 60')
})

test('a comparison that plain FTS5 or claude-mem wins is listed', () => {
  const { markdown } = benchPage(
    [
      search('plain FTS5, ordinary question', 10_000, 4),
      search('seven words', 10_000, 6),
      { part: 'Worker', name: 'cold start', value: 100, unit: 'ms' },
      { part: 'claude-mem', name: 'cold start', value: 90, unit: 'ms' },
      { part: 'claude-mem', name: 'brief: no model', value: 0, unit: 'not run' },
    ],
    MACHINE,
  )
  expect(markdown).toContain('- cold start: 100 ms, claude-mem 90')
  expect(markdown).toContain('- seven words at 10,000: 6 ms, plain FTS5 4 ms')
  expect(markdown).toContain('Not run: brief: no model.')
})

test('a growth curve has a line for each name with its last value, and both themes differ', () => {
  const lines = [
    {
      label: 'brief',
      points: [
        [10_000, 2],
        [100_000, 4],
      ] as [number, number][],
    },
  ]
  const [light, dark] = [growthCurve('Brief', lines, 'light'), growthCurve('Brief', lines, 'dark')]
  expect(light.match(/<polyline/g)).toHaveLength(1)
  expect(light).toContain('brief: 4 ms')
  expect(light).not.toBe(dark)
  expect(light).not.toContain('NaN')
})

test('only the measured part of the page is replaced', () => {
  const page = 'before\n<!-- measured: begin -->\nold\n<!-- measured: end -->\nafter'
  expect(withMeasuredPart(page, 'new')).toBe('before\n<!-- measured: begin -->\n\nnew\n\n<!-- measured: end -->\nafter')
  expect(() => withMeasuredPart('no marks', 'new')).toThrow('no part between')
})
