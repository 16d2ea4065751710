import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { VERSION } from '../platform/version.ts'
import { COMMANDS } from './commands.ts'

test('help and version need no worker', async () => {
  using folder = temporaryFolder()
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
  const recollect = async (...args: string[]) => {
    const child = Bun.spawn([join(import.meta.dir, '..', '..', 'bin', 'recollect'), ...args], { env, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { stdout, stderr, code }
  }
  for (const args of [[], ['help'], ['--help'], ['-h']]) {
    const ran = await recollect(...args)
    expect([ran.code, ran.stdout.includes('Usage: recollect <command>'), ran.stderr]).toEqual([0, true, ''])
  }
  expect((await recollect('--version')).stdout.trim()).toBe(VERSION)
  expect((await recollect('search', '--help')).stdout).toContain('recollect search <words')
  expect((await recollect('help', '--all')).stdout).toContain('run the worker in the foreground')
  expect((await recollect('--json', '--version')).stdout).toBe(`${JSON.stringify({ version: VERSION }, null, 2)}\n`)
  const described: { command: string }[] = JSON.parse((await recollect('help', '--json')).stdout)
  expect(described.map(({ command }) => command)).toEqual(Object.keys(COMMANDS))
  expect(existsSync(join(folder.path, '.recollect', 'run', 'worker.json'))).toBe(false)
})
