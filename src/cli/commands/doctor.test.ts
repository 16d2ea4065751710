import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')

test('doctor names the file or variable of each unusable setting', async () => {
  using folder = temporaryFolder()
  const home = join(folder.path, '.recollect')
  mkdirSync(join(home, 'modes'), { recursive: true, mode: 0o700 })
  writeFileSync(
    join(home, 'config.toml'),
    '[model]\nprovider = "openai"\nname = "m"\nbase_url = "ollama"\n[retention]\ntool_uses_days = -1\n',
  )
  writeFileSync(join(home, 'prices.toml'), '"m" = { input = "free" }\n')
  writeFileSync(join(home, 'modes', 'code.en.toml'), 'types = 1\n')
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0', RECOLLECT_PRIVACY_REDACT: 'perhaps' }
  const run = async (...args: string[]) => new Response(Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path }).stdout).text()
  await run('start')
  const { findings } = JSON.parse(await run('doctor', '--json')) as { findings: { what: string; fix?: string }[] }
  await run('stop')
  expect(findings.filter(({ what }) => what === 'Settings').map(({ fix }) => fix)).toEqual([
    `Edit ${home}/config.toml.`,
    expect.stringContaining('Change RECOLLECT_PRIVACY_REDACT'),
    `Edit ${home}/modes/code.en.toml.`,
    `Edit ${home}/prices.toml.`,
  ])
}, 300_000)
