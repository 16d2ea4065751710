import { expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { addObservations, environment, observation, temporaryFolder } from '../../test/support/builders.ts'
import { type Home, homePaths } from '../platform/paths.ts'
import { copyDatabase, holdLock, openStore } from '../store/store.ts'
import { backUp, finishRestore, homeContents, readHeader, removeLeftovers, restoreBackup } from './backup.ts'
import { BACKUP_FORMAT } from './contents.ts'
import { restoreSteps } from './swap.ts'
import { type TarEntry, writeTar } from './tar.ts'

const NOW = Date.UTC(2026, 10, 17, 12)
const quietly = { now: NOW, progress: () => {}, signal: new AbortController().signal, stopWorker: async () => {} }

/** A folder with two homes: one with a memory, a note, settings and a spooled payload, and one that is empty. */
function twoHomes() {
  const folder = temporaryFolder()
  const at = (name: string) => homePaths({ ...environment(folder.path), home: join(folder.path, name) })
  return {
    folder: folder.path,
    file: join(folder.path, 'b.tar.gz'),
    from: at('from'),
    to: at('to'),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

async function fill(home: Home, title: string): Promise<void> {
  for (const folder of ['memory/app', 'local/app', 'modes', 'spool', 'run', 'logs'])
    mkdirSync(join(home.folder, folder), { recursive: true })
  const store = await openStore(home.database)
  await addObservations(store, [observation({ title })])
  store.close()
  writeFileSync(home.config, `# ${title}\n`)
  writeFileSync(join(home.folder, 'memory/app/note.md'), `${title}, a note\n`)
  writeFileSync(join(home.folder, 'local/app/note.md'), `${title}, a local note\n`)
  writeFileSync(join(home.folder, 'modes/law.toml'), `# ${title}\n`)
  writeFileSync(join(home.spool, '000000000000001-aa.json'), JSON.stringify({ title }))
  writeFileSync(home.token, 'a secret token')
  writeFileSync(join(home.logs, 'worker.log'), 'a log')
}

/** The titles and files of a home that a backup holds. */
async function contentsOf(home: Home) {
  const store = await openStore(home.database)
  const titles = [...store.observations.each(null)].map(({ title }) => title)
  store.close()
  const read = (path: string) => (existsSync(join(home.folder, path)) ? readFileSync(join(home.folder, path), 'utf8') : null)
  const paths = ['config.toml', 'memory/app/note.md', 'local/app/note.md', 'modes/law.toml', 'spool/000000000000001-aa.json']
  return { titles, files: paths.map(read) }
}

test('a backup restored into an empty home gives the same memories, notes, settings and spooled payloads', async () => {
  using homes = twoHomes()
  await fill(homes.from, 'Tides')
  const report = await backUp(homes.from, homes.file, quietly)
  expect(report).toMatchObject({
    file: homes.file,
    files: 6,
    skipped: [],
    problems: [],
    header: { format: BACKUP_FORMAT, madeAt: NOW, stored: { observations: 1 } },
  })
  expect(statSync(homes.file).mode & 0o777).toBe(0o600)
  expect(await readHeader(homes.file)).toEqual(report.header)
  expect(homeContents(homes.to).isEmpty).toBe(true)
  const { setAside } = await restoreBackup(homes.to, homes.file, quietly)
  expect(setAside).toBeNull()
  expect(readdirSync(homes.to.folder).sort()).toEqual([
    'config.toml',
    'local',
    'machine',
    'memory',
    'modes',
    'recollect.db',
    'run',
    'spool',
  ])
  expect(await contentsOf(homes.to)).toEqual(await contentsOf(homes.from))
  expect([readdirSync(homes.from.run), readdirSync(homes.folder).sort()]).toEqual([['token'], ['b.tar.gz', 'from', 'to']])
})

test('a backup contains no token, log, link or temporary file', async () => {
  using homes = twoHomes()
  await fill(homes.from, 'Tides')
  symlinkSync('/etc/passwd', join(homes.from.folder, 'memory/app/link.md'))
  writeFileSync(join(homes.from.folder, `memory/app/note.md.${crypto.randomUUID()}.tmp`), 'half')
  mkdirSync(join(homes.from.folder, 'memory/app/.git'))
  writeFileSync(join(homes.from.folder, 'memory/app/.git/config'), '[core]')
  expect((await backUp(homes.from, homes.file, quietly)).skipped).toEqual(['memory/app/link.md'])
  const listed = await Bun.$`tar tzf ${homes.file}`.text()
  expect(listed.trim().split('\n').sort()).toEqual([
    'backup.json',
    'config.toml',
    'local/app/note.md',
    'memory/app/note.md',
    'modes/law.toml',
    'recollect.db',
    'spool/000000000000001-aa.json',
  ])
})

test('the data that a restore replaces is set aside, and settings that the backup lacks are gone', async () => {
  using homes = twoHomes()
  await fill(homes.from, 'Tides')
  rmSync(homes.from.config)
  await fill(homes.to, 'Moons')
  writeFileSync(join(homes.to.folder, 'prices.toml'), '# mine')
  writeFileSync(join(homes.to.spool, '000000000000002-bb.json'), '{"live":true}')
  expect(homeContents(homes.to)).toMatchObject({
    isEmpty: false,
    stored: { observations: 1 },
    noteFiles: 2,
    settings: ['config.toml', 'prices.toml'],
  })
  await backUp(homes.from, homes.file, quietly)
  const { setAside } = await restoreBackup(homes.to, homes.file, quietly)
  expect(setAside).toBe(join(homes.to.folder, 'replaced-2026-11-17T12-00-00-000Z'))
  expect((await contentsOf(homes.to)).files).toEqual([null, 'Tides, a note\n', 'Tides, a local note\n', '# Tides\n', '{"title":"Tides"}'])
  expect(existsSync(join(homes.to.spool, '000000000000002-bb.json'))).toBe(true)
  expect(readFileSync(homes.to.token, 'utf8')).toBe('a secret token')
  const replaced = await contentsOf({ ...homes.to, folder: setAside as string, database: join(setAside as string, 'recollect.db') })
  expect(replaced).toEqual({ titles: ['Moons'], files: ['# Moons\n', 'Moons, a note\n', 'Moons, a local note\n', '# Moons\n', null] })
})

test('a restore that is killed after any step is completed by the next start', async () => {
  for (let kills = 0, isOver = false; !isOver; kills++) {
    using homes = twoHomes()
    await fill(homes.from, 'Tides')
    await fill(homes.to, 'Moons')
    rmSync(join(homes.to.folder, 'local'), { recursive: true })
    await backUp(homes.from, homes.file, quietly)
    // Keeps the unpacked backup at the moment when it would be moved into the home.
    const copy = join(homes.folder, 'copy')
    const stopWorker = async () => {
      await Bun.$`cp -a ${join(homes.to.run, `restore-${process.pid}`)} ${copy}`.quiet()
      throw new Error('killed')
    }
    await expect(restoreBackup(homes.to, homes.file, { ...quietly, stopWorker })).rejects.toThrow('killed')
    expect((await contentsOf(homes.to)).titles).toEqual(['Moons'])
    await Bun.$`mv ${copy} ${homes.to.incoming}`.quiet()
    const steps = restoreSteps(homes.to, NOW)
    for (let taken = 0; taken < kills && !isOver; taken++) isOver = steps.next().done === true
    finishRestore(homes.to, NOW + 1)
    expect([kills, await contentsOf(homes.to)]).toEqual([kills, await contentsOf(homes.from)])
    const [replaced = ''] = readdirSync(homes.to.folder).filter((name) => name.startsWith('replaced-'))
    const kept = readdirSync(join(homes.to.folder, replaced)).filter((name) => !/-(?:wal|shm)$/.test(name))
    expect(kept.sort()).toEqual(['config.toml', 'memory', 'modes', 'recollect.db'])
    expect(existsSync(homes.to.incoming)).toBe(false)
    expect(kills).toBeLessThan(40)
  }
})

test('a restore waits for the lock and never replaces the home of a running worker', async () => {
  using homes = twoHomes()
  await fill(homes.from, 'Tides')
  await fill(homes.to, 'Moons')
  await backUp(homes.from, homes.file, quietly)
  const worker = holdLock(homes.to.lock)
  let stops = 0
  const stopWorker = async () => {
    if (++stops === 2) worker?.release()
  }
  await restoreBackup(homes.to, homes.file, { ...quietly, stopWorker })
  expect([stops, (await contentsOf(homes.to)).titles]).toEqual([2, ['Tides']])
})

test('a stopped backup or restore changes nothing and leaves nothing', async () => {
  using homes = twoHomes()
  await fill(homes.from, 'Tides')
  await backUp(homes.from, homes.file, quietly)
  const before = readFileSync(homes.file)
  await expect(backUp(homes.from, homes.file, { ...quietly, signal: AbortSignal.abort() })).rejects.toThrow('abort')
  await expect(restoreBackup(homes.to, homes.file, { ...quietly, signal: AbortSignal.abort() })).rejects.toThrow('abort')
  expect(readFileSync(homes.file).equals(before)).toBe(true)
  expect([existsSync(homes.to.database), readdirSync(homes.to.run), readdirSync(homes.folder).sort()]).toEqual([
    false,
    [],
    ['b.tar.gz', 'from', 'to'],
  ])
})

test('the copies of a killed backup are removed, those of a running one are not', async () => {
  using homes = twoHomes()
  await fill(homes.from, 'Tides')
  const dead = Bun.spawn(['true'])
  await dead.exited
  mkdirSync(join(homes.from.run, `backup-${dead.pid}`))
  mkdirSync(join(homes.from.run, `restore-${dead.pid}`))
  mkdirSync(join(homes.from.run, `backup-${process.ppid}`))
  writeFileSync(`${homes.file}.${dead.pid}.partial`, 'half')
  writeFileSync(`${homes.file}.${process.ppid}.partial`, 'half')
  await backUp(homes.from, homes.file, quietly)
  removeLeftovers(homes.from)
  expect(readdirSync(homes.from.run).sort()).toEqual([`backup-${process.ppid}`, 'token'])
  expect(readdirSync(homes.folder).sort()).toEqual(['b.tar.gz', `b.tar.gz.${process.ppid}.partial`, 'from'])
})

test('a home without a database and a damaged database are not backed up', async () => {
  using homes = twoHomes()
  await expect(backUp(homes.to, homes.file, quietly)).rejects.toThrow('nothing to back up')
  await fill(homes.from, 'Tides')
  rmSync(`${homes.from.database}-wal`, { force: true })
  writeFileSync(homes.from.database, 'not a database, but long enough to be read as one'.repeat(100))
  await expect(backUp(homes.from, homes.file, quietly)).rejects.toThrow('is damaged')
  expect(existsSync(homes.file)).toBe(false)
  expect(homeContents(homes.from)).toMatchObject({ isEmpty: false, stored: null })
})

test('a broken repository does not keep a person from saving everything else', async () => {
  using homes = twoHomes()
  await fill(homes.from, 'Tides')
  await Bun.$`git init --quiet ${join(homes.from.folder, 'memory')}`.quiet()
  mkdirSync(join(homes.from.folder, 'memory/.git/refs/heads'), { recursive: true })
  writeFileSync(join(homes.from.folder, 'memory/.git/refs/heads/main'), `${'1'.repeat(40)}\n`)
  const { problems } = await backUp(homes.from, homes.file, quietly)
  expect(problems).toEqual([expect.stringMatching(/^the history of the notes is not in the backup: ./)])
  await restoreBackup(homes.to, homes.file, quietly)
  expect(await contentsOf(homes.to)).toEqual(await contentsOf(homes.from))
})

test('a folder without access makes the backup fail, so that no file is missing silently', async () => {
  if (process.getuid?.() === 0) return // root can read everything
  using homes = twoHomes()
  await fill(homes.from, 'Tides')
  chmodSync(join(homes.from.folder, 'memory/app'), 0)
  await expect(backUp(homes.from, homes.file, quietly)).rejects.toThrow('the permission is missing')
  chmodSync(join(homes.from.folder, 'memory/app'), 0o700)
})

const HEADER = JSON.stringify({ format: 1, version: '0.1.0', madeAt: NOW, machine: 'm', stored: {} })

type ArchivedFile = [path: string, content: string | Uint8Array, claimedBytes?: number]

async function archive(...files: ArchivedFile[]): Promise<Buffer> {
  const blocks: Uint8Array[] = []
  async function* entries(): AsyncGenerator<TarEntry> {
    for (const [path, content, claimedBytes] of files) {
      const bytes = Buffer.from(content)
      yield { path, bytes: claimedBytes ?? bytes.length, changedAt: 0, content: new Blob([bytes]).stream() }
    }
  }
  try {
    for await (const block of writeTar(entries())) blocks.push(block)
  } catch {
    // A file that claims a wrong size is the last one.
  }
  return gzipSync(Buffer.concat(blocks))
}

const backupOf = (...files: ArchivedFile[]) => archive(['backup.json', HEADER], ...files)

test('files that are not complete backups are refused, and the home stays as it was', async () => {
  using homes = twoHomes()
  await fill(homes.from, 'Tides')
  await fill(homes.to, 'Moons')
  await backUp(homes.from, homes.file, quietly)
  const good = readFileSync(homes.file)
  copyDatabase(homes.from.database, join(homes.folder, 'copy.db'))
  const database = readFileSync(join(homes.folder, 'copy.db'))
  const flipped = Buffer.from(good)
  flipped.writeUInt8(flipped.readUInt8(flipped.length >> 1) ^ 0x10, flipped.length >> 1)
  const cases: [name: string, bytes: Buffer, says: RegExp][] = [
    ['an empty file', Buffer.from(''), /is cut off/],
    ['text', Buffer.from('hello'), /is not a backup of Recollect/],
    ['compressed text', gzipSync('hello'.repeat(1000)), /is not a backup of Recollect/],
    ['another archive', await archive(['a.md', 'x']), /is not a backup of Recollect/],
    ['a header that is not JSON', await archive(['backup.json', 'x']), /is not a backup of Recollect/],
    ['a newer format', await archive(['backup.json', HEADER.replace('"format":1', '"format":2')]), /made by a newer Recollect/],
    ['the first half', good.subarray(0, good.length / 2), /is cut off/],
    ['all but the last byte', good.subarray(0, -1), /is cut off/],
    ['a flipped bit', flipped, /is damaged|is cut off/],
    ['more after the end', Buffer.concat([good, Buffer.from('more')]), /is damaged/],
    ['no database', await backupOf(), /has no database/],
    ['a damaged database', await backupOf(['recollect.db', 'x'.repeat(5000)]), /the database in .* is damaged/],
    ['an empty database', await backupOf(['recollect.db', '']), /the database in .* is damaged/],
    ['a path outside the home', await backupOf(['../evil', 'x']), /"\.\.\/evil" does not belong in a backup/],
    ['an absolute path', await backupOf(['/tmp/evil', 'x']), /"\/tmp\/evil" does not belong in a backup/],
    ['a token', await backupOf(['run/token', 'x']), /"run\/token" does not belong in a backup/],
    ['a git folder', await backupOf(['memory/.git/config', 'x']), /"memory\/.git\/config" does not belong in a backup/],
    ['a file twice', await backupOf(['config.toml', 'x'], ['config.toml', 'y']), /is in it twice/],
    ['a second header', await backupOf(['backup.json', HEADER]), /does not belong in a backup/],
    ['a file below a file', await backupOf(['memory/a', 'x'], ['memory/a/b', 'x']), /memory\/a\/b could not be restored/],
    ['a file larger than the disk', await backupOf(['memory/huge.md', 'x', 2 ** 50]), /not enough space on the disk for memory\/huge.md/],
    ['no history', await backupOf(['recollect.db', database], ['memory.bundle', 'x']), /git cannot read the history of the notes/],
  ]
  const before = await contentsOf(homes.to)
  for (const [name, content, says] of cases) {
    writeFileSync(homes.file, content)
    const restoring = restoreBackup(homes.to, homes.file, quietly)
    const problem = await restoring.then(
      () => 'restored',
      (cause: Error) => cause.message,
    )
    expect([name, problem]).toEqual([name, expect.stringMatching(says)])
    expect([name, await contentsOf(homes.to), readdirSync(homes.to.run)]).toEqual([name, before, ['token']])
  }
})
