import { expect, test } from 'bun:test'
import { judgeFlatness, type Sample } from './flatness.ts'

const USUAL: Sample = {
  minute: 0,
  events: 0,
  memoryMb: 100,
  handles: 30,
  threads: 9,
  processorMs: 2,
  toolUseMs: 3,
  promptMs: 12,
  idleRequestMs: 1,
  database: 10,
  writeAheadLog: 4,
  logs: 0.1,
  otherFiles: 2,
  spooled: 0,
}

const anHour = (at: (minute: number) => Partial<Sample>) =>
  Array.from({ length: 60 }, (_, n) => ({ ...USUAL, minute: n + 1, events: (n + 1) * 600, database: 10 + n, ...at(n + 1) }))

const failures = (samples: Sample[]) =>
  judgeFlatness(samples)
    .filter(({ ok }) => !ok)
    .map(({ what }) => what)

test('a run in which only the database grows, evenly, is flat', () => {
  expect(failures(anHour(() => ({})))).toEqual([])
})

test('memory that grows by 3 KB with every event is not flat, and neither are leaked handles', () => {
  expect(failures(anHour((minute) => ({ memoryMb: 62 + minute * 600 * 0.003 })))).toEqual(['memory, median', 'memory, highest'])
  expect(failures(anHour((minute) => ({ handles: 30 + minute })))).toEqual(['open handles, highest'])
})

test('memory that grows in the first twenty minutes only is flat', () => {
  expect(failures(anHour((minute) => ({ memoryMb: 60 + Math.min(minute, 20) * 4 })))).toEqual([])
})

test('an event that gets slower is found, but not a machine that gets slower', () => {
  expect(failures(anHour((minute) => ({ toolUseMs: 3 + minute / 10 })))).toEqual(['time of a tool use'])
  expect(
    failures(anHour((minute) => ({ toolUseMs: 3 * (1 + minute / 20), promptMs: 12 * (1 + minute / 20), idleRequestMs: 1 + minute / 20 }))),
  ).toEqual([])
})

test('files that grow are found: the log of the database, and a database that grows faster and faster', () => {
  expect(failures(anHour((minute) => ({ writeAheadLog: minute })))).toEqual(['write-ahead log, highest'])
  expect(failures(anHour((minute) => ({ database: 10 + minute ** 2 / 60 })))).toEqual(['database, growth per event'])
})

test('payloads that stay in the spool are found', () => {
  expect(failures(anHour(() => ({ spooled: 1 })))).toEqual(['payloads in the spool, median'])
})

test('a run without enough samples is refused', () => {
  expect(() => judgeFlatness(anHour(() => ({})).slice(0, 3))).toThrow('too few')
})
