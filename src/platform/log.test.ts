import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { openLog } from './log.ts'

test('a log line is a fact with its fields, in a private file', () => {
  using folder = temporaryFolder()
  const log = openLog(join(folder.path, 'logs'), 'worker')
  log.info('distilled', { uses: 4, ms: 810 })
  log.warn('odd', { text: 'two\nlines' })
  const path = join(folder.path, 'logs', 'worker.log')
  const lines = Bun.JSONL.parse(readFileSync(path, 'utf8'))
  expect(lines).toEqual([
    { at: expect.any(String), level: 'info', fact: 'distilled', uses: 4, ms: 810 },
    { at: expect.any(String), level: 'warn', fact: 'odd', text: 'two\nlines' },
  ])
  expect([statSync(path).mode & 0o777, statSync(join(folder.path, 'logs')).mode & 0o777]).toEqual([0o600, 0o700])
})

test('a full log is rotated, and only three old files are kept', () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'worker.log')
  for (let turn = 1; turn <= 5; turn++) {
    writeFileSync(path, `${turn}`.padEnd(2_000_000, '.'))
    openLog(folder.path, 'worker').info('turn', { turn })
  }
  expect(readdirSync(folder.path).sort()).toEqual(['worker.log', 'worker.log.1', 'worker.log.2', 'worker.log.3'])
  expect(readFileSync(path, 'utf8')).toContain('"turn":5')
  expect(['1', '2', '3'].map((n) => readFileSync(`${path}.${n}`, 'utf8').charAt(0))).toEqual(['5', '4', '3'])
})

test('a log that fills up while it is open is rotated too', () => {
  using folder = temporaryFolder()
  const log = openLog(folder.path, 'worker')
  for (let i = 0; i < 21; i++) log.info('big', { text: 'x'.repeat(100_000) })
  expect(readdirSync(folder.path).sort()).toEqual(['worker.log', 'worker.log.1'])
})

test('a log that cannot be written does not fail, and continues when it can', () => {
  using folder = temporaryFolder()
  const logs = join(folder.path, 'logs')
  writeFileSync(logs, 'a file is in the way')
  const log = openLog(logs, 'worker')
  log.info('lost')
  rmSync(logs)
  log.info('kept')
  rmSync(logs, { recursive: true })
  log.info('lost too')
  log.info('kept again')
  expect(readFileSync(join(logs, 'worker.log'), 'utf8')).toContain('kept again')
})
