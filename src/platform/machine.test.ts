import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { machineName } from './machine.ts'

test('a machine keeps its name', () => {
  using folder = temporaryFolder()
  const name = machineName(folder.path)
  expect(name).toMatch(/^[\w.-]+-[0-9a-f]{4}$/)
  expect(machineName(folder.path)).toBe(name)
})

test('a name that a person chose is kept, one that cannot stand in a file is made anew', () => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'machine'), 'workshop\n')
  expect(machineName(folder.path)).toBe('workshop')
  writeFileSync(join(folder.path, 'machine'), 'a\nb: c\n')
  expect(machineName(folder.path)).not.toContain('\n')
})
