import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { environment, temporaryFolder } from '../../test/support/builders.ts'
import { forgetInstall, readInstalls, rememberInstall } from './installs.ts'
import { homePaths } from './paths.ts'

test('each settings file is remembered once, with its last install', () => {
  using folder = temporaryFolder()
  const home = homePaths(environment(folder.path))
  expect(readInstalls(home)).toEqual([])
  rememberInstall(home, { project: null })
  rememberInstall(home, { project: '/p' })
  rememberInstall(home, { project: null })
  expect(readInstalls(home)).toEqual([{ project: '/p' }, { project: null }])
  forgetInstall(home, null)
  expect(readInstalls(home).map((install) => install.project)).toEqual(['/p'])
})

test('a damaged list counts as empty', () => {
  using folder = temporaryFolder()
  const home = homePaths(environment(folder.path))
  rememberInstall(home, { project: null })
  for (const text of ['', '{', '{"project":null}', 'null']) {
    writeFileSync(home.installs, text)
    expect(readInstalls(home)).toEqual([])
  }
})
