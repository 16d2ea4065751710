import { expect, test } from 'bun:test'
import { environment } from '../../test/support/builders.ts'
import { homePaths } from './paths.ts'

test('all paths are in one folder', () => {
  const home = homePaths(environment('/home/dev'))
  expect(home.folder).toBe('/home/dev/.recollect')
  for (const path of Object.values(home)) expect(path).toStartWith(home.folder)
})

test('for a home with a long path, the socket is in the person’s own folder with a short path', () => {
  const deep = `/home/dev/${'deep/'.repeat(30)}`
  const { socket, token } = homePaths(environment(deep, { temporaryFolder: '/tmp', uid: 1000 }))
  expect(socket).toMatch(/^\/tmp\/recollect-1000\/[0-9a-f]{16}\.sock$/)
  expect(token).toStartWith(deep)
  expect(homePaths(environment(`${deep}other/`, { temporaryFolder: '/tmp', uid: 1000 })).socket).not.toBe(socket)
  expect(homePaths(environment(deep, { runtimeFolder: '/run/user/1000', uid: 1000 })).socket).toStartWith('/run/user/1000/')
})

test('the limit of a socket’s path is in bytes', () => {
  expect(homePaths(environment(`/home/${'é'.repeat(45)}`, { temporaryFolder: '/tmp' })).socket).toStartWith('/tmp/')
})
