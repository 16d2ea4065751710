import { describe, expect, test } from 'bun:test'
import { noteText } from '../../test/support/builders.ts'
import { asNoteId, type NoteText } from '../core/note.ts'
import { parseNote, writeNote } from '../notes/notes.ts'
import { mergeBytes, mergeFiles, mergeNotes } from './merge.ts'

const note = (given: Partial<NoteText> = {}) =>
  noteText({ id: asNoteId('N1'), title: 'The port', tags: ['net'], machine: 'a', body: 'It is 8080.', ...given })

/** Merges from both sides and checks that both get the same result. */
function merged(base: NoteText | null, ours: NoteText, theirs: NoteText) {
  const here = mergeNotes(base, ours, theirs)
  expect(mergeNotes(base, theirs, ours)).toEqual(here)
  return here
}

describe('a note that changed on two machines', () => {
  test('takes each field from the side that changed it', () => {
    const base = note()
    const { note: result, kept } = merged(
      base,
      note({ title: 'Ports', updatedAt: 2000 }),
      note({ pinned: true, updatedAt: 3000, machine: 'b' }),
    )
    expect(result).toMatchObject({ title: 'Ports', pinned: true, updatedAt: 3000, machine: 'b', body: 'It is 8080.' })
    expect(kept).toBeNull()
  })

  test('takes the newer title if both changed it', () => {
    const { note: result } = merged(note(), note({ title: 'Old', updatedAt: 2000 }), note({ title: 'New', updatedAt: 3000 }))
    expect(result.title).toBe('New')
  })

  test('takes the title that was set last, even by hand, which does not change the time in the note', () => {
    const [byHand, edited] = [note({ title: 'By hand' }), note({ title: 'Edited', updatedAt: 2000, machine: 'b' })]
    const titles = (handAt: number) => [
      mergeNotes(note(), byHand, edited, { ours: handAt, theirs: 9000 }).note.title,
      mergeNotes(note(), edited, byHand, { ours: 9000, theirs: handAt }).note.title,
    ]
    expect(titles(3000)).toEqual(['By hand', 'By hand'])
    expect(titles(1500)).toEqual(['Edited', 'Edited'])
    // A sync that continues after an interruption merges its own result with the same other side again.
    const once = mergeNotes(note(), byHand, edited, { ours: 3000, theirs: 9000 }).note
    expect(once.updatedAt).toBe(3000)
    expect(mergeNotes(note(), once, edited, { ours: 9500, theirs: 9000 }).note).toEqual(once)
  })

  test('has the tags that either side added, without those that either removed', () => {
    const base = note({ tags: ['a', 'b'] })
    const { note: result } = merged(base, note({ tags: ['a', 'b', 'z'], updatedAt: 2000 }), note({ tags: ['b', 'c'], updatedAt: 3000 }))
    expect(result.tags).toEqual(['b', 'c', 'z'])
  })

  test('has its tags in the order of the only side that changed them', () => {
    const [base, ordered] = [note({ tags: ['net', 'app'] }), note({ tags: ['prod', 'net', 'app'], updatedAt: 2000 })]
    for (const other of [note({ tags: base.tags, updatedAt: 1500 }), note({ tags: base.tags, updatedAt: 3000 }), ordered])
      expect(merged(base, ordered, other).note.tags).toEqual(['prod', 'net', 'app'])
  })

  test('takes the body from the side that changed it, even if the other side is newer', () => {
    const { note: result, kept } = merged(note(), note({ body: 'It is 9090.', updatedAt: 2000 }), note({ tags: ['x'], updatedAt: 3000 }))
    expect(result).toMatchObject({ body: 'It is 9090.', tags: ['x'] })
    expect(kept).toBeNull()
  })

  test('keeps both bodies if both changed it: the newer is the note, and the other refers to it', () => {
    const [ours, theirs] = [note({ body: 'It is 1.', updatedAt: 3000 }), note({ body: 'It is 2.', updatedAt: 2000, machine: 'b' })]
    const { note: result, kept } = merged(note(), ours, theirs)
    expect(result).toMatchObject({ id: 'N1', body: 'It is 1.' })
    expect(kept).toMatchObject({ conflictOf: 'N1', body: 'It is 2.', machine: 'b' })
    expect(kept?.id).not.toBe(result.id)
  })

  test('does not change when merged with the same other side again, so an interrupted sync can be repeated', () => {
    const base = note()
    const theirs = note({ body: 'It is 2.', updatedAt: 2000, tags: ['two'] })
    const first = merged(base, note({ body: 'It is 1.', updatedAt: 3000, tags: ['net', 'one'] }), theirs)
    expect(merged(base, first.note, theirs)).toEqual(first)
  })

  test('gives the same result on both machines if both versions have the same time', () => {
    const { note: result, kept } = merged(note(), note({ body: 'one' }), note({ body: 'two' }))
    expect([result.body, kept?.body].sort()).toEqual(['one', 'two'])
  })

  test('gives the same result on both machines if a person wrote it without times and both changed it', () => {
    const byHand = (title: string) => note({ title, createdAt: 0, updatedAt: 0 })
    const { note: result } = merged(byHand('The port'), byHand('Ports'), byHand('The ports'))
    expect(['Ports', 'The ports']).toContain(result.title)
    expect(result.updatedAt).toBe(0)
  })

  test('stays if one side deleted it and the other rewrote it', () => {
    const rewritten = note({ body: 'It is 9090.', updatedAt: 2000 })
    expect(merged(note(), rewritten, note({ deletedAt: 3000, updatedAt: 3000 })).note.deletedAt).toBeNull()
    expect(merged(note(), note({ tags: [] }), note({ deletedAt: 3000, updatedAt: 3000 })).note.deletedAt).toBe(3000)
  })

  test('keeps unknown fields from both sides', () => {
    const base = note({ unknown: ['stars: 1'] })
    const ours = note({ unknown: ['stars: 1', '# mine', 'mine:', '  - x'], updatedAt: 2000 })
    const theirs = note({ unknown: ['stars: 2', 'yours: y'], updatedAt: 3000 })
    expect(merged(base, ours, theirs).note.unknown).toEqual(['stars: 2', 'yours: y', '# mine', 'mine:', '  - x'])
  })

  test('keeps an unknown field that only one side removed or changed as that side left it', () => {
    const base = note({ unknown: ['stars: 1', 'color: red', 'size: 1'] })
    const ours = note({ unknown: ['color: red', 'size: 1'], updatedAt: 2000 })
    const theirs = note({ unknown: ['stars: 1', 'color: blue', 'size: 1'], updatedAt: 3000 })
    expect(merged(base, ours, theirs).note.unknown).toEqual(['color: blue', 'size: 1'])
  })

  test('takes unknown fields from the only side that changed them, in its order', () => {
    const base = note({ unknown: ['a: 1', 'b: 2'] })
    const reordered = note({ unknown: ['b: 2', 'a: 1'], updatedAt: 2000 })
    expect(merged(base, reordered, note({ unknown: base.unknown, updatedAt: 3000 })).note.unknown).toEqual(['b: 2', 'a: 1'])
    expect(merged(base, note({ unknown: base.unknown, updatedAt: 1500 }), reordered).note.unknown).toEqual(['b: 2', 'a: 1'])
  })

  test('keeps comments at the end, and lines that belong to no field', () => {
    const base = note({ unknown: ['a: 1'] })
    const ours = note({ unknown: ['- loose', 'a: 1', '# the end'], updatedAt: 2000 })
    const theirs = note({ unknown: ['a: 2'], updatedAt: 3000 })
    expect(merged(base, ours, theirs).note.unknown.toSorted()).toEqual(['# the end', '- loose', 'a: 2'])
  })

  test('stays deleted if both deleted it, and comes back if one side restored it', () => {
    const deleted = note({ deletedAt: 1500, updatedAt: 1500 })
    expect(merged(deleted, note({ deletedAt: 1500, updatedAt: 1500, tags: ['x'] }), deleted).note.deletedAt).toBe(1500)
    expect(merged(deleted, note({ updatedAt: 2000 }), deleted).note.deletedAt).toBeNull()
    expect(merged(note(), note({ deletedAt: 2000, updatedAt: 2000 }), note({ deletedAt: 3000, updatedAt: 3000 })).note.deletedAt).toBe(3000)
  })

  test('was created when the earlier of both says', () => {
    expect(merged(null, note({ createdAt: 500, updatedAt: 2000 }), note({ createdAt: 800, updatedAt: 3000 })).note.createdAt).toBe(500)
  })

  test('was said whenever either side heard it, in order', () => {
    const { note: result } = merged(note(), note({ said: ['2026-11-02, s2:1'] }), note({ said: ['2026-11-01, s1:1'], updatedAt: 2000 }))
    expect(result.said).toEqual(['2026-11-01, s1:1', '2026-11-02, s2:1'])
  })

  test('becomes one note if both created it independently', () => {
    expect(merged(null, note({ tags: ['a'] }), note({ tags: ['b'], updatedAt: 2000 })).note.tags).toEqual(['a', 'b'])
  })
})

