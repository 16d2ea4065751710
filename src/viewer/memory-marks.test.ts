import { afterEach, describe, expect, test } from 'bun:test'
import { note } from '../../test/support/builders.ts'
import { asNoteId } from '../core/note.ts'
import type { WorkOutcome } from '../core/work-outcome.ts'
import type { SearchHit } from '../wire/contract/memories.ts'
import type { FullNote } from '../wire/contract/notes.ts'
import type { MarkText } from './marks.tsx'
import { codeMark, markOfUsage, marksOfHit, marksOfNote, marksOfStatement, replacedMark, undoneMark } from './memory-marks.ts'
import { projects } from './project-list.ts'

const words = (marks: (MarkText | null)[]) => marks.flatMap((mark) => mark?.words ?? [])
const fullNote = (given: Partial<FullNote> = {}): FullNote => ({ ...note(), urn: '', supersededBy: [], ...given })
const outcome = (given: Partial<WorkOutcome>): WorkOutcome => ({ id: 'P9', text: 'Done.', of: 'this work', replaced: null, ...given })

afterEach(() => {
  projects.value = []
})

describe('the page of a note says', () => {
  test('nothing about an ordinary one', () => {
    expect(words(marksOfNote(fullNote()))).toEqual([])
  })

  test('that it is pinned, proposed, or not of one project', () => {
    expect(words(marksOfNote(fullNote({ pinned: true, state: 'proposed', scope: 'local' })))).toEqual(['pinned', 'proposed', 'local'])
  })

  test('that a newer one replaced it, with a link', () => {
    const marks = marksOfNote(fullNote({ supersededBy: ['01ARZ3NDEKTSV4RRFFQ69G5FA2'] }))
    expect(marks.find((mark) => mark?.kind === 'replaced')?.href).toBe('/memory/N01ARZ3NDEKTSV4RRFFQ69G5FA2')
  })
})

describe('the marks of a rule or decision say', () => {
  test('which project it applies to, and how often it was said', () => {
    expect(words(marksOfStatement(fullNote({ said: ['2026-11-01 s1 1'] }), null))).toEqual(['app'])
    const twice = fullNote({ scope: 'global', said: ['2026-11-01 s1 1', '2026-11-02 s2 3'], tags: ['agent'] })
    expect(words(marksOfStatement(twice, null))).toEqual(['every project', 'said 2 times', 'by the agent'])
  })

  test('that it was rejected; otherwise, that a newer one replaced it', () => {
    const newer = asNoteId('01ARZ3NDEKTSV4RRFFQ69G5FA2')
    expect(words(marksOfStatement(fullNote({ deletedAt: 5 }), newer))).toEqual(['rejected', 'app'])
    expect(words(marksOfStatement(fullNote(), newer))).toEqual(['replaced by a newer one', 'app'])
  })
})

describe('a hit is marked', () => {
  const marked = (given: Partial<SearchHit>) => words(marksOfHit({ outcome: null, signals: {}, ...given } as SearchHit))

  test('if newer work replaced it, or one of its values, or if it replaced older work', () => {
    expect(marked({ outcome: outcome({ of: 'newer work' }) })).toEqual(['replaced by P9'])
    expect(marked({ outcome: outcome({ of: 'newer value' }) })).toEqual(['a value changed in P9'])
    expect(marked({ outcome: outcome({ of: 'this turn', replaced: 'P3' }) })).toEqual(['replaced P3'])
  })

  test('if it ranks lower because it was replaced, though not by whom; not if it ranks higher', () => {
    expect(marked({ signals: { replaced: -0.5 } })).toEqual(['replaced'])
    expect(marked({ signals: { replaced: 0.5 } })).toEqual([])
    expect(marked({ outcome: outcome({}) })).toEqual([])
  })
})

test('a memory links to what replaced or undid it', () => {
  expect(replacedMark(outcome({ of: 'newer work' }))).toMatchObject({ words: 'replaced by P9', href: '/memory/P9' })
  expect([replacedMark(outcome({})), replacedMark(null), undoneMark(undefined)]).toEqual([null, null, null])
  expect(undoneMark('P7')).toMatchObject({ kind: 'undone', words: 'undone by P7', href: '/memory/P7' })
})

test('a memory of code that is gone is marked as history', () => {
  const code = { state: 'changed' as const, text: 'changed since: `localTime`', isHistory: false, gone: [] }
  expect(codeMark(null)).toBeNull()
  expect(codeMark(code)?.words).toBe('changed since: `localTime`')
  expect(codeMark({ ...code, isHistory: true })?.words).toStartWith('history: ')
})

test('how much of a brief was used is stated only with enough evidence', () => {
  const usage = { counted: 12, used: 3, doubt: null }
  const said = (given: object) => markOfUsage({ ...usage, ...given } as Parameters<typeof markOfUsage>[0])
  expect(said({})).toEqual({ kind: 'used', words: '3 of 12 lines used later' })
  expect(said({ used: 0, counted: 1 })).toEqual({ kind: 'unused', words: '0 of 1 line used later' })
  expect(said({ doubt: 'too few sessions' })).toEqual({ kind: 'unused', words: 'too few sessions to tell' })
  expect(said({ doubt: 'too early' })).toEqual({ kind: 'unused', words: 'too early to tell' })
})
