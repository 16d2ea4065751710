import { expect, test } from 'bun:test'
import { note, observation, summary } from '../../test/support/builders.ts'
import type { Change } from '../core/memory.ts'
import { noteUrn } from '../core/note.ts'
import { openResourceChangeFeed, type ResourceChanges } from './resource-changes.ts'

const PAUSE_MS = 20

/** A feed over a stream of the worker that a test writes to. */
function aFeed() {
  const streams: { send(text: string): void; isOpen(): boolean }[] = []
  const feed = openResourceChangeFeed(
    {
      transport: async ({ path, signal }) => {
        expect(path).toBe('/stream')
        let controller: ReadableStreamDefaultController<Uint8Array> | undefined
        let isOpen = true
        const body = new ReadableStream<Uint8Array>({
          start: (opened) => {
            controller = opened
          },
        })
        signal?.addEventListener('abort', () => {
          isOpen = false
        })
        streams.push({ send: (text) => controller?.enqueue(new TextEncoder().encode(text)), isOpen: () => isOpen })
        return new Response(body)
      },
    },
    PAUSE_MS,
  )
  const send = (...changes: Change[]) =>
    streams.at(-1)?.send(changes.map((change) => `event: ${change.kind}\ndata: ${JSON.stringify(change)}\n\n`).join(''))
  return { feed, streams, send }
}

const pause = () => Bun.sleep(PAUSE_MS * 4)

/** What listeners hear of these changes of the worker. */
async function heard(...changes: Change[]): Promise<ResourceChanges[]> {
  const { feed, send } = aFeed()
  const all: ResourceChanges[] = []
  const unsubscribe = feed.subscribe((changed) => all.push(changed))
  await pause()
  send(...changes)
  await pause()
  unsubscribe()
  return all
}

const added: Change = { kind: 'observation-added', observation: observation({ sessionId: 7 }) }

test('a changed note changes the lists, itself and the brief', async () => {
  const changed = note()
  expect(await heard({ kind: 'note-changed', note: changed })).toEqual([{ list: true, resources: [noteUrn(changed), 'recollect://brief'] }])
})

test('work in a session changes that session and the brief, and no list', async () => {
  expect(await heard(added)).toEqual([{ list: false, resources: ['recollect://session/7', 'recollect://brief'] }])
  expect(await heard({ kind: 'session-completed', sessionId: 7 } as Change)).toEqual([
    { list: false, resources: ['recollect://session/7'] },
  ])
})

test('many changes at once are one notification, each resource once', async () => {
  const wrote: Change = { kind: 'summary-added', summary: summary({ sessionId: 8 }) }
  const [one, ...more] = await heard(added, added, wrote, { kind: 'imported' } as Change)
  expect(more).toEqual([])
  expect(one?.list).toBe(true)
  expect(one?.resources.toSorted()).toEqual(['recollect://brief', 'recollect://session/7', 'recollect://session/8'])
})

test('an event that changes no resource is not passed on', async () => {
  expect(await heard({ kind: 'tool-use-added' } as Change)).toEqual([])
})

test('missed events count as changes of everything', async () => {
  const { feed, streams } = aFeed()
  const all: ResourceChanges[] = []
  const unsubscribe = feed.subscribe((changed) => all.push(changed))
  await pause()
  streams[0]?.send('event: reset\ndata: {}\n\n')
  await pause()
  unsubscribe()
  expect(all).toEqual([{ list: true, resources: ['recollect://brief'] }])
})

test('the worker is listened to once, only while someone listens', async () => {
  const { feed, streams, send } = aFeed()
  expect(streams).toHaveLength(0)
  const heardBy: string[] = []
  const first = feed.subscribe(() => heardBy.push('first'))
  const second = feed.subscribe(() => heardBy.push('second'))
  await pause()
  expect(streams).toHaveLength(1)
  first()
  send(added)
  await pause()
  expect(heardBy).toEqual(['second'])
  expect(streams[0]?.isOpen()).toBe(true)
  second()
  expect(streams[0]?.isOpen()).toBe(false)
})
