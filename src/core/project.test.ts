import { expect, test } from 'bun:test'
import { asProjectKey } from './ids.ts'
import { normaliseRemote, type ProjectEvidence, projectKey, projectName } from './project.ts'

test.each([
  'git@host.example:Team/App.git',
  'host.example:team/app.git',
  'ssh://git@host.example/team/app',
  'ssh://git@host.example:2222/team/app.git',
  'https://host.example/team/app',
  'https://host.example:8443/team/app.git/',
  'https://user@host.example/team/app.git',
  'https://user:pw@host.example/team/app.git',
  'https://user:p@ss@host.example/team/app.git',
  'git://host.example//team//app.git',
  '  https://host.example/team/app.git\n',
])('%s is the one project host.example/team/app', (url) => {
  expect(normaliseRemote(url)).toBe('host.example/team/app')
})

test('a remote on this machine is identified by its path, with or without a scheme', () => {
  expect(normaliseRemote('/srv/git/app.git')).toBe('/srv/git/app')
  expect(normaliseRemote('file:///srv/git/app.git')).toBe('/srv/git/app')
})

test('a number after the host is a team in the short form and a port in an address', () => {
  expect(normaliseRemote('git@host.example:42/app.git')).toBe('host.example/42/app')
  expect(normaliseRemote('ssh://git@host.example:42/app.git')).toBe('host.example/app')
})

test.each(['', '   ', 'https://', 'origin', '../app.git', './app'])('"%s" does not identify a project', (url) => {
  expect(normaliseRemote(url)).toBeNull()
})

test('a marker overrides the remote, and the remote the folder', () => {
  const all = signs({ marker: ' My-Project ', origin: 'git@host.example:team/app.git' })
  expect(keyOf(all)).toBe('my-project')
  expect(keyOf({ ...all, marker: null })).toBe('host.example/team/app')
  expect(keyOf({ ...all, marker: '  ' })).toBe('host.example/team/app')
  expect(keyOf({ ...all, marker: null, origin: null })).toBe('app-a1b2c3')
})

test('two folders of the same name are two projects, and the root of the disk is not a project', () => {
  expect(keyOf(signs({ fingerprint: '000000' }))).not.toBe(keyOf(signs({ fingerprint: '111111' })))
  expect(keyOf(signs({ root: '/' }))).toBe('global')
})

test('a long marker gives a key of limited length', () => {
  expect(keyOf(signs({ marker: 'x'.repeat(5000) }))).toHaveLength(200)
})

test('the short name of a project is its last part, without the fingerprint', () => {
  expect(projectName(asProjectKey('host.example/team/app'))).toBe('app')
  expect(projectName(asProjectKey('app-a1b2c3'))).toBe('app')
  expect(projectName(asProjectKey('global'))).toBe('global')
})

test('the end of a repository’s name is not taken for a fingerprint', () => {
  expect(projectName(asProjectKey('host.example/team/ui-facade'))).toBe('ui-facade')
})

function signs(given: Partial<ProjectEvidence>): ProjectEvidence {
  return { marker: null, origin: null, root: '/home/dev/App', fingerprint: 'a1b2c3', ...given }
}

const keyOf = (given: ProjectEvidence): string => projectKey(given)
