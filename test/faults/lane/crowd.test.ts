import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { aHome } from '../home.ts'
import { aClient } from './client.ts'
import { expectHealthy, expectJournalIsTranscript, recover } from './recovery.ts'

const SESSIONS = 200
/** Hook processes at once; more would only wait for the processor. */
const AT_ONCE = 12

test(`${SESSIONS} sessions at once: each keeps all its turns, and its own`, async () => {
  await using at = aHome({ RECOLLECT_GIT_HISTORY: 'false' })
  mkdirSync(join(at.folder, 'project'))
  await at.run('', 'start')
  const clients = Array.from({ length: SESSIONS }, (_, i) => aClient(at, `session-${i}`))
  await inCrowd(clients, (client) => client.start())
  await inCrowd(clients, (client) =>
    client.turn({ prompt: `Question of ${client.session}`, commands: [`echo ${client.session}`], answer: `Answer to ${client.session}.` }),
  )
  await inCrowd(clients, (client) => client.end())
  await recover(at)
  await expectJournalIsTranscript(at, clients)
  const sessions = await at.rows('sessions')
  expect([sessions.length, sessions.filter(({ status }) => status === 'completed').length]).toEqual([SESSIONS, SESSIONS])
  await expectHealthy(at)
}, 600_000)

async function inCrowd<T>(all: T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const waiting = [...all]
  const next = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, next))
}
