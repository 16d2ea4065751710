import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closedPort } from '../support/ports.ts'

/** Runs a test file that needs the client on a machine with an empty cache and no registry in reach. */
async function withoutNetwork(env: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'recollect-client-'))
  const harness = join(import.meta.dir, 'client.ts')
  const file = join(folder, 'some.test.ts')
  await Bun.write(
    file,
    `import { clientOrSkip } from '${harness}'\nconst flow = await clientOrSkip()\nflow('needs the client', () => {})\n`,
  )
  const registry = `http://127.0.0.1:${closedPort()}`
  const away = { npm_config_registry: registry, npm_config_fetch_retries: '0', XDG_CACHE_HOME: folder, HOME: folder }
  const child = Bun.spawn([process.execPath, 'test', file], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...away, ...env },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [code, said] = await Promise.all([child.exited, child.stderr.text()])
  await rm(folder, { recursive: true })
  return { code, said }
}

test('without a registry the flows are skipped with a word what to do', async () => {
  const { code, said } = await withoutNetwork({})
  expect(said).toContain('are skipped. npm could not install @anthropic-ai/claude-code@')
  expect(said).toContain('Connect to an npm registry once')
  expect(said).toContain('1 skip')
  expect(code).toBe(0)
})

test('in CI a missing client is a failure', async () => {
  const { code, said } = await withoutNetwork({ CI: 'true' })
  expect(said).toContain('npm could not install @anthropic-ai/claude-code@')
  expect(code).not.toBe(0)
})
