import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { VERSION } from '../platform/version.ts'

test('help and version are answered without a worker', async () => {
  await using at = aPerson()
  for (const args of [[], ['help'], ['--help'], ['-h']]) {
    const ran = await at.recollect(...args)
    expect([ran.code, ran.stdout.includes('Usage: recollect <command>'), ran.stderr]).toEqual([0, true, ''])
  }
  expect((await at.recollect('--version')).stdout.trim()).toBe(VERSION)
  expect((await at.recollect('search', '--help')).stdout).toContain('recollect search <words')
  expect(await Bun.file(join(at.home, 'run', 'worker.json')).exists()).toBe(false)
})

test.each<[string, string[], string]>([
  ['a command that is not there', ['serach'], 'did you mean "search"?'],
  ['an option that is not there', ['status', '--colour'], "'recollect help status'"],
  ['an option that is misspelt', ['search', 'tide', '--explian'], 'did you mean --explain?'],
  ['an option without its value', ['search', 'tide', '--kind'], "'recollect help search'"],
  ['a value that there is not', ['search', 'tide', '--kind', 'nots'], 'did you mean "note"?'],
  ['a number that is none', ['notes', '--limit', 'ten'], '--limit is a whole number'],
  ['a word too many', ['status', 'now'], '"now" is too much'],
  ['a topic that is not there', ['help', 'filtres'], 'did you mean "filters"?'],
  ['a shell that is not known', ['completion', 'csh'], 'bash|zsh|fish'],
  ['a path that is not there', ['import', '/no/such/path'], 'there is no /no/such/path'],
  ['two opposite wishes', ['consolidate', '--apply', '--undo'], 'two different things'],
  ['a plan without a number', ['reflect', '--undo', 'last'], 'named by its number'],
  ['a date that is none', ['import', '--since', 'once'], '“once” is no moment; write 2026-03-01'],
  ['a page that is not there', ['view', '../etc'], 'no page and no memory'],
])('%s is invalid input: exit code 4, a sentence on stderr, JSON when asked for', async (_, args, sentence) => {
  await using at = aPerson()
  const plain = await at.recollect(...args)
  expect([plain.code, plain.stdout, plain.stderr]).toEqual([4, '', expect.stringContaining(sentence)])
  expect(plain.stderr).toStartWith('recollect: ')
  const json = await at.recollect(...args, '--json')
  expect([json.code, JSON.parse(json.stderr)]).toEqual([4, { error: expect.stringContaining(sentence), code: 'invalid' }])
})

/** Somebody with an empty home and a shell. */
function aPerson() {
  const folder = temporaryFolder()
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
  return {
    home: join(folder.path, '.recollect'),
    recollect: async (...args: string[]) => {
      const child = Bun.spawn([join(import.meta.dir, '..', '..', 'bin', 'recollect'), ...args], { env, stdout: 'pipe', stderr: 'pipe' })
      const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
      return { stdout, stderr, code }
    },
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  }
}
