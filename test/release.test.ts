import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUNDLED_PACKAGES } from '../scripts/licences.ts'
import { parseRepository, releaseFiles } from '../scripts/release-files.ts'
import { orSkip, unpackFromNpm } from './harness/client.ts'
import { temporaryFolder } from './support/builders.ts'

const root = join(import.meta.dir, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const EXAMPLE = { owner: 'example-owner', name: 'recollect', url: 'https://github.com/example-owner/recollect' }
const released = () => releaseFiles(EXAMPLE, read('package.json'), read('plugin/.claude-plugin/plugin.json'))

/** The rules of the MCP registry's schema of 2025-12-11, in a package from npm. */
const judge = () => unpackFromNpm('@cyanheads/mcp-ts-core', '0.10.17')
const judged = await orSkip('the rules for server.json', judge)
async function problems(serverJson: unknown): Promise<unknown[]> {
  const { lintServerJson } = await import(join(await judge(), 'dist/linter/rules/server-json-rules.js'))
  return lintServerJson(serverJson, { packageJsonVersion: JSON.parse(read('package.json')).version })
}

judged('server.json follows the rules of the MCP registry, and its name is that of the package', async () => {
  const server = JSON.parse(released()['server.json'] ?? '')
  expect(await problems(server)).toEqual([])
  expect(await problems({ ...server, name: 'recollect' })).not.toEqual([])
  expect(await problems({ ...server, packages: [{ ...server.packages[0], version: 'latest' }] })).not.toEqual([])
  const { mcpName, name, version } = JSON.parse(released()['package.json'] ?? '')
  expect([server.name, server.packages[0].identifier, server.packages[0].version]).toEqual([mcpName, name, version])
  expect(server.description.length).toBeLessThanOrEqual(100)
})

test('no address of a repository is committed', () => {
  const manifest = JSON.parse(read('package.json'))
  expect(['repository', 'homepage', 'bugs', 'mcpName'].filter((field) => field in manifest)).toEqual([])
  const plugin = JSON.parse(read('plugin/.claude-plugin/plugin.json'))
  expect(['repository', 'homepage'].filter((field) => field in plugin)).toEqual([])
  expect(['server.json', '.github/workflows/release.yml'].filter((path) => existsSync(join(root, path)))).toEqual([])
})

test('a release adds the addresses and changes nothing else', () => {
  const before = JSON.parse(read('package.json'))
  const after = JSON.parse(released()['package.json'] ?? '')
  expect(after).toEqual({
    ...before,
    repository: { type: 'git', url: 'git+https://github.com/example-owner/recollect.git' },
    homepage: 'https://github.com/example-owner/recollect#readme',
    bugs: { url: 'https://github.com/example-owner/recollect/issues' },
    mcpName: 'io.github.example-owner/recollect',
  })
})

test('the workflow publishes with provenance and without a token, from this repository only, after the whole suite', () => {
  const text = released()['.github/workflows/release.yml'] ?? ''
  const { jobs } = Bun.YAML.parse(text) as { jobs: { test: Record<string, unknown>; publish: Record<string, unknown> } }
  expect(jobs.test).toMatchObject({
    if: "github.repository == 'example-owner/recollect'",
    steps: expect.arrayContaining([{ run: '.ci/run' }]),
  })
  expect(existsSync(join(root, '.ci/run'))).toBe(true)
  // GitHub skips a job whose need was skipped, so a fork publishes nothing.
  expect(jobs.publish).toMatchObject({
    needs: 'test',
    permissions: { contents: 'write', 'id-token': 'write' },
    steps: expect.arrayContaining([{ run: 'npm publish --provenance --access public' }]),
  })
  expect(text).not.toMatch(/NODE_AUTH_TOKEN|NPM_TOKEN|registry/)
  // Everything that the release offers is built before the upload.
  for (const built of ['scripts/sbom.ts', 'scripts/plugin-package.ts', 'npm run vscode'])
    expect(text.slice(0, text.indexOf('gh release upload'))).toContain(built)
  expect(text).toMatch(/gh release upload .*recollect-sbom\.json .*recollect-plugin\.tar\.gz .*recollect\.vsix server\.json/)
  // Every script that the workflow calls exists.
  for (const [, script = ''] of text.matchAll(/bin\/with-bun (\S+\.ts)/g))
    expect([script, existsSync(join(root, script))]).toEqual([script, true])
})

test('the release script needs the setting, checks the tag, and writes the files', () => {
  using folder = temporaryFolder()
  const run = (repository: string | null, ...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', ...(repository === null ? {} : { RELEASE_REPOSITORY: repository }) }
    const ran = Bun.spawnSync([process.execPath, join(root, 'scripts/release.ts'), ...args], { env, cwd: folder.path })
    return [ran.exitCode, ran.exitCode === 0 ? '' : ran.stderr.toString()]
  }
  expect(run(null)).toEqual([4, expect.stringContaining('RELEASE_REPOSITORY must be')])
  expect(run('https://example.org/x')).toEqual([4, expect.stringContaining('RELEASE_REPOSITORY must be')])
  expect(run('example-owner/recollect', '--tag', 'v99.0.0')).toEqual([4, expect.stringContaining('the tag is v99.0.0')])
  expect(run('example-owner/recollect', '--write', '--into', folder.path)).toEqual([0, ''])
  for (const [path, text] of Object.entries(released())) expect([path, readFileSync(join(folder.path, path), 'utf8')]).toEqual([path, text])
})

test.each(['', 'recollect', 'a/b/c', 'a b/c', '-a/b', 'a/b;rm'])('"%s" is not a repository', (setting) => {
  expect(parseRepository(setting)).toBeNull()
})

test('the bill of materials lists the runtime and the bundled packages, and no development tool', () => {
  using folder = temporaryFolder()
  // In a new checkout there is no dist yet.
  const file = join(folder.path, 'dist', 'recollect-sbom.json')
  Bun.spawnSync([process.execPath, join(root, 'scripts/sbom.ts'), file])
  const bom = JSON.parse(readFileSync(file, 'utf8')) as { bomFormat: string; components: { name: string; hashes?: unknown[] }[] }
  const names = bom.components.map(({ name }) => name).filter((name) => !name.startsWith('@oven/bun-'))
  expect([bom.bomFormat, names.sort()]).toEqual(['CycloneDX', [...BUNDLED_PACKAGES, 'bun'].sort()])
  expect(bom.components.filter(({ hashes }) => !hashes?.length)).toEqual([])
}, 300_000)
