import { expect, test } from 'bun:test'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { someServices } from '../../test/support/services.ts'
import { install } from '../integrations/install.ts'
import { readInstalls, rememberInstall } from '../platform/installs.ts'
import { updateHookPort } from './hook-port.ts'
import type { Services } from './services.ts'

test('http hooks with another port get the worker’s port, and no other hooks change', async () => {
  await using at = await someServices()
  await installed(at.desk, 'http', 1111)
  await updateHookPort(at.desk, 2222)
  const settings = readFileSync(join(at.folder, '.claude', 'settings.json'), 'utf8')
  expect(settings).toContain(':2222/')
  expect(settings).not.toContain(':1111/')
  expect(readInstalls(at.desk.home)).toEqual([{ project: null, form: 'http', port: 2222 }])
})

test('command hooks contain no port and stay unchanged', async () => {
  await using at = await someServices()
  await installed(at.desk, 'command', 1111)
  const before = readFileSync(join(at.folder, '.claude', 'settings.json'), 'utf8')
  await updateHookPort(at.desk, 2222)
  expect(readFileSync(join(at.folder, '.claude', 'settings.json'), 'utf8')).toBe(before)
  expect(readInstalls(at.desk.home)).toEqual([{ project: null, form: 'command', port: 1111 }])
})

test('without an installation nothing is written', async () => {
  await using at = await someServices()
  await updateHookPort(at.desk, 2222)
  expect(await Bun.file(join(at.folder, '.claude', 'settings.json')).exists()).toBe(false)
})

async function installed(desk: Services, form: 'http' | 'command', port: number): Promise<void> {
  rmSync(desk.environment.claudeConfig, { recursive: true, force: true })
  await install({
    environment: desk.environment,
    project: null,
    form,
    port,
    hookToken: 'secret',
    program: { command: 'bun', args: ['main.ts'] },
  })
  rememberInstall(desk.home, { project: null, form, port })
}
