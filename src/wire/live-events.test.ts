import { expect, test } from 'bun:test'
import { openLiveEventReader } from './live-events.ts'

const text =
  'retry: 1000\n\nid: r-1\nevent: hello\ndata: {}\n\n: \n\nid: r-2\nevent: note-removed\ndata: {"kind":"note-removed","id":"a: b"}\n\n'

test('events are complete wherever the stream is cut', () => {
  for (let cut = 0; cut <= text.length; cut++) {
    const read = openLiveEventReader()
    expect([...read(text.slice(0, cut)), ...read(text.slice(cut))] as unknown[]).toEqual([
      { id: 'r-1', type: 'hello', change: null },
      { id: 'r-2', type: 'note-removed', change: { kind: 'note-removed', id: 'a: b' } },
    ])
  }
})

test('blocks without an event or with broken data are skipped', () => {
  expect(openLiveEventReader()('event: x\ndata: not json\n\n: beat\n\nid: 1\n\n')).toEqual([])
})
