import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { findProgram } from './program.ts'

function machine() {
  const folder = temporaryFolder()
  const put = (path: string) => {
    const file = join(folder.path, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, '#!/bin/sh\n')
    chmodSync(file, 0o755)
    return file
  }
  return { ...folder, put, at: (path: string) => join(folder.path, path), [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

test('the program is the first one in an absolute folder of the PATH', () => {
  using here = machine()
  const program = here.put('bin/recollect')
  here.put('later/recollect')
  expect(findProgram('', `bin:.:${here.at('none')}:${here.at('bin')}:${here.at('later')}`, [])).toEqual({ path: program })
})

test('the setting counts before the PATH, and must be an absolute path of a program', () => {
  using here = machine()
  const program = here.put('own/recollect')
  here.put('bin/recollect')
  expect(findProgram(program, here.at('bin'), [])).toEqual({ path: program })
  expect(findProgram('recollect', here.at('bin'), [])).toMatchObject({ problem: expect.stringContaining('absolute') })
  expect(findProgram(here.at('none'), here.at('bin'), [])).toMatchObject({ problem: expect.stringContaining('does not exist') })
  expect(findProgram(here.at('own'), here.at('bin'), [])).toMatchObject({ problem: expect.stringContaining('is not a file') })
})

test('nothing inside an open folder is run: not from the PATH, not from the setting, not through a link', () => {
  using here = machine()
  const inside = here.put('project/node_modules/.bin/recollect')
  mkdirSync(here.at('bin'))
  symlinkSync(inside, here.at('bin/recollect'))
  symlinkSync(here.at('project'), here.at('link'))
  const open = [here.at('project')]
  expect(findProgram('', here.at('project/node_modules/.bin'), open)).toHaveProperty('problem')
  expect(findProgram('', here.at('bin'), open)).toHaveProperty('problem')
  expect(findProgram('', here.at('link/node_modules/.bin'), open)).toHaveProperty('problem')
  expect(findProgram(inside, '', open)).toMatchObject({ problem: expect.stringContaining('inside an open folder') })
  expect(findProgram('', here.at('link/node_modules/.bin'), [here.at('link')])).toHaveProperty('problem')
})

test('a file that cannot be run is no program', () => {
  using here = machine()
  chmodSync(here.put('bin/recollect'), 0o644)
  // Root may do everything except run a file without any right to run it.
  expect(findProgram('', here.at('bin'), [])).toMatchObject({ problem: expect.stringContaining('not on the PATH') })
})
