import { expect, test } from 'bun:test'
import { edited, ran, turn } from '../../../test/golden/acts.ts'
import { codeMode } from '../../../test/support/modes.ts'
import type { Turn } from '../../core/memory.ts'
import { distillPlain } from '../plain/plain.ts'
import type { UncheckedObservation } from './distill-answer.ts'
import { groundAnswer, isReadOnlyTurn } from './evidence.ts'

const mode = codeMode()
const said = (given: Partial<UncheckedObservation> = {}): UncheckedObservation => ({
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
const kept = (of: Turn, ...observations: UncheckedObservation[]) =>
  groundAnswer({ kind: 'told', observations, summary: null }, of, mode, distillPlain(of)).observations

const fixed = turn({
  prompt: 'The login test fails. Fix it.',
  answer: 'Fixed: exp is in seconds.',
  actions: [
    ran('bun test', 'FAIL login: token is expired', 1),
    edited('src/auth.ts', 'return exp > now', 'return exp * 1000 > now'),
    ran('bun test', '12 pass\n0 fail'),
  ],
})
const looked = turn({ prompt: 'How are tokens checked?', answer: 'In src/auth.ts.', actions: [ran('cat src/auth.ts', 'return exp > now')] })

test('a file counts as changed only when the turn changed it', () => {
  const [one] = kept(fixed, said({ filesModified: ['src/auth.ts', 'src/session.ts', '/etc/passwd'] }))
  expect(one?.filesModified).toEqual(['src/auth.ts'])
})

test('a file may be named in full, from the root or by its end', () => {
  for (const name of ['/home/dev/app/src/auth.ts', './src/auth.ts', 'auth.ts', 'app/src/auth.ts'])
    expect(kept(fixed, said({ filesModified: [name] }))[0]?.filesModified).toEqual(['src/auth.ts'])
})

test('a file that was only looked at is one that was read, whatever the model says', () => {
  const [one] = kept(looked, said({ filesModified: ['src/auth.ts'] }))
  expect([one?.type, one?.filesModified, one?.filesRead]).toEqual(['discovery', [], ['src/auth.ts']])
})

test('a type that nobody knows is a discovery, and a concept that nobody knows is none', () => {
  const [one] = kept(fixed, said({ type: 'epiphany', concepts: ['gotcha', 'vibes'] }))
  expect([one?.type, one?.concepts]).toEqual(['discovery', ['gotcha']])
})

test('what was proven stays: the files that changed and the failure that passes now', () => {
  const [one] = kept(fixed, said())
  expect(one?.filesModified).toEqual(['src/auth.ts'])
  expect(one?.facts.some((fact) => fact.startsWith('`bun test` failed'))).toBe(true)
})

test('a turn that changed something keeps its plain memory when the model skips it; one that only looked does not', () => {
  const plain = distillPlain(fixed)
  expect(groundAnswer({ kind: 'skipped' }, fixed, mode, plain)).toEqual(plain)
  expect(groundAnswer({ kind: 'skipped' }, looked, mode, distillPlain(looked)).observations).toEqual([])
})

test('a summary of words that say nothing is empty', () => {
  const summary = { request: 'Fix the login', investigated: 'None.', learned: 'N/A', completed: 'Done', nextSteps: '-', notes: '' }
  expect(groundAnswer({ kind: 'told', observations: [], summary }, fixed, mode, distillPlain(fixed)).summary).toEqual({
    ...summary,
    investigated: '',
    learned: '',
    nextSteps: '',
  })
})

test('a turn that only looked is read-only', () => {
  expect([
    isReadOnlyTurn(looked),
    isReadOnlyTurn(fixed),
    isReadOnlyTurn(turn({ actions: [ran('git commit -m "Ship it"', '[main 1234567] Ship it')] })),
  ]).toEqual([true, false, false])
})
