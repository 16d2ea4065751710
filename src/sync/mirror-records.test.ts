import { describe, expect, test } from 'bun:test'
import { note } from '../../test/support/builders.ts'
import { asNoteId } from '../core/note.ts'
import { isAbout, isTombstone, newestRecords, recordOf, tombstoneOf } from './mirror-records.ts'

const NOW = 1_000_000_000
const MINUTE = 60_000
const line = (given: Record<string, unknown> = {}) =>
  JSON.stringify({ id: 'n1', updated: 1000, deleted: null, type: 'semantic', title: 'The port', body: 'It is 8080.', ...given })
const read = (...lines: string[]) => [...newestRecords(lines, NOW).values()]

describe('the records of a mirror', () => {
  test('are the newest of each note, whatever the order of the lines', () => {
    const lines = [line(), line({ updated: 3000, body: 'It is 9090.' }), line({ updated: 2000 }), line({ id: 'n2' })]
    for (const order of [lines, lines.toReversed()])
      expect(
        read(...order)
          .map(({ id, updated }) => `${id} ${updated}`)
          .sort(),
      ).toEqual(['n1 3000', 'n2 1000'])
  })

  test('of two of the same time are the same in every clone', () => {
    const [a, b] = [line({ body: 'a' }), line({ body: 'b' })]
    expect(read(a, b)[0]?.content?.body).toBe('b')
    expect(read(b, a)[0]?.content?.body).toBe('b')
  })

  test('from a clock that is far ahead wait until then', () => {
    expect(read(line({ updated: NOW + 9 * MINUTE }))).toHaveLength(1)
    expect(read(line(), line({ updated: NOW + 11 * MINUTE }))[0]?.updated).toBe(1000)
  })

  test('without a readable id, time, type or body are ignored', () => {
    const broken = [
      '',
      '{',
      '[]',
      line({ id: '../x' }),
      line({ id: '' }),
      line({ updated: -1 }),
      line({ updated: 1.5 }),
      line({ type: 'other' }),
      line({ body: '' }),
    ]
    expect(read(...broken, 'x'.repeat(9))).toEqual([])
  })

  test('of a note that a person wrote without times are read', () => {
    expect(read(line({ updated: 0, created: 0 }))).toMatchObject([{ updated: 0, content: { created: 0, body: 'It is 8080.' } }])
  })

  test('that are longer than any note could be are not even parsed', () => {
    expect(read(line({ title: 'x'.repeat(5_000_000) }))).toEqual([])
  })

  test('keep what is readable if other fields are broken', () => {
    const [record] = read(
      line({
        author: 7,
        machine: 'x'.repeat(300),
        title: 'x'.repeat(600),
        tags: 'no',
        source: 'other',
        confidence: 2,
        supersedes: [''],
        created: 'x',
      }),
    )
    expect(record).toMatchObject({
      author: '',
      machine: '',
      content: { title: '', tags: [], source: 'import', confidence: 1, supersedes: [], created: 0 },
    })
  })

  test('of deleted notes need no content', () => {
    expect(read(line(), tombstoneOf('n1', 2000, 'here'))).toMatchObject([
      { id: 'n1', updated: 2000, deleted: 2000, machine: 'here', content: null },
    ])
  })
})

test('a note survives the way into a mirror and back', () => {
  const written = note({
    title: 'The port',
    tags: ['net'],
    body: 'It is\n8080.',
    confidence: 0.5,
    machine: 'here',
    supersedes: [asNoteId('n0')],
    createdAt: 500,
  })
  const [record] = read(recordOf(written, 'ana'))
  expect(record).toMatchObject({ id: written.id, updated: written.updatedAt, deleted: null, machine: 'here', author: 'ana' })
  expect(record?.content).toEqual({
    type: 'semantic',
    title: 'The port',
    tags: ['net'],
    source: 'human',
    confidence: 0.5,
    supersedes: ['n0'],
    created: 500,
    body: 'It is\n8080.',
  })
})

test('a line shows without parsing which note it is about, and whether it is a deletion', () => {
  const [version, deletion] = [recordOf(note({ id: asNoteId('n1') }), 'ana'), tombstoneOf('n1', 2000, 'here')]
  expect([isAbout(version, ['n0', 'n1']), isAbout(deletion, ['n1']), isAbout(version, ['n']), isAbout(version, [])]).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect([isTombstone(version), isTombstone(deletion)]).toEqual([false, true])
})
