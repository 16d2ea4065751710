import { expect, test } from 'bun:test'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environment, temporaryFolder } from '../../test/support/builders.ts'
import { projectKey } from '../core/project.ts'
import { confirmMarker } from './confirmed-markers.ts'
import { homePaths } from './paths.ts'
import { findProject } from './project.ts'

test('a repository is identified by its origin, from any folder in it', () => {
  using folder = temporaryFolder()
  const app = repository(folder.path, 'app', 'git@host.example:team/app.git')
  mkdirSync(join(app, 'src', 'deep'), { recursive: true })
  expect(keyOf(app)).toBe('host.example/team/app')
  expect(keyOf(join(app, 'src', 'deep'))).toBe('host.example/team/app')
  expect(findProject(join(app, 'src')).root).toBe(app)
})

test('only the remote called origin counts, in any formatting', () => {
  using folder = temporaryFolder()
  const app = repository(folder.path, 'app')
  git(app, 'remote', 'add', 'upstream', 'https://host.example/other/app.git')
  expect(findProject(app).origin).toBeNull()
  writeFileSync(
    join(app, '.git', 'config'),
    '[core]\n\tbare = false\n[remote "origin"]\n  pushurl = no\n  url=https://host.example/team/app\n[x]\n',
  )
  expect(findProject(app).origin).toBe('https://host.example/team/app')
})

test('a work tree belongs to its repository and has its own branch', () => {
  using folder = temporaryFolder()
  const app = repository(folder.path, 'app')
  git(app, 'worktree', 'add', '-q', '-b', 'feature/x', join(folder.path, 'elsewhere'))
  const [main, tree] = [findProject(app), findProject(join(folder.path, 'elsewhere'))]
  expect(tree.root).toBe(main.root)
  expect(projectKey(tree)).toBe(projectKey(main))
  expect([main.branch, tree.branch]).toEqual(['main', 'feature/x'])
})

test.each(['.worktrees/3', '.worktrees/fix/login/src', '.claude/worktrees/swift-otter'])(
  'the work tree %s of a repository that is not here belongs to the repository',
  (path) => {
    expect(keyOf(join('/somewhere/else/app', path))).toBe(keyOf('/somewhere/else/app'))
  },
)

test('a submodule is its own project', () => {
  using folder = temporaryFolder()
  const app = repository(folder.path, 'app', 'https://host.example/team/app.git')
  const library = repository(folder.path, 'library')
  git(app, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'vendor/library')
  expect(keyOf(join(app, 'vendor', 'library'))).toBe(library.toLowerCase())
  expect(findProject(join(app, 'vendor', 'library')).root).toBe(join(app, 'vendor', 'library'))
})

test('a detached head has no branch', () => {
  using folder = temporaryFolder()
  const app = repository(folder.path, 'app')
  git(app, 'checkout', '-q', '--detach')
  expect(findProject(app).branch).toBeNull()
})

test('two repositories of the same name and without a remote are two projects', () => {
  using folder = temporaryFolder()
  const [one, two] = [repository(folder.path, 'one/api'), repository(folder.path, 'two/api')]
  expect(keyOf(one)).toMatch(/^api-[0-9a-f]{6}$/)
  expect(keyOf(one)).not.toBe(keyOf(two))
})

test('a marker applies to everything below it, the nearest one first; blank lines are skipped', () => {
  using folder = temporaryFolder()
  const app = repository(folder.path, 'work/app', 'https://host.example/team/app.git')
  const markerOf = (place: string) => findProject(place, '/home/nobody').marker
  mark(join(folder.path, 'work'), '\n\n  Customer X  \nsecond line\n')
  expect(markerOf(app)).toEqual({ text: 'Customer X', folder: join(folder.path, 'work'), isInRepository: false, confirmed: null })
  mark(app, 'own')
  expect(markerOf(app)).toEqual({ text: 'own', folder: app, isInRepository: true, confirmed: null })
  git(app, 'worktree', 'add', '-q', '../tree')
  mark(join(folder.path, 'work', 'tree'), 'own')
  expect(markerOf(join(folder.path, 'work', 'tree'))?.folder).toBe(app)
})

test('a marker in the home folder is ignored, even if the home is reached through a link', () => {
  using folder = temporaryFolder()
  const home = join(folder.path, 'home')
  const app = repository(home, 'app')
  mark(home, 'everything')
  symlinkSync(home, join(folder.path, 'link'))
  for (const userHome of [home, `${home}/`, join(folder.path, 'link')]) expect(findProject(app, userHome).marker).toBeNull()
  expect(findProject(app, folder.path).marker?.text).toBe('everything')
})

