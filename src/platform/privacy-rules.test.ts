import { expect, test } from 'bun:test'
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { readEnvironment } from './environment.ts'
import { homePaths } from './paths.ts'
import { readPrivacyRules, writePrivacyRules } from './privacy-rules.ts'

const RULES = { redact: true, patterns: ['tide-[0-9]+'], excludeProjects: ['/secret'] }

test('a worker leaves the rules alone when they are unchanged, and replaces them when they changed', () => {
  using folder = temporaryFolder()
  const home = homeIn(folder.path)
  writePrivacyRules(home, RULES)
  const { ino } = statSync(home.privacyRules)
  writePrivacyRules(home, RULES)
  expect(statSync(home.privacyRules).ino).toBe(ino)
  writePrivacyRules(home, { ...RULES, patterns: [] })
  expect(readPrivacyRules(home)).toEqual({ ...RULES, patterns: [] })
})

test('rules that cannot be read are replaced', () => {
  for (const damage of ['damaged', 'a link to a folder'] as const) {
    using folder = temporaryFolder()
    const home = homeIn(folder.path)
    if (damage === 'damaged') writeFileSync(home.privacyRules, '{')
    else symlinkSync(folder.path, home.privacyRules)
    writePrivacyRules(home, RULES)
    expect(readPrivacyRules(home)).toEqual(RULES)
  }
})

function homeIn(folder: string) {
  const home = homePaths({ ...readEnvironment(), home: join(folder, 'home') })
  mkdirSync(dirname(home.privacyRules), { recursive: true })
  return home
}
