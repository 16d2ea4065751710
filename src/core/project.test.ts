import { expect, test } from 'bun:test'
import { asProjectKey } from './ids.ts'
import {
  normaliseRemote,
  type ProjectEvidence,
  type ProjectMarker,
  projectKey,
  projectName,
  repairedKey,
  unconfirmedMarker,
} from './project.ts'

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

test('a remote’s user, password, query and fragment do not get into the key', () => {
  for (const url of [
    'https://host.example/team/app.git?private_token=swordfish',
    'https://host.example/team/app?ref=main#readme',
    'git@host.example:team/app.git?token=swordfish',
    'https://bob:sword/fish@host.example/team/app.git',
    'https://bob:sw@rd/fi@sh@host.example/team/app.git',
  ])
    expect(normaliseRemote(url)).toBe('host.example/team/app')
  expect(normaliseRemote('https://host.example:8443/@scope/app')).toBe('host.example/@scope/app')
  expect(normaliseRemote(`https://host.example/ghp_${'a1b2'.repeat(9)}/app`)).toBe('host.example/[redacted:github-token]/app')
  expect(normaliseRemote('/srv/c#/what?')).toBe('/srv/c#/what?')
})

test('a key that was stored with a token is repaired, and no other', () => {
  expect(repairedKey(asProjectKey('host.example/team/app.git?private_token=swordfish'))).toBe(asProjectKey('host.example/team/app'))
  expect(repairedKey(asProjectKey('bob:sword/fish@host.example/team/app'))).toBe(asProjectKey('host.example/team/app'))
  for (const key of ['host.example/team/app', 'app-a1b2c3', '/srv/c#/what?', 'customer #1', 'global', 'host.example/@scope/app'])
    expect(repairedKey(asProjectKey(key))).toBeNull()
})

test('a marker counts when the person confirmed it or when it names the repository; else the remote does, and then the folder', () => {
  const origin = 'git@host.example:team/app.git'
  expect(keyOf(signs({ marker: marker(' My-Project ', { confirmed: 'my-project' }), origin }))).toBe('my-project')
  expect(keyOf(signs({ marker: marker('host.example/team/App'), origin }))).toBe('host.example/team/app')
  expect(keyOf(signs({ marker: marker('host.example/team/app/web'), origin }))).toBe('host.example/team/app/web')
  for (const text of ['my-project', 'host.example/team/other', 'host.example/team', 'host.example/team/app2', '  ', 'global'])
    expect(keyOf(signs({ marker: marker(text), origin }))).toBe('host.example/team/app')
  expect(keyOf(signs({ marker: marker('my-project', { confirmed: 'other' }) }))).toBe('app-a1b2c3')
  expect(keyOf(signs({ origin }))).toBe('host.example/team/app')
  expect(keyOf(signs({}))).toBe('app-a1b2c3')
})

test('a marker that does not count is the folder’s own unless it may have come with a clone', () => {
  const origin = 'git@host.example:team/app.git'
  expect(unconfirmedMarker(signs({ marker: marker('x'), origin }))).toMatchObject({ project: 'x', isOwn: false })
  expect(unconfirmedMarker(signs({ marker: marker('x', { isInRepository: false }), origin }))).toMatchObject({ isOwn: true })
  expect(unconfirmedMarker(signs({ marker: marker('x') }))).toMatchObject({ project: 'x', folder: '/home/dev/app', isOwn: true })
  expect(unconfirmedMarker(signs({ marker: marker('x', { confirmed: 'x' }) }))).toBeNull()
})

test('two folders of the same name are two projects, and the root of the disk is not a project', () => {
  expect(keyOf(signs({ fingerprint: '000000' }))).not.toBe(keyOf(signs({ fingerprint: '111111' })))
  expect(keyOf(signs({ root: '/' }))).toBe('global')
})

test('a long marker gives a key of limited length', () => {
  expect(keyOf(signs({ marker: marker('x'.repeat(5000), { confirmed: 'x'.repeat(200) }) }))).toHaveLength(200)
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

const marker = (text: string, given: Partial<ProjectMarker> = {}): ProjectMarker => ({
  text,
  folder: '/home/dev/app',
  isInRepository: true,
  confirmed: null,
  ...given,
})

const keyOf = (given: ProjectEvidence): string => projectKey(given)