test('a marker counts after the person confirmed it in their own home', () => {
  using folder = temporaryFolder()
  const home = homePaths(environment(folder.path))
  const app = repository(folder.path, 'app', 'https://host.example/team/app.git')
  mark(app, 'Shared')
  const key = () => String(projectKey(findProject(join(app), '/home/nobody', home)))
  expect(key()).toBe('host.example/team/app')
  confirmMarker(home, app, 'shared')
  expect(key()).toBe('shared')
  mark(app, 'host.example/team/secret')
  expect(key()).toBe('host.example/team/app')
})

test('a marker that is a link, a FIFO, a folder or too long is ignored, and does not stop anybody', () => {
  using folder = temporaryFolder()
  const secret = join(folder.path, 'secret')
  writeFileSync(secret, 'swordfish')
  const places = ['link', 'linked', 'fifo', 'device', 'long'].map((name) => join(folder.path, name))
  const [link = '', linked = '', fifo = '', device = '', long = ''] = places
  for (const place of [link, fifo, device, long]) mkdirSync(join(place, '.recollect'), { recursive: true })
  symlinkSync(secret, join(link, '.recollect', 'project'))
  mkdirSync(linked)
  mkdirSync(join(folder.path, 'elsewhere'))
  writeFileSync(join(folder.path, 'elsewhere', 'project'), 'swordfish')
  symlinkSync(join(folder.path, 'elsewhere'), join(linked, '.recollect'))
  Bun.spawnSync(['mkfifo', join(fifo, '.recollect', 'project'), join(fifo, '.git')])
  symlinkSync('/dev/zero', join(device, '.recollect', 'project'))
  symlinkSync('/dev/zero', join(device, '.git'))
  writeFileSync(join(long, '.recollect', 'project'), `swordfish\n${'x'.repeat(5000)}`)
  for (const place of places) expect(findProject(place, '/home/nobody')).toMatchObject({ marker: null, origin: null })
})

test('a folder reached through a link is the folder itself', () => {
  using folder = temporaryFolder()
  const app = repository(folder.path, 'app')
  symlinkSync(app, join(folder.path, 'link'))
  expect(keyOf(join(folder.path, 'link'))).toBe(keyOf(app))
})

test('a folder that is not on this machine is identified by its path', () => {
  const gone = findProject('/no/such/place/Api', '/home/nobody')
  expect(gone).toMatchObject({ marker: null, origin: null, branch: null, root: '/no/such/place/Api' })
  expect(projectKey(gone)).toMatch(/^api-[0-9a-f]{6}$/)
  expect(keyOf('/no/such/place/Api')).not.toBe(keyOf('/another/Api'))
})

test.each([
  ['a path through a file', '/etc/hostname/below'],
  ['a name too long for any file system', `/${'x'.repeat(5000)}`],
  ['a byte that no path may contain', '/tmp/a\0b'],
  ['the root', '/'],
  ['nothing', ''],
])('%s still gives a project', (_, folder) => {
  expect(typeof keyOf(folder)).toBe('string')
})

test('broken evidence is ignored', () => {
  using folder = temporaryFolder()
  const [loop, empty, lost] = ['loop', 'empty', 'lost'].map((name) => join(folder.path, name)) as [string, string, string]
  for (const place of [loop, empty, lost]) mkdirSync(place)
  symlinkSync('.git', join(loop, '.git'))
  writeFileSync(join(empty, '.git'), '')
  writeFileSync(join(lost, '.git'), 'gitdir: /no/such/place\n')
  mkdirSync(join(lost, '.recollect', 'project'), { recursive: true })
  for (const place of [loop, empty, lost])
    expect(findProject(place)).toMatchObject({ root: place, origin: null, branch: null, marker: null })
})

const keyOf = (folder: string): string => projectKey(findProject(folder, '/home/nobody'))

function repository(parent: string, name: string, origin?: string): string {
  const path = join(parent, name)
  mkdirSync(path, { recursive: true })
  git(path, 'init', '-q', '-b', 'main')
  git(path, 'commit', '-q', '--allow-empty', '-m', 'first')
  if (origin) git(path, 'remote', 'add', 'origin', origin)
  return path
}

function git(cwd: string, ...args: string[]): void {
  const names = ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'A'],
    [`GIT_${who}_EMAIL`, 'a@host.example'],
  ])
  const env = { PATH: process.env.PATH ?? '', HOME: cwd, GIT_CONFIG_NOSYSTEM: '1', ...Object.fromEntries(names) }
  const ran = Bun.spawnSync(['git', ...args], { cwd, env })
  if (!ran.success) throw new Error(`git ${args.join(' ')}: ${ran.stderr.toString()}`)
}

function mark(folder: string, text: string): void {
  mkdirSync(join(folder, '.recollect'), { recursive: true })
  writeFileSync(join(folder, '.recollect', 'project'), text)
}
