import { expect, test } from 'bun:test'
import { openStream, type Stream } from './stream.ts'

test('a new listener gets the current position and then every new event', async () => {
  const stream = openStream('r1')
  stream.publish({ type: 'before', data: {} })
  const listener = listen(stream, null)
  stream.publish({ type: 'prompt-added', data: { text: 'two\nlines' } })
  expect(await listener.hear(2)).toEqual([
    { id: 'r1-1', event: 'hello', data: {} },
    { id: 'r1-2', event: 'prompt-added', data: { text: 'two\nlines' } },
  ])
})

test('a listener that reconnects gets the events it missed, once and in order', async () => {
  const stream = openStream('r1')
  for (let i = 1; i <= 5; i++) stream.publish({ type: 'n', data: i })
  const listener = listen(stream, 'r1-3')
  stream.publish({ type: 'n', data: 6 })
  expect((await listener.hear(3)).map(({ data }) => data)).toEqual([4, 5, 6])
  const upToDate = listen(stream, 'r1-6')
  stream.publish({ type: 'n', data: 7 })
  expect(await upToDate.hear(1)).toEqual([{ id: 'r1-7', event: 'n', data: 7 }])
})

test.each(['r0-1', 'r1-99', 'r1--1', 'r1-x', 'r1-1.5', 'r1', '', '-', 'r1-1-1'])(
  'a listener with the last id "%s" gets a reset, because the worker restarted or the id is invalid',
  async (id) => {
    const stream = openStream('r1')
    stream.publish({ type: 'n', data: 1 })
    stream.publish({ type: 'n', data: 2 })
    expect(await listen(stream, id).hear(1)).toEqual([{ id: 'r1-2', event: 'reset', data: {} }])
  },
)

test('a listener that missed more events than are stored gets a reset', async () => {
  const stream = openStream('r1')
  for (let i = 1; i <= 1500; i++) stream.publish({ type: 'n', data: i })
  expect((await listen(stream, 'r1-499').hear(1))[0]?.event).toBe('reset')
  expect((await listen(stream, 'r1-500').hear(1))[0]).toEqual({ id: 'r1-501', event: 'n', data: 501 })
})

test('a listener that does not read is disconnected and can reconnect to get what it missed', async () => {
  const stream = openStream('r1')
  const slow = stream.listen(null).getReader()
  for (let i = 0; i < 600; i++) stream.publish({ type: 'n', data: i })
  expect(stream.listeners()).toBe(0)
  let heard = ''
  for (let part = await slow.read(); !part.done; part = await slow.read()) heard += part.value
  const last = eventsIn(heard).at(-1)
  const [next] = await listen(stream, last?.id ?? null).hear(1)
  expect(next?.data).toBe((last?.data as number) + 1)
})

test('a listener that leaves is removed, and the others stay', async () => {
  const stream = openStream('r1')
  const [stays, leaves] = [listen(stream, null), listen(stream, null)]
  await leaves.hear(1)
  await leaves.leave()
  expect(stream.listeners()).toBe(1)
  stream.publish({ type: 'n', data: 1 })
  stream.sendHeartbeat()
  expect((await stays.hear(2))[1]?.data).toBe(1)
})

test('closing the stream ends every listener', async () => {
  const stream = openStream('r1')
  const reader = stream.listen(null).getReader()
  stream.close()
  stream.publish({ type: 'n', data: 1 })
  let parts = 0
  while (!(await reader.read()).done) parts++
  expect(parts).toBe(2) // the reconnect delay and the hello event
})

type Heard = { id: string; event: string; data: unknown }

function listen(stream: Stream, lastEventId: string | null) {
  const reader = stream.listen(lastEventId).getReader()
  let text = ''
  return {
    hear: async (count: number): Promise<Heard[]> => {
      while (eventsIn(text).length < count) {
        const part = await reader.read()
        if (part.done) break
        text += part.value
      }
      return eventsIn(text)
    },
    leave: () => reader.cancel(),
  }
}

function eventsIn(text: string): Heard[] {
  return text
    .split('\n\n')
    .map((block) => /^id: (.*)\nevent: (.*)\ndata: (.*)$/.exec(block))
    .flatMap((found) => (found ? [{ id: found[1] ?? '', event: found[2] ?? '', data: JSON.parse(found[3] ?? '') }] : []))
}
