import { expect, test } from 'bun:test'
import { openEventReader } from './sse.ts'

const text = 'retry: 1000\n\nid: r-1\nevent: hello\ndata: {}\n\n: \n\nid: r-2\nevent: note-changed\ndata: {"note":{"title":"a: b"}}\n\n'

test('events are complete wherever the stream is cut', () => {
  const events = [
    { id: 'r-1', type: 'hello', data: {} },
    { id: 'r-2', type: 'note-changed', data: { note: { title: 'a: b' } } },
  ]
  for (let cut = 0; cut <= text.length; cut++) {
    const read = openEventReader()
    expect([...read(text.slice(0, cut)), ...read(text.slice(cut))]).toEqual(events)
  }
})

test('blocks without an event or with broken data are skipped', () => {
  expect(openEventReader()('event: x\ndata: not json\n\n: beat\n\nid: 1\n\n')).toEqual([])
})
