import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LONG_TESTS, timings } from './long-tests.ts'

test('every long test exists under its name', () => {
  const root = join(import.meta.dir, '..')
  expect(Object.keys(LONG_TESTS).filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('every file has a time, the long ones their own', () => {
  const { files } = JSON.parse(timings(['src/mcp/shim.test.ts', 'src/a.test.ts'])) as { files: Record<string, number> }
  expect(files).toEqual({ 'src/mcp/shim.test.ts': 21_000, 'src/a.test.ts': 1000 })
})
