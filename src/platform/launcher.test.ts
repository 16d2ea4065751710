import { expect, test } from 'bun:test'
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { environment, temporaryFolder } from '../../test/support/builders.ts'
import { launcherProblem, writeLauncher } from './launcher.ts'
import { homePaths } from './paths.ts'

test.each(['/plain', `/it's "a" $home`])('the launcher of a home called %s is complete, and only its owner can change it', (name) => {
  using folder = temporaryFolder()
  const person = environment(folder.path, { home: folder.path + name })
  const { launcher } = homePaths(person)
  writeLauncher(person)
  expect(launcherProblem(person)).toBe(null)
  expect(statSync(launcher).mode & 0o777).toBe(0o700)
  const { mtimeMs } = statSync(launcher)
  writeLauncher(person)
  expect(statSync(launcher).mtimeMs).toBe(mtimeMs)
})

test('doctor learns why a launcher cannot run the program', () => {
  using folder = temporaryFolder()
  const person = environment(folder.path)
  const { launcher } = homePaths(person)
  expect(launcherProblem(person)).toContain('is missing')
  writeLauncher(person)
  writeFileSync(launcher, `[ -f /bin/sh ] && [ -f '/gone/it'\\''s here' ] && exec /bin/sh`)
  expect(launcherProblem(person)).toBe(`they call /gone/it's here, which no longer exists`)
  writeFileSync(launcher, '')
  expect(launcherProblem(person)).toContain('is damaged')
  rmSync(launcher)
  writeLauncher(person)
  expect(launcherProblem(person)).toBe(null)
})
