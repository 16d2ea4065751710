import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'
import { COMMANDS, loadAllCommands } from '../commands.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')
const script = async (shell: string) => Bun.spawn([RECOLLECT, 'completion', shell], { stdout: 'pipe' }).stdout.text()

/** What bash suggests for the last of these words. */
async function suggestions(...words: string[]): Promise<string[]> {
  const line = `${await script('bash')}\nCOMP_WORDS=(recollect "$@"); COMP_CWORD=$#; _recollect; printf '%s\\n' "\${COMPREPLY[@]}"`
  const output = await Bun.spawn(['bash', '--norc', '-c', line, 'bash', ...words], { stdout: 'pipe' }).stdout.text()
  return output.split('\n').filter(Boolean)
}

test('bash completes commands, options, the values of options, and topics', async () => {
  expect(await suggestions('se')).toEqual(['search'])
  expect((await suggestions('')).sort()).toEqual(['help', ...Object.keys(COMMANDS)].sort())
  expect(await suggestions('search', 'tide', '--ex')).toEqual(['--explain'])
  expect(await suggestions('search', '--kind', '')).toEqual(['observation', 'summary', 'prompt', 'note', 'commit'])
  expect(await suggestions('embedder', 'u')).toEqual(['use'])
  expect(await suggestions('completion', '')).toEqual(['bash', 'zsh', 'fish', '--json'])
  expect(await suggestions('help', 'fil')).toEqual(['filters'])
  expect(await suggestions('nonsense', '')).toEqual([])
})

test.each(['zsh', 'fish'])('the %s script contains every command and option, and its quotes are closed', async (shell) => {
  const text = await script(shell)
  for (const { name, options } of await loadAllCommands()) {
    expect(text).toContain(name)
    for (const option of Object.keys(options)) expect(text).toMatch(shell === 'fish' ? new RegExp(`-l ${option}\\b`) : `--${option}[`)
  }
  for (const line of text.split('\n')) expect([line, line.replaceAll("'\\''", '').split("'").length % 2]).toEqual([line, 1])
})

const zsh = Bun.which('zsh')
test.skipIf(!zsh)('the zsh script is valid', async () => {
  const ran = Bun.spawn(['zsh', '-n', '-c', await script('zsh')])
  expect(await ran.exited).toBe(0)
})

test.skipIf(!zsh)('the zsh script works in a shell without the completion system', async () => {
  using home = temporaryFolder()
  const line = `${await script('zsh')}\nprint $_comps[recollect]`
  const ran = Bun.spawn(['zsh', '-f', '-c', line], {
    env: { HOME: home.path, PATH: process.env.PATH ?? '' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  expect([await ran.stdout.text(), await ran.stderr.text()]).toEqual(['_recollect\n', ''])
})
