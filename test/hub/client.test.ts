import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { clientOrSkip } from '../harness/client.ts'
import { requestText } from '../harness/fake-anthropic.ts'
import { runClaude } from '../harness/run-claude.ts'
import { briefIn } from '../support/person.ts'
import { findPrograms, postgresOrSkip } from '../support/postgres.ts'
import { project } from '../support/scripts.ts'
import { aMember, filesWith, runningHub } from '../support/team-flow.ts'

postgresOrSkip()
const it = findPrograms() ? await clientOrSkip() : test.skip

it('a decision of one member is in the first request of another member, but not of a member without rights', async () => {
  await using hub = await runningHub()
  const files = { ...project, '.recollect/project': 'team/shop\n' }
  const options = { files, git: true, init: [] }
  await using ada = await aMember(hub, 'ada', await hub.invite('ada'), options)
  await using ben = await aMember(hub, 'ben', await hub.invite('ben'), options)
  await using eve = await aMember(hub, 'eve', await hub.invite('eve'), options)
  for (const one of [ada, ben, eve]) await one.recollect('projects', 'confirm')
  await runClaude({ sandbox: ada, prompt: '[decision] Prices are kept in cents, never in floats.\n\nSay ok.', turns: ['Ok.'] })
  await ada.settled()
  await ada.recollect('team', 'share', 'team/shop', '--yes')
  await ada.recollect('team', 'grant', 'team/shop', 'ben', 'write')
  for (const one of [ben, eve]) await one.recollect('team', 'sync')
  const first = async (person: typeof ada) => {
    const run = await runClaude({ sandbox: person, prompt: 'Add a price to the basket.', turns: ['Done.'] })
    return requestText(run.requests[0])
  }
  const request = await first(ben)
  expect(briefIn(request)).toContain('Prices are kept in cents, never in floats.')
  expect(briefIn(request)).toMatch(/\(by ada\)/)
  expect(briefIn(request)).not.toContain('standing rules')
  expect(await first(eve)).not.toContain('kept in cents')
  expect(filesWith(join(eve.home, '.recollect'), 'kept in cents')).toEqual([])
  // The prompt itself never left her machine.
  expect(filesWith(join(ben.home, '.recollect'), 'Say ok.')).toEqual([])
}, 300_000)
