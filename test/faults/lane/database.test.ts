import { expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { garbage } from '../../support/garbage.ts'
import { openWorkerDatabase } from '../../support/worker-database.ts'
import { aHome, type FaultyHome } from '../home.ts'
import { aClient } from './client.ts'
import { expectHealthy, expectJournalIsTranscript, recover } from './recovery.ts'
import { random } from './seed.ts'

const SETTINGS = { RECOLLECT_GIT_HISTORY: 'false' }
const turn = (n: number) => ({ prompt: `Question ${n} about tides`, commands: [`echo ${n}`], answer: `Answer ${n} about tides.` })

/** A home with Claude Code connected, so that its transcripts are read after a rebuild. */
async function aConnectedHome(): Promise<FaultyHome> {
  const at = aHome(SETTINGS)
  mkdirSync(join(at.folder, 'project'))
  mkdirSync(join(at.folder, '.claude'))
  await at.run('', 'init', '--yes')
  return at
}

test('a database that another program keeps locked for longer than SQLite waits: hooks do not fail, and nothing is lost', async () => {
  await using at = await aConnectedHome()
  const client = aClient(at, 'busy')
  await client.start()
  await client.turn(turn(1))
  const other = openWorkerDatabase(at.home.database)
  other.run('BEGIN IMMEDIATE')
  await client.turn(turn(2))
  await Bun.sleep(7000)
  await client.turn(turn(3))
  other.run('ROLLBACK')
  other.close()
  await client.turn(turn(4))
  await client.end()
  await recover(at)
  await expectJournalIsTranscript(at, [client])
  await expectHealthy(at)
}, 300_000)

const LOSSES: [string, (database: string) => void][] = [
  ['is deleted', (database) => rmSync(`${database}-wal`, { force: true })],
  ['is cut off', (database) => existsSync(`${database}-wal`) && truncateSync(`${database}-wal`, 5000)],
  ['is garbage', (database) => writeFileSync(`${database}-wal`, garbage(40_000))],
  ['belongs to an older state', (database) => copyFileSync(`${database}-wal.old`, `${database}-wal`)],
]

test.each(LOSSES)(
  'a write-ahead log that %s after the worker was killed: the transcripts fill the gap',
  async (_, lose) => {
    await using at = await aConnectedHome()
    const client = aClient(at, 'walled')
    await client.start()
    await client.turn(turn(1))
    if (existsSync(`${at.home.database}-wal`)) copyFileSync(`${at.home.database}-wal`, `${at.home.database}-wal.old`)
    await client.turn(turn(2))
    await client.end()
    process.kill((JSON.parse(readFileSync(at.home.workerFile, 'utf8')) as { pid: number }).pid, 'SIGKILL')
    await Bun.sleep(200)
    lose(at.home.database)
    rmSync(`${at.home.database}-shm`, { force: true })
    await recover(at)
    // A log that was lost without a trace leaves a database that knows nothing of the session; an import reads it again.
    await at.run('', 'import')
    await recover(at)
    await expectJournalIsTranscript(at, [client])
    rmSync(`${at.home.database}-wal.old`, { force: true })
    await expectHealthy(at)
  },
  300_000,
)

test('spool files that are cut off anywhere are set aside, and the transcript has what they contained', async () => {
  await using at = await aConnectedHome()
  const next = random('torn')
  const client = aClient(at, 'torn')
  await client.start()
  await client.turn(turn(1))
  await at.run('', 'stop')
  const lock = at.holdWorkerBack()
  for (const n of [2, 3]) await client.turn(turn(n))
  const files = readdirSync(at.home.spool).filter((name) => name.endsWith('.json'))
  expect(files.length).toBeGreaterThan(4)
  for (const name of files) {
    const path = join(at.home.spool, name)
    truncateSync(path, Math.floor(next() * readFileSync(path).length))
  }
  // A killed hook leaves the file that it had not renamed yet.
  writeFileSync(join(at.home.spool, '000000000000001-x.json.123.tmp'), '{"delivery":"x"')
  lock.release()
  await client.end()
  await recover(at)
  await expectJournalIsTranscript(at, [client])
  expect(readdirSync(at.home.spoolSetAside)).toHaveLength(files.length)
  expect((await at.doctor()).findings.find(({ what }) => what === 'Unknown events')?.says).toContain(`${files.length} files`)
  expect(readdirSync(at.home.spool).filter((name) => name.endsWith('.json'))).toEqual([])
}, 300_000)
