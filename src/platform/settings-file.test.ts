import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { changeSettings, withSettings } from './settings-file.ts'

test.each([
  ['', '[embedder]\nprovider = "minilm"\n'],
  ['[worker]\nport = 1\n', '[worker]\nport = 1\n\n[embedder]\nprovider = "minilm"\n'],
  ['[embedder]\nname = "m"\n[worker]\nport = 1\n', '[embedder]\nprovider = "minilm"\nname = "m"\n[worker]\nport = 1\n'],
  ['[embedder]\nprovider = "static"   # mine\n', '[embedder]\nprovider = "minilm"   # mine\n'],
  ["[embedder]\n  provider='a # b'\n", '[embedder]\nprovider = "minilm"\n'],
  [
    '# provider = "x"\n[model]\nprovider = "plain"\n[embedder]\n',
    '# provider = "x"\n[model]\nprovider = "plain"\n[embedder]\nprovider = "minilm"\n',
  ],
])('a value is set in %j and all else stays', (before, after) => {
  expect(withSettings(before, 'embedder', { provider: 'minilm' })).toBe(after)
})

test('several values, and signs that TOML reads as its own', () => {
  const text = withSettings('', 'embedder', { name: 'a"b\\c', base_url: 'http://x/#1' })
  expect(Bun.TOML.parse(text)).toEqual({ embedder: { name: 'a"b\\c', base_url: 'http://x/#1' } })
})

test('a form that cannot be changed safely is refused with what to write by hand', () => {
  expect(() => withSettings('embedder = { provider = "static" }\n', 'embedder', { provider: 'minilm' })).toThrow(
    'by hand: provider = "minilm"',
  )
  expect(() => withSettings('embedder.provider = "static"\n', 'embedder', { provider: 'minilm' })).toThrow('by hand')
  expect(() => withSettings('not toml', 'embedder', { provider: 'minilm' })).toThrow('not valid TOML')
})

test('a file that is refused stays as it is, one that is missing is made', () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'config.toml')
  changeSettings(path, 'embedder', { provider: 'static' })
  expect(readFileSync(path, 'utf8')).toBe('[embedder]\nprovider = "static"\n')
  writeFileSync(path, 'not toml')
  expect(() => changeSettings(path, 'embedder', { provider: 'minilm' })).toThrow()
  expect(readFileSync(path, 'utf8')).toBe('not toml')
})
