import { expect, test } from 'bun:test'
import { asNoteId, type NoteText } from '../core/note.ts'
import { parseNote, writeNote } from './format.ts'

const minimal = '---\nid: a-note\ntype: semantic\ntitle: Ports\n---\nThe worker listens on 37777.\n'

test('a note needs only an id, a type and a title', () => {
  const parsed = parseNote(minimal)
  expect(parsed).toMatchObject({
    kind: 'note',
    note: { id: 'a-note', title: 'Ports', body: 'The worker listens on 37777.', namespace: 'context' },
  })
})

test('a written note is read back as the same note, and written again as the same bytes', () => {
  for (let seed = 1; seed <= 2000; seed++) {
    const note = anyNote(chanceFrom(seed))
    const text = writeNote(note)
    const parsed = parseNote(text)
    if (parsed.kind !== 'note') throw new Error(`seed ${seed}: ${parsed.reason}\n${text}`)
    expect(parsed.note).toEqual(note)
    expect(writeNote(parsed.note)).toBe(text)
  }
})

test('unknown fields are kept unchanged, with their indented lines', () => {
  const theirs = ['aliases:', '  - one', '  - "two: 2"', '# why', 'rating: 5', 'nested: {a: [1, 2]}']
  const text = minimal.replace('title: Ports', ['title: Ports', ...theirs].join('\n'))
  const parsed = parseNote(text)
  if (parsed.kind !== 'note') throw new Error(parsed.reason)
  expect(parsed.note.unknown).toEqual(theirs)
  expect(writeNote(parsed.note)).toContain(`\n${theirs.join('\n')}\n---\n`)
})

test('lines passed as unknown cannot set known fields or end the front matter', () => {
  const parsed = parseNote(minimal)
  if (parsed.kind !== 'note') throw new Error(parsed.reason)
  const again = parseNote(writeNote({ ...parsed.note, unknown: ['theirs: 1', 'id: HIJACK', '---', 'pinned: true'] }))
  expect(again).toMatchObject({ kind: 'note', note: { id: 'a-note', pinned: false, unknown: ['theirs: 1'] } })
})

test('hand-written variants are accepted: CRLF, dates without time, one tag as a word, numbers as titles', () => {
  const parsed = parseNote(
    '\ufeff---\r\nid: x\r\ntype: procedural\r\ntitle: 42\r\ntags: deploy\r\ncreated: 2026-03-01\r\n---\r\n\r\nline one\r\nline two\r\n',
  )
  expect(parsed).toMatchObject({
    kind: 'note',
    note: { title: '42', tags: ['deploy'], createdAt: Date.UTC(2026, 2, 1), updatedAt: Date.UTC(2026, 2, 1), body: 'line one\nline two' },
  })
})

test.each([
  ['no front matter', '# Just text', 'does not start with front matter'],
  ['unclosed front matter', '---\nid: x\ntype: semantic\n', 'does not start with front matter'],
  ['no title', '---\nid: x\ntype: semantic\n---\n', 'title'],
  ['an unknown type', '---\nid: x\ntype: thought\ntitle: T\n---\n', 'type'],
  ['an id that is a path', '---\nid: ../../etc/passwd\ntype: semantic\ntitle: T\n---\n', 'id'],
  ['broken YAML', '---\nid: [x\ntype: "semantic\n---\n', 'not valid YAML'],
  ['a list instead of fields', '---\n- a\n- b\n---\n', 'front matter'],
  ['a confidence out of bounds', '---\nid: x\ntype: semantic\ntitle: T\nconfidence: 7\n---\n', 'confidence'],
  ['an invalid date', '---\nid: x\ntype: semantic\ntitle: T\ncreated: someday\n---\n', 'not a date'],
  ['an unfinished merge', '<<<<<<< HEAD\n---\nid: x\n', 'does not start with front matter'],
  ['a huge file', `---\nid: x\ntype: semantic\ntitle: T\n---\n${'x'.repeat(300_000)}`, 'larger'],
])('%s is reported as malformed', (_, text, reason) => {
  const parsed = parseNote(text)
  expect(parsed.kind).toBe('malformed')
  if (parsed.kind === 'malformed') expect(parsed.reason).toContain(reason)
})

test('no text makes the parser throw', () => {
  for (let seed = 1; seed <= 500; seed++) {
    const chance = chanceFrom(seed)
    parseNote(`---\n${anyText(chance, 80)}\n---\n${anyText(chance, 80)}`)
    parseNote(anyText(chance, 200))
  }
})

type Chance = () => number

function chanceFrom(seed: number): Chance {
  let state = seed * 2654435761
  return () => {
    state = (state ^ (state << 13)) >>> 0
    state = (state ^ (state >>> 17)) >>> 0
    state = (state ^ (state << 5)) >>> 0
    return state / 2 ** 32
  }
}

const LETTERS = [
  ...'abcXYZ 019:#-"\'[]{},&*!|>%@`~?/\\\t\n. éß中🙂\u2028\u0085\u007f',
  '---',
  'true',
  'null',
  '0x1',
  '\n---\n',
  '1e3',
  '2026-01-01',
]

function anyText(chance: Chance, length: number): string {
  return Array.from({ length: Math.floor(chance() * length) }, () => LETTERS[Math.floor(chance() * LETTERS.length)]).join('')
}

function anyNote(chance: Chance): NoteText {
  const maybe = <T>(value: T) => (chance() < 0.5 ? value : null)
  const word = () => anyText(chance, 12).trim() || 'x'
  const moment = () => Math.floor(chance() * 2e12)
  return {
    id: asNoteId(`n-${Math.floor(chance() * 1e9)}`),
    type: (['procedural', 'semantic', 'episodic'] as const)[Math.floor(chance() * 3)] ?? 'semantic',
    title: `${word()}${anyText(chance, 20)}`.trim(),
    namespace: 'decisions',
    tags: [...new Set(Array.from({ length: Math.floor(chance() * 4) }, word))],
    createdAt: moment(),
    updatedAt: moment(),
    machine: chance() < 0.5 ? word() : '',
    source: 'human',
    session: maybe(word()),
    model: maybe(word()),
    confidence: Math.round(chance() * 100) / 100,
    supersedes: chance() < 0.5 ? [asNoteId('older-1'), asNoteId('01ARZ3NDEKTSV4RRFFQ69G5FAV')] : [],
    author: maybe(word()),
    conflictOf: maybe(asNoteId('other')),
    state: maybe('proposed' as const) ?? 'accepted',
    said: maybe(['2026-01-31 s1:3']) ?? [],
    pinned: chance() < 0.5,
    expiresAt: maybe(moment()),
    deletedAt: maybe(moment()),
    body: anyText(chance, 200),
    unknown: chance() < 0.3 ? ['theirs:', '  - one'] : [],
  }
}
