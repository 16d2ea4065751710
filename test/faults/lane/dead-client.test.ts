import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { aHome } from '../home.ts'
import { aClient } from './client.ts'
import { expectHealthy, expectJournalIsTranscript, recover } from './recovery.ts'

test('a client that is killed together with its last hook: the session is completed within two minutes and gets its note', async () => {
  await using at = aHome({ RECOLLECT_GIT_HISTORY: 'false' })
  mkdirSync(join(at.folder, 'project'))
  const [killed, alive] = [aClient(at, 'killed'), aClient(at, 'alive')]
  for (const client of [killed, alive]) {
    await client.start()
    await client.turn({ prompt: `Which berth is free for ${client.session}?`, commands: ['ls'], answer: 'Berth 7 is free until noon.' })
  }
  await killed.die()
  const status = async (session: string) =>
    (await at.rows('sessions')).find((row) => row.contentSessionId === session || row.sessionId === session)?.status
  for (const until = Date.now() + 120_000; Date.now() < until && (await status('killed')) !== 'completed'; ) await Bun.sleep(500)
  expect([await status('killed'), await status('alive')]).toEqual(['completed', 'active'])
  await recover(at)
  await expectJournalIsTranscript(at, [killed, alive])
  const notes = (await at.rows('notes')).filter(({ type }) => type === 'episodic')
  expect(notes.map(({ session }) => session)).toEqual(['killed'])
  await alive.end()
  await recover(at)
  await expectHealthy(at)
}, 300_000)
