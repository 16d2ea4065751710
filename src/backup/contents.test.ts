import { expect, test } from 'bun:test'
import { isBackupPath, parseHeaderFile } from './contents.ts'

test.each([
  'recollect.db',
  'config.toml',
  'memory.bundle',
  'memory/app-123/01ARZ3NDEKTSV4RRFFQ69G5FAV.md',
  'memory/.gitattributes',
  'memory/a.git/x.md',
  'local/projet é/plan.md',
  'modes/law.toml',
  'spool/000001789-0a1b-2c.json',
])('%s may be in a backup', (path) => {
  expect(isBackupPath(path)).toBe(true)
})

test.each([
  '',
  '.',
  '..',
  '/etc/passwd',
  '../evil.md',
  'memory/../../evil.md',
  'memory/./a.md',
  'memory//a.md',
  'memory/',
  'memory',
  'memory/a\\..\\b.md',
  'memory/a\u0000.md',
  'memory/a\nb.md',
  'memory/.git/config',
  'memory/app/.GIT/hooks/post-checkout',
  'memory/.git./config',
  'memory/.g\u200cit/config',
  'memory/git~1/config',
  'run/token',
  'logs/worker.log',
  'bin/recollect',
  'models/weights.bin',
  'recollect.db/x',
  'recollect.db-wal',
  'config.toml/x',
  'spool/sub/1.json',
  'spool/x.sh',
  'incoming/new/recollect.db',
])('%j may not be in a backup', (path) => {
  expect(isBackupPath(path)).toBe(false)
})

test('a path that is too long or too deep may not be in a backup', () => {
  expect([isBackupPath(`memory/${'a/'.repeat(40)}b.md`), isBackupPath(`memory/${'a'.repeat(2000)}.md`)]).toEqual([false, false])
})

test('the header of a hostile backup cannot send commands to the terminal', () => {
  const header = parseHeaderFile(JSON.stringify({ format: 1, version: '1\u001b[2J\u009b2J', machine: '\u0007' }))
  expect([header?.version, header?.machine]).toEqual(['12J2J', 'unknown'])
})

test('a header with wrong types is refused or filled in', () => {
  for (const text of ['', 'null', '[]', '"x"', '{}', '{"format":"1"}', '{"format":0}', '{"format":1.5}'])
    expect(parseHeaderFile(text)).toBeNull()
  expect(parseHeaderFile('{"format":1,"version":5,"madeAt":"x","stored":{"notes":-1,"prompts":4}}')).toEqual({
    format: 1,
    version: 'unknown',
    madeAt: 0,
    machine: 'unknown',
    stored: { sessions: 0, prompts: 4, observations: 0, summaries: 0, notes: 0 },
  })
})
