import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './support/builders.ts'
import { noteThroughMcp, visitViewer, waitForEmbedding } from './support/installed-program.ts'
import { minilmOrNull } from './support/minilm.ts'

const root = join(import.meta.dir, '..')

test('the single-file executable imports, searches, installs hooks that call it, serves MCP and the viewer, and runs the sentence model', async () => {
  using folder = temporaryFolder()
  const platform = `${process.platform}-${process.arch}`
  const made = Bun.spawnSync([process.execPath, join(root, 'scripts/compile.ts'), `bun-${platform}`, folder.path])
  expect([made.exitCode, made.exitCode === 0 ? '' : String(made.stderr)]).toEqual([0, ''])
  const program = join(folder.path, `recollect-${platform}`)
  const env = { PATH: '/usr/bin:/bin', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
  const run = (...args: string[]) => String(Bun.spawnSync([program, ...args], { env, cwd: folder.path }).stdout)
  const minilm = await minilmOrNull()
  try {
    run('demo')
    expect(run('search', 'tide', 'table', '--all')).toContain('Ask for each tide table once')
    expect(JSON.parse(run('embedder', '--json')).inUse).toMatchObject({ provider: 'static', problem: null })
    expect(run('eval')).toContain('Memories mention 100.0 % of 6 changed files')
    expect(run('help')).toContain('\n  search ')
    expect(run('help', 'filters')).toContain('# Filters')
    run('init', '--yes')
    expect(readFileSync(join(folder.path, '.recollect/bin/recollect-hook'), 'utf8')).toContain(`exec ${program} hook "$@"`)
    expect(run('doctor')).toContain('ok       Hooks')
    expect(await noteThroughMcp({ command: program, args: ['mcp'], env, cwd: folder.path })).toContain(
      'Moorings are numbered from the east',
    )
    const { url } = JSON.parse(run('view', '--json')) as { url: string }
    expect(await visitViewer(url)).toEqual({ page: 200, script: [200, 'text/javascript; charset=utf-8'] })
    if (!minilm) return
    expect(run('embedder', 'use', 'minilm', '--yes', '--from', minilm.tarball)).toContain('In use: minilm')
    expect(await waitForEmbedding(async () => run('embedder', '--json'))).toMatchObject({ provider: 'minilm', problem: null })
  } finally {
    run('stop')
  }
}, 300_000)
