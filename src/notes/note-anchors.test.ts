import { expect, test } from 'bun:test'
import type { Anchor } from '../core/anchor.ts'
import { asNoteId } from '../core/note.ts'
import { parseNote, writeNote } from './format.ts'
import { anchorsOfNote, verificationOfNote, withAnchors, withVerification } from './note-anchors.ts'

const anchor: Anchor = {
  path: 'src/a "b".ts',
  name: 'Reader › next: #1',
  signature: '0123456789abcdef',
  sketch: 'AAAA',
  header: '01234567',
  commit: 'a'.repeat(40),
  branch: 'feature/x',
}

const note = (unknown: string[] = []) => {
  const parsed = parseNote(`---\nid: 01K9ZQ5V8R6M3T0C2B7XWYH4JD\ntype: semantic\ntitle: T\n---\n\nBody\n`)
  if (parsed.kind !== 'note') throw new Error(parsed.reason)
  return { ...parsed.note, id: asNoteId('01K9ZQ5V8R6M3T0C2B7XWYH4JD'), unknown }
}

test('anchors and a confirmation travel in the front matter, beside fields of other programs', () => {
  const verified = { at: Date.UTC(2026, 0, 31), commit: 'b'.repeat(40) }
  const written = writeNote(withVerification(withAnchors(note(['mood: good', 'list:', '  - one']), [anchor]), verified))
  const read = parseNote(written)
  if (read.kind !== 'note') throw new Error(read.reason)
  expect(anchorsOfNote(read.note)).toEqual([anchor])
  expect(verificationOfNote(read.note)).toEqual(verified)
  expect(read.note.unknown).toContain('mood: good')
  expect(writeNote(withAnchors(read.note, []))).not.toContain('src/a')
  expect(writeNote(withAnchors(read.note, []))).toContain('  - one')
})

test('anchors that others wrote wrongly are left out', () => {
  expect(anchorsOfNote(note(['anchors:', '  - {"path": 3}', '  - nothing', '  - {"path": "a.ts", "commit": "--output=/tmp/x"}']))).toEqual([
    { path: 'a.ts', name: null, signature: '', sketch: '', header: '', commit: null, branch: null },
  ])
  expect(anchorsOfNote(note(['anchors: [[[']))).toEqual([])
})
