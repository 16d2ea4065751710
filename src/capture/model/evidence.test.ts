import { expect, test } from 'bun:test'
import { edited, ran, turn } from '../../../test/golden/actions.ts'
import { codeMode } from '../../../test/support/modes.ts'
import type { Turn } from '../../core/memory.ts'
import { distillPlain } from '../plain/plain.ts'
import type { UncheckedObservation } from './distill-answer.ts'
import { groundAnswer, isReadOnlyTurn } from './evidence.ts'

const mode = codeMode()
const claim = (given: Partial<UncheckedObservation> = {}): UncheckedObservation => ({
  type: 'bugfix',
  title: 'Tokens are compared in seconds',
  subtitle: '',
  narrative: '',
  facts: [],
  concepts: [],
  filesRead: [],
  filesModified: [],
  ...given,
})
const ground = (turn: Turn, ...observations: UncheckedObservation[]) =>
  groundAnswer({ kind: 'distilled', observations, summary: null }, turn, mode, distillPlain(turn)).observations

const fixed = turn({
  prompt: 'The login test fails. Fix it.',
  answer: 'Fixed: exp is in seconds.',
  actions: [
    ran('bun test', 'FAIL login: token is expired', 1),
    edited('src/auth.ts', 'return exp > now', 'return exp * 1000 > now'),
    ran('bun test', '12 pass\n0 fail'),
  ],
})
const readOnly = turn({
  prompt: 'How are tokens checked?',
  answer: 'In src/auth.ts.',
  actions: [ran('cat src/auth.ts', 'return exp > now')],
})

test('a file counts as changed only if the turn changed it', () => {
  const [observation] = ground(fixed, claim({ filesModified: ['src/auth.ts', 'src/session.ts', '/etc/passwd'] }))
  expect(observation?.filesModified).toEqual(['src/auth.ts'])
})

test('a model may write a path absolutely, relative to the root, or only its end', () => {
  for (const name of ['/home/dev/app/src/auth.ts', './src/auth.ts', 'auth.ts', 'app/src/auth.ts'])
    expect(ground(fixed, claim({ filesModified: [name] }))[0]?.filesModified).toEqual(['src/auth.ts'])
})

test('a file that was only read counts as read, even if the model claims a change', () => {
  const [observation] = ground(readOnly, claim({ filesModified: ['src/auth.ts'] }))
  expect([observation?.type, observation?.filesModified, observation?.filesRead]).toEqual(['discovery', [], ['src/auth.ts']])
})

test('an unknown type becomes a discovery, and unknown concepts are dropped', () => {
  const [observation] = ground(fixed, claim({ type: 'epiphany', concepts: ['gotcha', 'vibes'] }))
  expect([observation?.type, observation?.concepts]).toEqual(['discovery', ['gotcha']])
})

test('proven facts are added: changed files, and failures that pass now', () => {
  const [observation] = ground(fixed, claim())
  expect(observation?.filesModified).toEqual(['src/auth.ts'])
  expect(observation?.facts.some((fact) => fact.startsWith('`bun test` failed'))).toBe(true)
})

test('a skipped turn keeps its plain observations only if it changed something', () => {
  const plain = distillPlain(fixed)
  expect(groundAnswer({ kind: 'skipped' }, fixed, mode, plain)).toEqual(plain)
  expect(groundAnswer({ kind: 'skipped' }, readOnly, mode, distillPlain(readOnly)).observations).toEqual([])
})

test('summary fields without content become empty', () => {
  const summary = { request: 'Fix the login', investigated: 'None.', learned: 'N/A', completed: 'Done', nextSteps: '-', notes: '' }
  expect(groundAnswer({ kind: 'distilled', observations: [], summary }, fixed, mode, distillPlain(fixed)).summary).toEqual({
    ...summary,
    investigated: '',
    learned: '',
    nextSteps: '',
  })
})

test('a turn without changes is read-only', () => {
  expect([
    isReadOnlyTurn(readOnly),
    isReadOnlyTurn(fixed),
    isReadOnlyTurn(turn({ actions: [ran('git commit -m "Ship it"', '[main 1234567] Ship it')] })),
  ]).toEqual([true, false, false])
})
