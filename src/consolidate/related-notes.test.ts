import { expect, test } from 'bun:test'
import { note as aNote } from '../../test/support/builders.ts'
import { asNoteId, type Note } from '../core/note.ts'
import { groupRelatedNotes } from './related-notes.ts'

const note = (id: string, body: string, given: Partial<Note> = {}) => aNote({ id: asNoteId(id), title: id, body, ...given })
const noNeighbours = async () => new Set<string>()
const ids = async (notes: Note[], nearest: (one: Note) => Promise<Set<string>> = noNeighbours) =>
  (await groupRelatedNotes(notes, nearest)).map((group) => group.map(({ id }) => id as string))

const a = note('A', 'The queue in `src/queue.ts` waits as `backoffMs` says.')
const b = note('B', '`backoffMs` of `src/queue.ts` doubles each time.')

test('notes that name the same things are grouped', async () => {
  expect(await ids([a, b, note('C', 'The viewer has a dark theme.')])).toEqual([['A', 'B']])
})

test('one shared name is not enough, unless each is also nearest to the other in meaning', async () => {
  const c = note('C', 'Whoever edits `src/queue.ts` runs the tests.')
  expect(await ids([a, c])).toEqual([])
  expect(await ids([a, c], async ({ id }) => new Set([id === 'A' ? 'C' : 'A']))).toEqual([['A', 'C']])
  expect(await ids([a, c], async ({ id }) => new Set(id === 'A' ? ['C'] : []))).toEqual([])
})

test('names that occur in many notes do not relate them', async () => {
  const word = (index: number, end: string) => 'abcdefghijkl'[index]?.repeat(5) + end
  const many = Array.from({ length: 12 }, (_, i) =>
    note(`M${i}`, `${word(i, 'x')} \`src/main.ts\` ${word(i, 'y')} \`startAll\` ${word(i, 'z')}.`),
  )
  expect(await ids(many)).toEqual([])
})

test.each([
  ['another namespace', { namespace: 'decisions' }],
  ['another scope', { scope: 'local' as const }],
  ['a pinned note', { pinned: true }],
  ['a session', { type: 'episodic' as const }],
  ['a conflicting version', { conflictOf: asNoteId('A') }],
])('%s is left out', async (_, given) => {
  expect(await ids([a, { ...b, ...given }])).toEqual([])
})

test('groups have a maximum size', async () => {
  const many = Array.from({ length: 8 }, (_, index) =>
    note(`M${index}`, `\`src/a.ts\` has \`alpha\` and \`beta${index}\`; \`gammaDelta\` too.`),
  )
  expect((await ids(many)).map((group) => group.length)).toEqual([6, 2])
  const long = ['L1', 'L2', 'L3'].map((id) => note(id, `\`src/a.ts\` \`alphaBeta\` ${'word '.repeat(1000)}`))
  expect((await ids(long)).map((group) => group.length)).toEqual([])
})
