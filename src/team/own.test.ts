import { expect, test } from 'bun:test'
import { aLaptop } from '../../test/support/laptop.ts'
import { scriptedHub } from '../../test/support/scripted-hub.ts'
import { pullOwn } from './own.ts'
import { itemId, newRing, seal } from './sealing.ts'

test('a feed of sealed items without an end ends the exchange, and nothing is lost', async () => {
  using hub = scriptedHub()
  hub.add('ada', {})
  using ada = await aLaptop(hub, 'ada')
  const ring = await newRing(new Uint8Array(16))
  using endless = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) => {
      const seq = Number(new URL(url).searchParams.get('after')) + 1
      const item = { id: 'ab'.repeat(32), keyId: ring.current.id, sealed: 'AAAA', seq, device: 'd' }
      return Response.json({ items: [item], head: seq + 1, more: true })
    },
  })
  const context = { ...ada.context, hub: { ...ada.context.hub, url: `http://127.0.0.1:${endless.port}` } }
  let upTo = 0
  const read = async () => {
    for await (const page of pullOwn(context, ring, 0)) if (page.kind === 'items') upTo = page.upTo
  }
  await expect(read()).rejects.toThrow('the next one goes on')
  expect(upTo).toBe(2000)
}, 300_000)

test('an item that unpacks to more than a machine can hold is left out, whatever size it claims', async () => {
  using hub = scriptedHub()
  hub.add('ada', {})
  using ada = await aLaptop(hub, 'ada')
  const ring = await newRing(new Uint8Array(16))
  const id = itemId(ring, 'note', 'n')
  const json = (contents: string) => JSON.stringify({ kind: 'note', name: 'n', version: 1, contents, erased: false })
  // Two gzip files, one after the other: the size at the end is that of the second, which is empty.
  const bomb = Buffer.concat([Bun.gzipSync(json(' '.repeat(65 * 1024 * 1024))), Bun.gzipSync('')])
  const served = async (bytes: Uint8Array<ArrayBuffer>) => {
    const sealed = await seal(ring.current, id, bytes)
    hub.play(() => Response.json({ items: [{ id, keyId: ring.current.id, sealed, seq: 1, device: 'd' }], head: 1, more: false }))
    for await (const page of pullOwn(ada.context, ring, 0)) if (page.kind === 'items') return page.items[0]?.parcel?.contents
  }
  expect(await served(new Uint8Array(bomb))).toBeUndefined()
  expect(await served(Bun.gzipSync(json('fits')))).toBe('fits')
})
