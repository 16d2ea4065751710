import { expect, test } from 'bun:test'
import { callHub, whyUrlUnusable } from './hub-client.ts'

test.each([
  'https://hub.example.com',
  'https://hub.example.com:8443/team',
  'http://127.0.0.1:8080',
  'http://localhost:8080',
  'http://[::1]:80',
])('%s can be the address of a hub', (url) => {
  expect(whyUrlUnusable(url)).toBeNull()
})

test.each([
  ['hub.example.com', 'is not an address'],
  ['http://hub.example.com', 'in the clear'],
  ['http://127.0.0.1.example.com', 'in the clear'],
  ['http://10.0.0.1', 'in the clear'],
  ['ftp://hub.example.com', 'begins with https'],
  ['https://me:secret@hub.example.com', 'no user name'],
  ['https://hub.example.com?x=1', 'no query'],
])('%s cannot, because %s', (url, reason) => {
  expect(whyUrlUnusable(url)).toContain(reason)
})

test('a hub that points elsewhere does not get the token sent there, and the reason is plain', async () => {
  const asked: string[] = []
  using elsewhere = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: ({ url }) => Response.json({ projects: asked.push(url) }) })
  using hub = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.redirect(`http://127.0.0.1:${elsewhere.port}/`, 307) })
  const access = { url: `http://127.0.0.1:${hub.port}`, token: 'secret' }
  const reply = await callHub(access, 'GET /v1/projects', {}, new AbortController().signal)
  expect(reply).toMatchObject({ kind: 'unreachable', reason: expect.stringContaining('points to another address') })
  expect(asked).toEqual([])
})
