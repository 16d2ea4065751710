import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { installPackage, packagePath } from './packages.ts'

const NAME = '@tide/table'
const room = temporaryFolder()
const registry = aRegistry()
const before = { ...process.env }
process.env.npm_config_registry = registry.url.href
process.env.npm_config_cache = join(room.path, 'cache')
// The person's own settings decide what npm looks at.
process.env.npm_config_userconfig = join(room.path, 'npmrc')
afterAll(async () => {
  for (const name of ['npm_config_registry', 'npm_config_cache', 'npm_config_userconfig'])
    if (before[name] === undefined) delete process.env[name]
    else process.env[name] = before[name]
  await registry.stop(true)
  room[Symbol.dispose]()
})

test.each([
  ['is an empty folder', (at: string) => [rmSync(at, { recursive: true }), mkdirSync(at)]],
  ['has lost its module', (at: string) => rmSync(join(at, 'table.mjs'))],
])(
  'a package that %s is installed again, and a complete one is left alone',
  async (_, spoil) => {
    using folder = temporaryFolder()
    const at = packagePath(folder.path, NAME)
    expect(await installPackage(folder.path, NAME, '2.0.0')).toBeNull()
    spoil(at)
    expect(await installPackage(folder.path, NAME, '2.0.0')).toBeNull()
    expect(readFileSync(join(at, 'table.mjs'), 'utf8')).toBe('export const version = "2.0.0"\n')
    writeFileSync(join(at, 'mine'), '')
    expect(await installPackage(folder.path, NAME, '2.0.0')).toBeNull()
    expect(readFileSync(join(at, 'mine'), 'utf8')).toBe('')
  },
  300_000,
)

test('another version replaces the installed one', async () => {
  using folder = temporaryFolder()
  for (const version of ['1.0.0', '2.0.0']) {
    expect(await installPackage(folder.path, NAME, version)).toBeNull()
    expect(readFileSync(join(packagePath(folder.path, NAME), 'table.mjs'), 'utf8')).toContain(version)
  }
}, 300_000)

/** A registry on this machine with one package in two versions. */
function aRegistry() {
  const versions = ['1.0.0', '2.0.0']
  for (const version of versions) {
    const folder = join(room.path, version, 'package')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: NAME, version, main: 'table.mjs' }))
    writeFileSync(join(folder, 'table.mjs'), `export const version = "${version}"\n`)
    Bun.spawnSync(['tar', '-czf', join(room.path, `${version}.tgz`), '-C', join(room.path, version), 'package'])
  }
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const { origin, pathname } = new URL(request.url)
      if (pathname.endsWith('.tgz')) return new Response(Bun.file(join(room.path, pathname.slice(1))))
      const known = versions.map((version) => {
        const dist = { tarball: `${origin}/${version}.tgz` }
        return [version, { name: NAME, version, main: 'table.mjs', dist }] as const
      })
      return Response.json({ name: NAME, 'dist-tags': { latest: '2.0.0' }, versions: Object.fromEntries(known) })
    },
  })
}
