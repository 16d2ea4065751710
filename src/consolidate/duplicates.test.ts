import { expect, test } from 'bun:test'
import { note as aNote } from '../../test/support/builders.ts'
import { processorTime } from '../../test/support/growth.ts'
import { asProjectKey } from '../core/ids.ts'
import { asNoteId, type Note } from '../core/note.ts'
import { areNear, shingles } from '../notes/notes.ts'
import { findDuplicates } from './duplicates.ts'

let count = 0
const note = (body: string, given: Partial<Note> = {}) => aNote({ id: asNoteId(`N${++count}`), title: 'T', body, ...given })

/** The bodies that stay and the bodies that are folded. */
const outcome = async (notes: Note[]) =>
  (await findDuplicates(notes)).map(({ how, change }) => {
    if (change.kind !== 'keep-one') throw new Error('folding duplicates creates no notes')
    const body = (id: string) => notes.find((one) => one.id === id)?.body
    return { how, keep: body(change.keep), goes: change.supersedes.map(body), tags: change.tags }
  })

const LONG = 'The worker writes to the database alone, because two writers would wait for each other under load'

test('notes with the same words are folded; the newest stays and gets all tags', async () => {
  const notes = [
    note('Use Bun, not Node.', { updatedAt: 1, tags: ['a'] }),
    note('use bun -- not node', { updatedAt: 3, tags: ['b'] }),
    note('Use  Bun\nnot Node', { updatedAt: 2, tags: ['a', 'c'] }),
  ]
  expect(await outcome(notes)).toEqual([
    { how: 'same', keep: 'use bun -- not node', goes: ['Use  Bun\nnot Node', 'Use Bun, not Node.'], tags: ['b', 'a', 'c'] },
  ])
})

test('a pinned note is preferred over a more confident one, and that over a newer one', async () => {
  const [pinned, surer, newer] = [
    note('Same.', { pinned: true, confidence: 0.1 }),
    note('same', { confidence: 0.9 }),
    note('SAME', { confidence: 0.5, updatedAt: 9000 }),
  ]
  expect((await outcome([newer, surer, pinned].flatMap((one) => one ?? [])))[0]).toMatchObject({ keep: 'Same.', goes: ['same', 'SAME'] })
  expect((await outcome([newer, surer].flatMap((one) => one ?? [])))[0]).toMatchObject({ keep: 'same' })
})

test('a pinned note is never folded into another', async () => {
  expect(await outcome([note('Same', { pinned: true, updatedAt: 1 }), note('same', { pinned: true, updatedAt: 2 })])).toEqual([])
  expect(await outcome([note(LONG, { pinned: true }), note(`${LONG}, they say`, { updatedAt: 9000 })])).toEqual([])
})

test('notes with nearly the same words are folded into the one that contains everything', async () => {
  const [short, long] = [LONG, `${LONG} and that is slow`]
  expect(await outcome([note(short, { updatedAt: 9 }), note(long, { updatedAt: 1 })])).toEqual([
    { how: 'near', keep: long, goes: [short], tags: [] },
  ])
})

test.each([
  ['a number', LONG.replace('two writers', '2 writers'), LONG.replace('two writers', '3 writers')],
  ['a word', LONG, LONG.replace('database', 'logfile')],
  ['a negation', LONG, LONG.replace('would wait', 'would not wait')],
  ['one of few words', 'Port is the usual one here', 'Port is the usual one there'],
  ['punctuation only', '---', '***'],
])('notes that differ in %s are not folded', async (_, one, other) => {
  expect(await outcome([note(one), note(other)])).toEqual([])
})

test('notes of different projects, scopes, types or namespaces are not folded', async () => {
  const at = (given: Partial<Note>) => note(LONG, given)
  expect(await outcome([at({}), at({ project: asProjectKey('shop') })])).toEqual([])
  expect(await outcome([at({}), at({ scope: 'local' })])).toEqual([])
  expect(await outcome([at({}), at({ type: 'episodic' })])).toEqual([])
  expect(await outcome([at({}), at({ conflictOf: asNoteId('X') })])).toEqual([])
  expect(await outcome([at({}), note(`${LONG} for long`, { namespace: 'decisions' })])).toEqual([])
})

test('every folded note is near the note that stays', async () => {
  const words = Array.from({ length: 40 }, (_, index) => `${'abcdefghijklmnopqrst'[index % 20]}word${index < 20 ? 'x' : 'y'}`)
  const notes = [40, 30, 22, 16].map((length) => note(words.slice(0, length).join(' ')))
  const groups = await outcome(notes)
  expect(groups.length).toBeGreaterThan(0)
  for (const { keep, goes } of groups) for (const gone of goes) expect(areNear(shingles(keep ?? ''), shingles(gone ?? ''))).toBe(true)
  expect(groups.flatMap(({ goes }) => goes).length).toBeLessThan(3)
})

test('exact copies of a note that is near another join its group', async () => {
  const long = `${LONG} and that is slow`
  const groups = await outcome([note(LONG), note(LONG.toUpperCase()), note(long)])
  expect(groups).toHaveLength(1)
  expect(groups[0]).toMatchObject({ how: 'near', keep: long })
  expect(groups[0]?.goes).toHaveLength(2)
})

test('thousands of notes take seconds at most', async () => {
  const notes = Array.from({ length: 4000 }, (_, index) => note(`${LONG} in case number ${index % 2000} of the list of ${index % 2000}`))
  const used = processorTime()
  expect(await findDuplicates(notes)).toHaveLength(2000)
  expect(used()).toBeLessThan(5000)
})
