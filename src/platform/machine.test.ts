import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { machineName } from './machine.ts'

test('the name of a machine does not change', () => {
  using folder = temporaryFolder()
  const name = machineName(folder.path)
  expect(name).toMatch(/^[\w.-]+-[0-9a-f]{4}$/)
  expect(machineName(folder.path)).toBe(name)
})

test('a person’s own name is kept, but one that is not a valid file name is replaced', () => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'machine'), 'workshop\n')
  expect(machineName(folder.path)).toBe('workshop')
  writeFileSync(join(folder.path, 'machine'), 'a\nb: c\n')
  expect(machineName(folder.path)).not.toContain('\n')
})
