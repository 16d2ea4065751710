import { expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closedPort } from '../support/ports.ts'

/** Runs a test file that needs the client with an empty cache and an unreachable registry. */
async function withoutNetwork(env: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'recollect-client-'))
  const harness = join(import.meta.dir, 'client.ts')
  const file = join(folder, 'some.test.ts')
  await Bun.write(
    file,
    `import { clientOrSkip } from '${harness}'\nconst flow = await clientOrSkip()\nflow('needs the client', () => {})\n`,
  )
  const registry = `http://127.0.0.1:${closedPort()}`
  const offline = { npm_config_registry: registry, npm_config_fetch_retries: '0', XDG_CACHE_HOME: folder, HOME: folder }
  const child = Bun.spawn([process.execPath, 'test', file], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ...offline, ...env },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [code, stderr] = await Promise.all([child.exited, child.stderr.text()])
  await rm(folder, { recursive: true })
  return { code, stderr }
}

test('without a registry the flows are skipped, and a warning says what to do', async () => {
  const { code, stderr } = await withoutNetwork({})
  expect(stderr).toContain('. npm could not install @anthropic-ai/claude-code@')
  expect(stderr).toContain('Connect to an npm registry')
  expect(stderr).toContain('1 skip')
  expect(code).toBe(0)
})

test('in CI a missing client is an error', async () => {
  const { code, stderr } = await withoutNetwork({ CI: 'true' })
  expect(stderr).toContain('npm could not install @anthropic-ai/claude-code@')
  expect(code).not.toBe(0)
})
