import { expect, test } from 'bun:test'
import type { Action } from '../core/action.ts'
import { footprintOf } from './session-footprint.ts'

const did = (action: Action, error: string | null = null) => ({ action, error })

test('a session touched the files in its folder that tools used without an error, and changed those they wrote', () => {
  const { files, changed } = footprintOf(
    '/home/dev/app',
    [],
    [
      did({ kind: 'read', file: '/home/dev/app/src/a.ts' }),
      did({ kind: 'write', file: '/home/dev/app/src/b.ts', content: '', created: true, patch: [] }),
      did({ kind: 'edit', file: '/home/dev/app/src/c.ts', removed: '', added: '', patch: [] }, 'File has not been read yet'),
      did({ kind: 'read', file: '/home/dev/application/d.ts' }),
    ],
  )
  expect([[...files], [...changed]]).toEqual([['src/a.ts', 'src/b.ts'], ['src/b.ts']])
})

test('names come from changed code and prompts, not from what was only read or run', () => {
  const { names } = footprintOf(
    '/home/dev/app',
    ['why does getUser return null?'],
    [
      did({ kind: 'edit', file: '/elsewhere/x.ts', removed: 'const tokenCache = 1', added: 'const tokenStore = 1', patch: [] }),
      did({ kind: 'command', command: 'npm run buildAll', purpose: null, output: 'resolveLater', exitCode: 0 }),
    ],
  )
  expect([...names].sort()).toEqual(['getUser', 'tokenCache', 'tokenStore'])
})

test('errors come from failures and prompts, not from the text of a file', () => {
  const { errors } = footprintOf(
    '/home/dev/app',
    ['ECONNREFUSED again'],
    [
      did({ kind: 'write', file: '/home/dev/app/a.ts', content: "throw new Error('EPERM')", created: true, patch: [] }),
      did({ kind: 'command', command: 'make', purpose: null, output: 'error TS2345: no', exitCode: 2 }),
      did({ kind: 'read', file: '/home/dev/app/b.ts' }, 'ENOENT: no such file'),
    ],
  )
  expect([...errors].sort()).toEqual(['ECONNREFUSED', 'ENOENT', 'TS2345'])
})
