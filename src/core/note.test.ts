import { expect, test } from 'bun:test'
import { asContentSessionId } from './ids.ts'
import { asNoteId, isStatement, parsePlace } from './note.ts'
import { ulid, ulidOf } from './ulid.ts'

test('a note was taken from a conversation if its id contains no time', () => {
  const note = { id: asNoteId(ulidOf('Use tabs', 0)), session: asContentSessionId('s'), type: 'semantic' } as const
  expect(isStatement(note)).toBe(true)
  expect(isStatement({ ...note, id: asNoteId(ulid(Date.UTC(2026, 0, 31))) })).toBe(false)
  expect(isStatement({ ...note, session: null })).toBe(false)
  expect(isStatement({ ...note, type: 'episodic' })).toBe(false)
})

test('a place names a session, whose id may contain colons, and a turn', () => {
  expect(parsePlace('2026-01-31 codex:a1b2:3')).toEqual({ session: 'codex:a1b2', turn: 3 })
})
