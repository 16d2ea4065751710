import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')

test('init says what it changes, what for and how to undo it, and connects when the person presses Enter', async () => {
  using folder = temporaryFolder()
  const settings = join(folder.path, '.claude', 'settings.json')
  mkdirSync(dirname(settings))
  const screen = await answerInit(folder.path, '\r')
  for (const words of ['adds hooks to', settings, 'Nothing leaves the machine', 'recollect uninstall', 'Connect? [Y/n]'])
    expect(screen.replace(/\s+/g, ' ')).toContain(words)
  expect(readFileSync(settings, 'utf8')).toContain('SessionStart')
})

test('init changes nothing when the person says no', async () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, '.claude'))
  expect(await answerInit(folder.path, 'n\r')).toContain('Nothing was changed.')
  expect(existsSync(join(folder.path, '.claude', 'settings.json'))).toBe(false)
})

/** Runs `init` in a terminal, types the answer when it is asked for, and returns what the screen showed. */
async function answerInit(home: string, answer: string): Promise<string> {
  let screen = ''
  let isAnswered = false
  const terminal = {
    cols: 200,
    rows: 40,
    data: (self: { write(text: string): unknown }, bytes: Uint8Array) => {
      screen += Buffer.from(bytes).toString()
      if (isAnswered || !screen.includes('Connect?')) return
      isAnswered = true
      self.write(answer)
    },
  }
  const env = { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_WORKER_PORT: '0', TERM: 'xterm' }
  await Bun.spawn([RECOLLECT, 'init', '--agent', 'claude-code', '--no-mcp'], { env, cwd: home, terminal }).exited
  return Bun.stripANSI(screen)
}
