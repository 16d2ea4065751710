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

test.each(SCRIPTS)('%s says how it is used, or what it does not take, and does nothing else', (script) => {
  const words = script.split(' ')
  expect(run(...words, '--help')).toEqual([0, expect.stringMatching(/^Usage: (?:bench|eval|npm run eval)/), ''])
  expect(run(...words, '--nonsense')).toEqual([4, '', "Unknown option '--nonsense'; --help shows what it takes\n"])
})

test('a word where a number should be is refused', () => {
  expect(run('bench/search.ts', 'many')).toEqual([4, '', '"many" is no size; --help shows what it takes\n'])
  expect(run('bench/hooks.ts', 'many')).toEqual([
    4,
    '',
    expect.stringMatching(/^Unexpected argument 'many'.*; --help shows what it takes\n$/),
  ])
})
