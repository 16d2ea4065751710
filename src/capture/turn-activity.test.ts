import { expect, test } from 'bun:test'
import type { Action, PerformedAction } from '../core/action.ts'
import { activityText } from './turn-activity.ts'

test('activity includes edits and commands, but not reads and searches', () => {
  const activity = activityText([
    done({ kind: 'edit', file: '/app/src/cache.ts', removed: 'return old', added: 'return fresh', patch: [] }),
    done({ kind: 'write', file: '/app/notes.md', content: 'Tides', created: true, patch: [] }),
    done({ kind: 'command', command: 'git push --force-with-lease', purpose: 'Push the branch', output: 'rejected', exitCode: 1 }),
    done({ kind: 'delegate', task: 'Find all callers', agentType: null, answer: 'Three of them' }),
    done({ kind: 'plan', text: '# Warm the cache' }),
    done({ kind: 'read', file: '/app/src/heron.ts' }),
    done({ kind: 'search', pattern: 'pelican', where: null }),
  ])
  expect(activity.split('\n')).toEqual([
    'cache.ts return fresh return old',
    'notes.md Tides',
    'Push the branch git push --force-with-lease',
    'Find all callers',
    '# Warm the cache',
  ])
})

test('repeated actions are included once, and interrupted ones are left out', () => {
  const test: Action = { kind: 'command', command: 'bun test', purpose: null, output: '', exitCode: 0 }
  expect(activityText([done(test), done(test), { ...done({ ...test, command: 'rm -r build' }), interrupted: true }]).trim()).toBe(
    'bun test',
  )
})

test('a huge file leaves room for the other actions of the turn', () => {
  const long = 'wide 🌊 '.repeat(10_000)
  const activity = activityText([
    done({ kind: 'write', file: '/app/large.txt', content: long, created: true, patch: [] }),
    done({ kind: 'command', command: 'make check', purpose: null, output: '', exitCode: 0 }),
    ...Array.from({ length: 500 }, (_, n) => done({ kind: 'edit', file: `/app/${n}.ts`, removed: '', added: long, patch: [] })),
  ])
  expect(activity).toContain('make check')
  expect(activity.length).toBeLessThanOrEqual(24_000)
  expect(activity.isWellFormed()).toBe(true)
})

function done(action: Action): PerformedAction {
  return { id: 'u', tool: 'Tool', at: 1, failed: false, error: null, interrupted: false, agentId: null, action }
}
