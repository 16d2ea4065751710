import { expect, test } from 'bun:test'
import { scriptedHub } from '../../test/support/scripted-hub.ts'
import { someServices } from '../../test/support/services.ts'
import { until } from '../../test/support/until.ts'
import { asProjectKey } from '../core/ids.ts'
import { saveNote } from '../notes/notes.ts'
import { joinTeam, shareProject, teamState } from '../team/team.ts'
import { openBackgroundTeam } from './background-team.ts'

const harbour = asProjectKey('harbour')

/** A home in a team, with its exchange running. */
async function joined(hub: ReturnType<typeof scriptedHub>, name: string) {
  const at = await someServices()
  await joinTeam(at.desk.home, at.store, { url: hub.url, code: name, device: name }, at.desk.stopSignal, Date.now())
  const team = openBackgroundTeam(at.desk)
  return {
    ...at,
    team,
    save: (body: string) => saveNote(at.desk.notebook, { body, project: harbour, source: 'human' }, Date.now()),
    state: async () => {
      const state = await teamState(at.desk.home, at.store, '')
      if (state.kind === 'none') throw new Error('not joined')
      return state
    },
    [Symbol.asyncDispose]: async () => {
      await team.stop()
      await at[Symbol.asyncDispose]()
    },
  }
}

test('a change is sent soon after it was made, without being asked for', async () => {
  using hub = scriptedHub()
  hub.add('ada', { harbour: 'write' })
  await using ada = await joined(hub, 'ada')
  await ada.team.now()
  await ada.team.alone((context) => shareProject(context, harbour, 'notes', 'Harbour'))
  await ada.save('The tide is high at noon')
  ada.team.wake()
  await until(() => hub.feed('harbour').length === 1, 'the note was sent')
  expect((await ada.state()).problem).toBeNull()
}, 300_000)

test('a hub that never answers delays no write, and the worker stops in time', async () => {
  using hub = scriptedHub()
  hub.add('ada', { harbour: 'write' })
  const held = Promise.withResolvers<Response>()
  const at = await joined(hub, 'ada')
  let asked = 0
  hub.play(() => {
    asked++
    return held.promise
  })
  at.team.wake()
  await until(() => asked > 0, 'the hub was asked')
  const started = performance.now()
  for (let n = 0; n < 20; n++) await at.save(`Written while the hub is silent, number ${n}`)
  const written = [...at.store.notes.each(harbour)].length
  const stopping = performance.now()
  await at[Symbol.asyncDispose]()
  expect(written).toBeGreaterThan(0)
  // Far below the timeout of a request to the hub, however busy this machine is.
  expect(stopping - started).toBeLessThan(20_000)
  expect(performance.now() - stopping).toBeLessThan(20_000)
  held.resolve(new Response('{}'))
}, 300_000)

test('a hub that is down is asked less and less often, and its problem is reported', async () => {
  using hub = scriptedHub()
  hub.add('ada', { harbour: 'write' })
  await using ada = await joined(hub, 'ada')
  await ada.team.now()
  let asked = 0
  hub.play((route) => {
    if (route === 'GET /v1/projects') asked++
    return Response.json({ error: 'out of order' }, { status: 503 })
  })
  await ada.team.now()
  const [before, started] = [asked, performance.now()]
  // Every change here wakes it; the pause after a failure counts all the same.
  for (let n = 0; n < 100; n++) {
    ada.team.wake()
    await Bun.sleep(5)
  }
  // The pauses are at least 1.5 s, and a busy machine may need longer than that for the hundred changes.
  expect(asked - before).toBeLessThanOrEqual(1 + (performance.now() - started) / 1500)
  expect((await ada.state()).problem).toBe('out of order')
}, 300_000)

test('a stream that shouts all the time does not keep the machine busy', async () => {
  using hub = scriptedHub()
  hub.add('ada', { harbour: 'write' })
  let asked = 0
  const shout = new TextEncoder().encode('data: {"project":"harbour","head":1}\n\n'.repeat(100))
  hub.play((route) => {
    if (route === 'GET /v1/projects') asked++
    if (route !== 'GET /v1/stream') return undefined
    const body = new ReadableStream({
      pull: async (controller) => {
        await Bun.sleep(1)
        controller.enqueue(shout)
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  })
  await using ada = await joined(hub, 'ada')
  const started = performance.now()
  await until(() => asked > 0, 'the first exchange')
  await Bun.sleep(2500)
  expect(asked).toBeLessThanOrEqual(2 + (performance.now() - started) / 1000)
  expect((await ada.state()).problem).toBeNull()
}, 300_000)
