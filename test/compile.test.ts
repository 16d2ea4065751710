import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './support/builders.ts'

const root = join(import.meta.dir, '..')

test('the single-file executable remembers, finds, starts its own worker and is what its hooks call', async () => {
  using folder = temporaryFolder()
  const platform = `${process.platform}-${process.arch}`
  const made = Bun.spawnSync([process.execPath, join(root, 'scripts/compile.ts'), `bun-${platform}`, folder.path])
  expect([made.exitCode, made.exitCode === 0 ? '' : String(made.stderr)]).toEqual([0, ''])
  const program = join(folder.path, `recollect-${platform}`)
  const env = { PATH: '/usr/bin:/bin', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
  const run = (...args: string[]) => String(Bun.spawnSync([program, ...args], { env, cwd: folder.path }).stdout)
  try {
    run('demo')
    expect(run('search', 'tide', 'table', '--all')).toContain('Ask for each tide table once')
    expect(JSON.parse(run('embedder', '--json')).inUse).toMatchObject({ provider: 'static', trouble: null })
    expect(run('help', 'filters')).toContain('# Filters')
    run('init', '--yes')
    expect(readFileSync(join(folder.path, '.claude/settings.json'), 'utf8')).toContain(`${program} hook claude-code SessionStart`)
    expect(run('doctor')).toContain('ok       Hooks')
  } finally {
    run('stop')
  }
}, 60_000)
