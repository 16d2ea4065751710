import { describe, expect, test } from 'bun:test'
import { observation } from '../../test/support/builders.ts'
import { draftFromObservation, emptyDraft, isSameText, noteSteps } from './note-text.ts'

test('a new note belongs to the project of the page, or to all', () => {
  expect([emptyDraft('app').scope, emptyDraft('').scope]).toEqual(['project', 'global'])
})

test('a note from an observation starts with its text and facts, as a decision or a lesson', () => {
  const given = observation({ title: 'Masked keys', narrative: 'By suffix.', facts: ['email stays', 'tokens go'] })
  expect(draftFromObservation(given)).toMatchObject({
    title: 'Masked keys',
    body: 'By suffix.\n- email stays\n- tokens go',
    namespace: 'learnings',
    scope: 'project',
  })
  expect(draftFromObservation({ ...given, narrative: '' }).body).toBe('- email stays\n- tokens go')
  expect(draftFromObservation({ ...given, narrative: '', facts: [], type: 'decision' })).toMatchObject({ body: '', namespace: 'decisions' })
})

test('a text that is only its title is not shown twice, however its lines are broken', () => {
  expect(isSameText('Use tabs,\n  not spaces.\n', 'Use tabs, not spaces.')).toBe(true)
  expect(isSameText('Use tabs, not spaces. Always.', 'Use tabs, not spaces.')).toBe(false)
})

describe('the history of a note', () => {
  const now = { title: 'Now', body: 'third' }
  const version = (body: string, at: number) => ({ title: 'Then', body, at })

  test('compares each version with the one that followed it', () => {
    const steps = noteSteps(now, { versions: [version('second', 20), version('first', 10)], older: [] })
    expect(steps.map(({ at, before, after }) => [at, before.body, after.body])).toEqual([
      [20, 'second', 'third'],
      [10, 'first', 'second'],
    ])
  })

  test('compares a note that it superseded with its first version', () => {
    const older = [{ id: 'N1', ...version('another', 5) }]
    const bodies = (versions: ReturnType<typeof version>[]) =>
      noteSteps(now, { versions, older }).flatMap(({ id, before, after }) => (id ? [[id, before.body, after.body]] : []))
    expect(bodies([version('second', 20), version('first', 10)])).toEqual([['N1', 'another', 'first']])
    expect(bodies([])).toEqual([['N1', 'another', 'third']])
  })
})
