import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { environment, temporaryFolder } from '../../test/support/builders.ts'
import { forgetInstall, readInstalls, rememberInstall } from './installs.ts'
import { homePaths } from './paths.ts'

test('each settings file is remembered once, with its last install', () => {
  using folder = temporaryFolder()
  const home = homePaths(environment(folder.path))
  expect(readInstalls(home)).toEqual([])
  rememberInstall(home, { project: null, form: 'http', port: 1 })
  rememberInstall(home, { project: '/p', form: 'command', port: 1 })
  rememberInstall(home, { project: null, form: 'http', port: 2 })
  expect(readInstalls(home)).toEqual([
    { project: '/p', form: 'command', port: 1 },
    { project: null, form: 'http', port: 2 },
  ])
  forgetInstall(home, null)
  expect(readInstalls(home).map((install) => install.project)).toEqual(['/p'])
})

test('a damaged list counts as empty', () => {
  using folder = temporaryFolder()
  const home = homePaths(environment(folder.path))
  rememberInstall(home, { project: null, form: 'http', port: 1 })
  for (const text of ['', '{', '{"project":null}', 'null']) {
    writeFileSync(home.installs, text)
    expect(readInstalls(home)).toEqual([])
  }
})