describe('a file that changed on two machines', () => {
  test('and is not a note is kept in both versions, with the same result on both', () => {
    const here = mergeFiles('x.md', null, 'one\n', 'two\n')
    expect(mergeFiles('x.md', null, 'two\n', 'one\n')).toEqual(here)
    expect([here.text, here.beside?.text].sort()).toEqual(['one\n', 'two\n'])
    expect(here.beside?.name).toMatch(/^x\.[0-9a-f]{8}\.md$/)
  })

  test('and is not a note is taken from the only side that changed it', () => {
    expect(mergeFiles('x.md', 'one\n', 'one\n', 'two\n')).toEqual({ text: 'two\n', beside: null })
    expect(mergeFiles('x.md', 'two\n', 'one\n', 'two\n')).toEqual({ text: 'one\n', beside: null })
    expect(mergeFiles('x.md', 'zero\n', 'one\n', 'one\n')).toEqual({ text: 'one\n', beside: null })
  })

  test('and is another note on each side is kept twice', () => {
    const [one, two] = [writeNote(note()), writeNote(note({ id: asNoteId('N2') }))]
    const { text, beside } = mergeFiles('N1.md', null, one, two)
    expect([text, beside?.text].toSorted()).toEqual([one, two].toSorted())
  })

  test('keeps its name for the version that is a note', () => {
    const whole = writeNote(note())
    const broken = 'broken by hand\n'
    for (const [ours, theirs] of [
      [broken, whole],
      [whole, broken],
    ] as const)
      expect(mergeFiles('N1.md', null, ours, theirs)).toMatchObject({ text: whole, beside: { text: broken } })
  })

  test('contains the merged note', () => {
    const [base, ours, theirs] = [note(), note({ title: 'Ports', updatedAt: 2000 }), note({ pinned: true, updatedAt: 3000 })]
    const { text, beside } = mergeFiles('N1.md', writeNote(base), writeNote(ours), writeNote(theirs))
    expect(parseNote(text)).toMatchObject({ kind: 'note', note: { title: 'Ports', pinned: true } })
    expect(beside).toBeNull()
  })

  test('and is not UTF-8 is kept byte for byte', () => {
    const strange = Uint8Array.from([...Buffer.from(writeNote(note())), 0xff, 0xfe])
    const plain = new TextEncoder().encode(`\ufeff${writeNote(note({ title: 'Other' }))}`)
    const { text, beside } = mergeBytes('N1.md', null, strange, plain)
    expect([text, beside?.text]).toEqual([plain, strange])
  })
})
