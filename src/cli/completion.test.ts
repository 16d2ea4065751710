import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { COMMANDS } from './help.ts'
import { COMMAND_ARGUMENTS } from './options.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')
const script = async (shell: string) => Bun.spawn([RECOLLECT, 'completion', shell], { stdout: 'pipe' }).stdout.text()

/** What bash offers for the last of these words. */
async function offered(...words: string[]): Promise<string[]> {
  const line = `${await script('bash')}\nCOMP_WORDS=(recollect "$@"); COMP_CWORD=$#; _recollect; printf '%s\\n' "\${COMPREPLY[@]}"`
  const said = await Bun.spawn(['bash', '--norc', '-c', line, 'bash', ...words], { stdout: 'pipe' }).stdout.text()
  return said.split('\n').filter(Boolean)
}

test('bash completes commands, options, the values of options, and topics', async () => {
  expect(await offered('se')).toEqual(['search'])
  expect((await offered('')).sort()).toEqual(['help', ...Object.keys(COMMANDS)].sort())
  expect(await offered('search', 'tide', '--ex')).toEqual(['--explain'])
  expect(await offered('search', '--kind', '')).toEqual(['observation', 'summary', 'prompt', 'note'])
  expect(await offered('embedder', 'u')).toEqual(['use'])
  expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish', '--json'])
  expect(await offered('help', 'fil')).toEqual(['filters'])
  expect(await offered('nonsense', '')).toEqual([])
})

test.each(['zsh', 'fish'])('%s is told every command and every option, and its quotes are closed', async (shell) => {
  const text = await script(shell)
  for (const [name, { options }] of Object.entries(COMMAND_ARGUMENTS)) {
    expect(text).toContain(name)
    for (const option of Object.keys(options)) expect(text).toMatch(shell === 'fish' ? new RegExp(`-l ${option}\\b`) : `--${option}[`)
  }
  for (const line of text.split('\n')) expect([line, line.replaceAll("'\\''", '').split("'").length % 2]).toEqual([line, 1])
})

const zsh = Bun.which('zsh')
test.skipIf(!zsh)('zsh can read it', async () => {
  const ran = Bun.spawn(['zsh', '-n', '-c', await script('zsh')])
  expect(await ran.exited).toBe(0)
})

test.skipIf(!zsh)('zsh takes it also where nobody has loaded its completion', async () => {
  using home = temporaryFolder()
  const line = `${await script('zsh')}\nprint $_comps[recollect]`
  const ran = Bun.spawn(['zsh', '-f', '-c', line], {
    env: { HOME: home.path, PATH: process.env.PATH ?? '' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  expect([await ran.stdout.text(), await ran.stderr.text()]).toEqual(['_recollect\n', ''])
})
