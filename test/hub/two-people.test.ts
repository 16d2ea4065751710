import { expect } from 'bun:test'
import { join } from 'node:path'
import type { Person } from '../support/person.ts'
import { postgresOrSkip } from '../support/postgres.ts'
import { aMember, filesWith, runningHub } from '../support/team-flow.ts'

const test = postgresOrSkip()
const marker = { '.recollect/project': 'shop\n' }

const team = async (person: Person, ...args: string[]) => JSON.parse(await person.recollect('team', ...args, '--json'))
const notes = async (person: Person) =>
  (JSON.parse(await person.recollect('notes', '--all', '--json')) as { notes: { id: string; body: string; author: string | null }[] }).notes
const texts = async (person: Person) => (await notes(person)).map(({ body, author }) => `${author ?? 'me'}: ${body}`)

test('two people share a project as the guide says, and a third sees nothing', async () => {
  await using hub = await runningHub()
  const [ada, ben, eve] = [await hub.invite('ada'), await hub.invite('ben'), await hub.invite('eve')]
  await using a = await aMember(hub, 'ada', ada, { files: marker })
  await using b = await aMember(hub, 'ben', ben, { files: marker })
  await using e = await aMember(hub, 'eve', eve, { files: marker })
  await a.recollect('capture', 'Prices are kept in cents, never in floats.', '--project', 'shop')
  await expect(team(a, 'share', 'shpo', '--yes')).rejects.toThrow('there is no project shpo; did you mean shop?')
  expect((await team(a, 'status')).projects).toEqual([])
  const planned = await team(a, 'share', 'shop', '--dry-run')
  expect(planned).toMatchObject({ notes: 1, titles: ['Prices are kept in cents, never in floats.'], dryRun: true })
  expect((await team(a, 'status')).projects).toEqual([])
  await a.recollect('team', 'share', 'shop', '--yes')
  await a.recollect('team', 'grant', 'shop', 'ben', 'write')
  await b.recollect('team', 'sync')
  await e.recollect('team', 'sync')
  expect(await texts(b)).toEqual(['ada: Prices are kept in cents, never in floats.'])
  expect(await b.recollect('search', 'how are prices kept', '--project', 'shop')).toContain('Prices are kept in cents')
  expect(await b.recollect('inject', '--project', 'shop')).toMatch(/Prices are kept in cents, never in floats\. \(by ada\)/)
  expect(filesWith(join(e.home, '.recollect'), 'kept in cents')).toEqual([])

  // What she forgets is gone for everyone.
  await a.recollect('forget', `N${(await notes(a))[0]?.id}`, '--yes')
  await a.recollect('team', 'sync')
  await b.recollect('team', 'sync')
  expect(await texts(b)).toEqual([])

  // A revoked right takes the copies along.
  await a.recollect('capture', 'Deploys need two approvals.', '--project', 'shop')
  await a.recollect('team', 'sync')
  await b.recollect('team', 'sync')
  expect(await texts(b)).toEqual(['ada: Deploys need two approvals.'])
  await a.recollect('team', 'grant', 'shop', 'ben', 'none')
  await b.recollect('team', 'sync')
  expect(await texts(b)).toEqual([])
  expect(filesWith(join(b.home, '.recollect', 'local'), 'two approvals')).toEqual([])

  // Leaving deletes what was shared.
  const left = await team(a, 'leave', '--delete', '--yes')
  expect(left).toMatchObject({ deleted: 1, isRevoked: true })
  expect((await team(a, 'status')).kind).toBe('none')
  await hub.hub('grants', 'shop', 'ben', 'read', '--yes')
  await b.recollect('team', 'sync')
  expect(await texts(b)).toEqual([])
}, 300_000)
