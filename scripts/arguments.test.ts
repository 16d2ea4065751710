import { expect, test } from 'bun:test'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const run = (...args: string[]) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, ...args], { cwd: root, timeout: 60_000 })
  return [exitCode, stdout.toString(), stderr.toString()]
}

const SCRIPTS = [
  'bench/brief.ts',
  'bench/hooks.ts',
  'bench/install.ts',
  'bench/search.ts',
  'bench/sync.ts',
  'bench/vectors.ts',
  'bench/worker.ts',
  'eval/brief.ts',
  'eval/code.ts',
  'eval/floor.ts',
  'eval/run.ts',
  'eval/run.ts distill',
]

test.each(SCRIPTS)('%s prints its usage, refuses unknown options, and does nothing else', (script) => {
  const words = script.split(' ')
  expect(run(...words, '--help')).toEqual([0, expect.stringMatching(/^Usage: (?:bench|eval|npm run eval)/), ''])
  expect(run(...words, '--nonsense')).toEqual([4, '', "Unknown option '--nonsense'; --help shows the usage\n"])
})

test('a word in place of a number is refused', () => {
  expect(run('bench/search.ts', 'many')).toEqual([4, '', '"many" is not a size; give a number of observations; --help shows the usage\n'])
  expect(run('bench/hooks.ts', 'many')).toEqual([4, '', expect.stringMatching(/^Unexpected argument 'many'.*; --help shows the usage\n$/)])
})
