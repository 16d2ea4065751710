import { expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { aMachine, aRemote, runGit } from '../../test/support/machines.ts'
import { gitErrorLine, openRepository, type Repository } from './git.ts'
import { fetchFrom, lastSeenCommit, seenRef, whyRemoteUnusable, withoutCredentials } from './remote.ts'

test.each(['/srv/notes.git', 'https://host.example/me/notes.git', 'git@host.example:me/notes.git', 'file:///srv/notes', 'C:\\notes'])(
  '%s can be a remote',
  (address) => expect(whyRemoteUnusable(address)).toBeNull(),
)

test.each([
  ['--upload-pack=touch x', 'is not the address of a git repository'],
  ['  -x', 'is not the address of a git repository'],
  ['ext::sh -c id', 'would run a program'],
  ['  fd::3', 'would run a program'],
  ['a\nb', 'control characters'],
])('%p cannot be a remote: git would take it for something else', (address, reason) => {
  expect(whyRemoteUnusable(address)).toContain(reason)
})

test('an address is shown without its user name and password', () => {
  expect(withoutCredentials('https://me:secret@host.example/notes')).toBe('https://host.example/notes')
  expect(withoutCredentials('ssh://me@host.example/notes')).toBe('ssh://host.example/notes')
  expect(withoutCredentials('https://host.example/a@b')).toBe('https://host.example/a@b')
  expect(withoutCredentials('/srv/me@home')).toBe('/srv/me@home')
})

test('a fetch tells an empty remote from one with notes, and remembers what it had', async () => {
  using remote = aRemote()
  using a = await aMachine('a', remote.path)
  using home = temporaryFolder()
  const repository = (await openRepository(home.path, 'b', 0)) as Repository
  expect(await fetchFrom(repository, remote.path, false)).toEqual({ kind: 'empty' })
  expect(await lastSeenCommit(repository, remote.path)).toBeNull()
  await a.note('The port is 8080.')
  await a.sync()
  const commit = runGit(remote.path, 'rev-parse', 'main').trim()
  expect(await fetchFrom(repository, remote.path, false)).toEqual({ kind: 'fetched', commit })
  expect(await lastSeenCommit(repository, remote.path)).toBe(commit)
  // Somebody deleted the notes on the server.
  runGit(remote.path, 'update-ref', '-d', 'refs/heads/main')
  expect(await fetchFrom(repository, remote.path, true)).toEqual({ kind: 'empty' })
  rmSync(remote.path, { recursive: true })
  expect(await fetchFrom(repository, remote.path, true)).toMatchObject({ kind: 'offline' })
})

test('a repository with only the files that a hosting service puts into a new one can be a remote', async () => {
  using remote = aRemote()
  using created = temporaryFolder()
  runGit(created.path, 'init', '--quiet', '-b', 'main')
  for (const name of ['LICENSE', '.gitignore', 'README.md']) writeFileSync(join(created.path, name), 'x\n')
  runGit(created.path, 'add', '.')
  runGit(created.path, 'commit', '--quiet', '-m', 'Initial commit')
  runGit(created.path, 'push', '--quiet', remote.path, 'main')
  using a = await aMachine('a', remote.path)
  const id = await a.note('A note.')
  expect(await a.sync()).toMatchObject({ outcome: 'synced', pushed: true })
  const names = runGit(remote.path, 'ls-tree', '-r', '--name-only', 'main').trim().split('\n')
  expect(names.toSorted()).toEqual(['.gitignore', 'LICENSE', 'README.md', `app/${id}.md`].sort())
})

test('each address has a ref of its own', () => {
  expect(seenRef('/srv/a')).toBe(seenRef('/srv/a'))
  expect(seenRef('/srv/a')).not.toBe(seenRef('/srv/b'))
})

test.each([
  ['ssh: Could not resolve host host.example\nfatal: Could not read from remote repository.\n', 'ssh: Could not resolve host host.example'],
  ['hint: try again\nfatal: bad object\nand more\n', 'fatal: bad object'],
  [
    'To origin\n ! [remote rejected] main -> main (hook declined)\nerror: failed to push some refs\n',
    '! [remote rejected] main -> main (hook declined)',
  ],
  ['something\nodd\n\n', 'odd'],
  [' \n', 'git gave no reason'],
])('of git’s output %p the line %p says most', (stderr, line) => {
  expect(gitErrorLine(stderr)).toBe(line)
})
