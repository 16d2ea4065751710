import { expect, test } from 'bun:test'
import { addObservations, observation, openSession, temporaryStore } from '../../test/support/builders.ts'
import { asContentSessionId, asProjectKey } from '../core/ids.ts'
import type { Store } from './store.ts'

const [app, port, harbour] = [asProjectKey('app'), asProjectKey('port'), asProjectKey('harbour')]

function openIn(store: Store, project: string, folder: string) {
  const contentSessionId = asContentSessionId(`${project} ${folder}`)
  const given = { branch: null, transcript: null, clientPid: null, at: 1000 }
  return store.sessions.open({ agent: 'claude-code', contentSessionId, project: asProjectKey(project), folder, ...given })
}

test('an old key means the new project, through several renames, and new sessions follow it', async () => {
  using t = await temporaryStore()
  await t.store.projects.rename(app, port)
  await t.store.projects.rename(port, harbour)
  expect([await t.store.projects.currentKey(app), await t.store.projects.currentKey(port)]).toEqual([harbour, harbour])
  expect((await openIn(t.store, 'app', '/srv/app')).session.project).toBe(harbour)
  // Renamed back: no key may mean another one in circles.
  await t.store.projects.rename(harbour, app)
  expect(await Promise.all([app, port, harbour].map((key) => t.store.projects.currentKey(key)))).toEqual([app, app, app])
  await t.store.projects.unrename(port)
  expect(await t.store.projects.currentKey(port)).toBe(port)
})

test('a key is free for the folder that has it, and for those below, but not for another one', async () => {
  using t = await temporaryStore()
  const isFree = (project: string, folder: string) => t.store.projects.isFreeFor({ project: asProjectKey(project), folder })
  await openIn(t.store, 'app', '/srv/app/sub')
  expect([await isFree('app', '/srv/app'), await isFree('app', '/srv/app/sub'), await isFree('app', '/srv/ap')]).toEqual([
    true,
    true,
    false,
  ])
  expect(await isFree('unknown', '/srv/x')).toBe(true)
  await t.store.projects.rename(port, app)
  expect(await isFree('port', '/srv/port')).toBe(false)
})

test('projects with sessions are listed by key; those of this machine have an absolute folder', async () => {
  using t = await temporaryStore()
  for (const [project, folder] of [
    ['b', '/srv/b'],
    ['a', 'imported'],
    ['b', '/srv/b2'],
  ] as const)
    await openIn(t.store, project, folder)
  expect((await t.store.projects.withSessions()).map(String)).toEqual(['a', 'b'])
  expect((await t.store.projects.withFolders()).map(String)).toEqual(['b'])
  await t.store.projects.addImportedNames([app, port])
  await t.store.projects.addImportedNames([port, harbour])
  expect(await t.store.projects.importedNames()).toEqual(['app', 'port', 'harbour'])
})

test('a session that moves takes its memories along, and the totals follow', async () => {
  using t = await temporaryStore()
  const session = await addObservations(t.store, [observation({ title: 'Herons', filesModified: ['src/a.ts'] })])
  await openSession(t.store, 'stays', 50)
  await t.store.transaction(() => t.store.projects.moveSession(session.id, harbour))
  const totals = (await t.store.projects.totals()).map(({ project, sessions, observations, firstAt }) => ({
    project: String(project),
    sessions,
    observations,
    firstAt,
  }))
  expect(totals).toContainEqual({ project: 'app', sessions: 1, observations: 0, firstAt: 50 })
  expect(totals).toContainEqual({ project: 'harbour', sessions: 1, observations: 1, firstAt: 1000 })
  expect((await t.store.observations.recent(harbour, 9)).map(({ title }) => title)).toEqual(['Herons'])
})
