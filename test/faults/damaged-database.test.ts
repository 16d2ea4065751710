import { expect, test } from 'bun:test'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { garbage } from '../support/garbage.ts'
import { transcript } from '../support/transcript.ts'
import { openWorkerDatabase } from '../support/worker-database.ts'
import { aHome, type FaultyHome, type Finding } from './home.ts'

const DAMAGES: [string, (database: string) => void][] = [
  ['is garbage', (database) => writeFileSync(database, garbage(60_000))],
  ['has lost its second half', (database) => truncateSync(database, Math.floor(statSync(database).size / 8192) * 4096)],
  ['has overwritten pages', (database) => overwritePages(database)],
  ['is empty', (database) => writeFileSync(database, '')],
]

test.each(DAMAGES)(
  'doctor reports a database that %s, changes nothing, and rebuilds it with --fix',
  async (_, damage) => {
    await using at = await aHomeWithHistory()
    await at.run('', 'stop')
    for (const log of ['-wal', '-shm']) rmSync(at.home.database + log, { force: true })
    damage(at.home.database)
    const bytes = readFileSync(at.home.database)

    const { code, findings } = await at.doctor()
    expect(code).toBe(1)
    expect(databaseFinding(findings)).toMatchObject({ state: 'broken', says: expect.stringContaining(at.home.database), fixable: true })
    expect(databaseFinding(findings)?.fix).toContain(join(at.home.logs, 'worker.log'))
    expect(readFileSync(at.home.database).equals(bytes)).toBe(true)
    expect(existsSync(at.home.workerFile)).toBe(false)

    await expectRepaired(at)
    const [aside = ''] = damagedFiles(at)
    expect(readFileSync(join(at.home.folder, aside)).equals(bytes)).toBe(true)
  },
  300_000,
)

test('doctor reports a database that breaks while the worker runs, and rebuilds it with --fix', async () => {
  await using at = await aHomeWithHistory()
  const db = openWorkerDatabase(at.home.database)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  overwritePages(at.home.database)
  const { code, findings } = await at.doctor()
  expect([code, databaseFinding(findings)?.state]).toEqual([1, 'broken'])
  expect(databaseFinding(findings)?.fix).toContain(join(at.home.logs, 'worker.log'))
  await expectRepaired(at)
}, 300_000)

test('a database that a session replaced before anyone looked is named afterwards', async () => {
  await using at = await aHomeWithHistory()
  await at.run('', 'stop')
  writeFileSync(at.home.database, 'not a database at all')
  await at.run('', 'start')
  const { findings } = await at.doctor()
  const moved = findings.find(({ what, says }) => what === 'Database' && says.includes('moved to'))
  expect(moved).toMatchObject({ state: 'warning', fix: expect.stringContaining('worker.log') })
  expect(at.log()).toContain('the database was damaged and has been set aside')
}, 300_000)

test('an intact database is not touched by --fix', async () => {
  await using at = await aHomeWithHistory()
  const { code, findings } = await at.doctor('--fix')
  expect([code, databaseFinding(findings)?.says]).toEqual([0, 'intact'])
  expect(damagedFiles(at)).toEqual([])
}, 300_000)

test('settings that cannot be used are named, also when doctor had to start the worker or it cannot start', async () => {
  await using at = aHome()
  mkdirSync(at.home.folder, { recursive: true, mode: 0o700 })
  writeFileSync(at.home.config, '[retention]\ntool_uses_days = -1\n[worker]\nprot = 1\n')
  const settings = async () => {
    const { findings } = await at.doctor()
    return [findings.find(({ what }) => what === 'Worker')?.state, findings.filter(({ what }) => what === 'Settings').length]
  }
  expect(await settings()).toEqual(['warning', 2])
  expect(await settings()).toEqual(['ok', 2])
  await at.run('', 'stop')
  rmSync(at.home.database, { force: true })
  mkdirSync(at.home.database)
  expect(await settings()).toEqual(['broken', 2])
}, 300_000)

/** A session in a transcript, which was imported, and a note. */
async function aHomeWithHistory(): Promise<FaultyHome> {
  const at = aHome()
  const folder = join(at.folder, '.claude', 'projects', 'harbour')
  mkdirSync(folder, { recursive: true })
  const turns = Array.from({ length: 20 }, (_, i) => ({
    prompt: `Why is tide ${i} late?`,
    commands: ['ls'],
    answer: `Clock ${i} was wrong.`,
  }))
  writeFileSync(join(folder, 'tides.jsonl'), transcript('tides', turns, { cwd: '/srv/harbour' }))
  await at.run('', 'init', '--yes')
  await at.run('', 'import')
  await at.run('', 'capture', 'Stations keep their own time zone', '--project', 'harbour')
  await at.settled()
  expect((await at.doctor()).code).toBe(0)
  return at
}

async function expectRepaired(at: FaultyHome): Promise<void> {
  const { code, findings } = await at.doctor('--fix')
  expect([code, databaseFinding(findings)?.says]).toEqual([0, 'intact'])
  expect(damagedFiles(at)).toHaveLength(1)
  await at.settled()
  expect(await at.rows('prompts')).toHaveLength(20)
  expect(JSON.stringify(await at.rows('notes'))).toContain('their own time zone')
}

const databaseFinding = (findings: Finding[]) => findings.findLast(({ what }) => what === 'Database')
const damagedFiles = ({ home }: FaultyHome) =>
  readdirSync(home.folder).filter((name) => name.includes('.damaged-') && !/-(wal|shm)$/.test(name))

/** Overwrites every second page after the first ones. */
function overwritePages(database: string): void {
  const file = openSync(database, 'r+')
  const page = garbage(4096)
  for (let at = 8192; at < statSync(database).size; at += 8192) writeSync(file, page, 0, 4096, at)
  closeSync(file)
}
