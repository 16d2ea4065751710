import { expect, test } from 'bun:test'
import { displayPath, fileKind, isDecisionRecord, isThrowaway } from './paths.ts'

test('a path inside the folder is shown relative to it, others are absolute', () => {
  expect(displayPath('/home/dev/app/src/a.ts', '/home/dev/app/')).toBe('src/a.ts')
  expect(displayPath('/home/dev/application/a.ts', '/home/dev/app')).toBe('/home/dev/application/a.ts')
  expect(displayPath('D:\\app\\src\\a.ts', 'D:\\app')).toBe('src/a.ts')
  expect(displayPath('/x/a.ts', '')).toBe('/x/a.ts')
})

test('the kind of a file follows from its path', () => {
  const kinds = {
    'src/a.ts': 'code',
    'src/a.test.ts': 'test',
    'pkg/a_test.go': 'test',
    'tests/test_a.py': 'test',
    'README.md': 'docs',
    'package.json': 'config',
    '.env.example': 'config',
    '.github/workflows/ci.yml': 'config',
  } as const
  for (const [path, kind] of Object.entries(kinds)) expect([path, fileKind(path)]).toEqual([path, kind])
})

test("temporary files and the client's own files are throwaway", () => {
  for (const path of ['/tmp/x.ts', '/private/tmp/x', 'C:/Users/a/AppData/Local/Temp/x.go', '/home/dev/.claude/plans/a.md'])
    expect(isThrowaway(path)).toBe(true)
  for (const path of ['src/tmp/x.ts', '.claude/settings.json']) expect(isThrowaway(path)).toBe(false)
})

test('a decision record is recognized by its path', () => {
  expect(isDecisionRecord('docs/decisions/0004-pipe.md')).toBe(true)
  expect(isDecisionRecord('docs/adr-012-cache.md')).toBe(true)
  expect(isDecisionRecord('docs/guide.md')).toBe(false)
})
