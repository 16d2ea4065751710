import { expect, test } from 'bun:test'
import { newPhrase } from './recovery-phrase.ts'
import { itemId, newRing, openRing, rotatedRing, seal, sealRing, unseal } from './sealing.ts'

const text = new TextEncoder().encode('what I did today')

test('a sealed item opens with its key and its id only', async () => {
  const [a, b] = [await newRing(newPhrase().secret), await newRing(newPhrase().secret)]
  const sealed = await seal(a.current, 'item', text)
  expect(sealed).not.toContain(Buffer.from(text).toString('base64').slice(0, 10))
  expect(await unseal(a.current, 'item', sealed)).toEqual(text)
  expect(await unseal(a.current, 'another item', sealed)).toBeNull()
  expect(await unseal(b.current, 'item', sealed)).toBeNull()
  expect(await unseal(a.current, 'item', `${sealed.startsWith('A') ? 'B' : 'A'}${sealed.slice(1)}`)).toBeNull()
  expect(await unseal(a.current, 'item', 'AAAA')).toBeNull()
})

test('the same text is sealed differently each time', async () => {
  const { current } = await newRing(newPhrase().secret)
  expect(await seal(current, 'item', text)).not.toBe(await seal(current, 'item', text))
})

test('another device opens the ring with the phrase, and names items alike', async () => {
  const phrase = newPhrase()
  const ring = await newRing(phrase.secret)
  const opened = await openRing(phrase.secret, await sealRing(ring))
  expect(opened).toEqual(ring)
  expect(await openRing(newPhrase().secret, await sealRing(ring))).toBeNull()
  expect(itemId(ring, 'session', 'x')).toMatch(/^[0-9a-f]{64}$/)
  expect(itemId(ring, 'session', 'x')).not.toBe(itemId(await newRing(phrase.secret), 'session', 'x'))
})

test('after a new phrase, old items still open and names stay', async () => {
  const [first, second] = [newPhrase(), newPhrase()]
  const before = await newRing(first.secret)
  const sealed = await seal(before.current, 'item', text)
  const after = await openRing(second.secret, await sealRing(await rotatedRing(before, second.secret)))
  if (!after) throw new Error('the new phrase does not open the ring')
  expect(after.current.id).not.toBe(before.current.id)
  const [older] = after.older
  if (!older) throw new Error('the old key is gone')
  expect(await unseal(older, 'item', sealed)).toEqual(text)
  expect(itemId(after, 'note', 'n')).toBe(itemId(before, 'note', 'n'))
  expect(await openRing(first.secret, await sealRing(after))).toBeNull()
})
