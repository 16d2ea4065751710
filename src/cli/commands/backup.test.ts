import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')

/** Runs the command line for one of several homes in a folder. */
function person(folder: string) {
  return async (home: string, ...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder, RECOLLECT_HOME: join(folder, home), RECOLLECT_WORKER_PORT: '0' }
    const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: folder, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, stdout, stderr }
  }
}

test('a home restored from a backup answers every question as before, with the worker off or on', async () => {
  using folder = temporaryFolder()
  const recollect = person(folder.path)
  const file = join(folder.path, 'b.tar.gz')
  await recollect('old', 'demo')
  await recollect('old', 'capture', '[decision] Tides are shown in the time zone of their station.', '--tag', 'clock')
  await recollect('old', 'capture', 'Only on this machine', '--local')
  await recollect('old', 'config', 'set', 'retention.tool_uses_days', '77')
  await recollect('old', 'sync')
  const { note } = JSON.parse((await recollect('old', 'capture', 'Written after the sync', '--json')).stdout)
  // Decisions of the sample sessions become notes in the background.
  const isBusy = async () => {
    const { jobs } = JSON.parse((await recollect('old', 'status', '--json')).stdout)
    return jobs.waiting + jobs.running > 0
  }
  while (await isBusy()) await Bun.sleep(100)
  const saved = JSON.parse((await recollect('old', 'backup', file, '--json')).stdout)
  expect(saved).toMatchObject({ file, format: 1, stored: { sessions: 3, prompts: 5, notes: expect.any(Number) }, skipped: [] })
  expect([statSync(file).mode & 0o777, saved.bytes]).toEqual([0o600, statSync(file).size])

  await recollect('on', 'start')
  const answers: Record<string, string[]> = {}
  for (const home of ['off', 'on']) {
    const restored = await recollect(home, 'restore', file)
    expect([home, restored.code, restored.stderr]).toEqual([home, 0, ''])
    expect(restored.stdout).toContain(`${join(folder.path, home)} is empty, so nothing is replaced.`)
    expect(restored.stdout.includes('The worker is off')).toBe(home === 'off')
    expect(existsSync(join(folder.path, home, 'run', 'worker.json'))).toBe(home === 'on')
  }
  for (const home of ['old', 'off', 'on']) {
    const ask = async (...args: string[]) => (await recollect(home, ...args)).stdout.replaceAll(join(folder.path, home), 'HOME')
    const { hits } = JSON.parse(await ask('search', 'tides clock', '--all', '--json')) as SearchAnswer
    // A worker embeds memories a while after they were stored, so only hits by words are the same at every moment.
    const byWords = hits.filter(({ matched }) => matched > 0).map(({ kind, id }) => `${kind} ${id}`)
    answers[home] = [
      byWords.sort().join(', '),
      await ask('notes', '--all', '--json'),
      await ask('get', note.id, '--json'),
      await ask('config', 'list', '--json'),
      ...(await Promise.all(
        ['sessions', 'prompts', 'observations', 'summaries', 'tool-uses'].map((kind) => ask('export', '--json', '--kind', kind)),
      )),
      await Bun.$`git -C ${join(folder.path, home, 'memory')} log --format=%H%s`.text(),
      await Bun.$`git -C ${join(folder.path, home, 'memory')} status --porcelain`.text(),
    ]
  }
  expect(answers.off).toEqual(answers.old as string[])
  expect(answers.on).toEqual(answers.old as string[])
  expect(answers.old?.[3]).toContain('77')
  expect(answers.old?.every((answer) => answer.length > 5)).toBe(true)
  expect((await recollect('off', 'sync')).stdout).toContain('Committed: 1 file')
  for (const home of ['old', 'off', 'on']) await recollect(home, 'stop')
}, 300_000)

type SearchAnswer = { hits: { kind: string; id: string; matched: number }[] }

test('a backup does not overwrite without --force, and a restore replaces nothing without --yes', async () => {
  using folder = temporaryFolder()
  const recollect = person(folder.path)
  const file = join(folder.path, 'b.tar.gz')
  await recollect('old', 'demo')
  const { note } = JSON.parse((await recollect('old', 'capture', 'Kept in the backup', '--json')).stdout)
  await recollect('old', 'backup', file)
  const before = readFileSync(file)
  for (const [args, says] of [
    [['backup'], 'one file, please'],
    [['backup', file], `${file} exists; choose another name, or pass --force`],
    [['backup', join(folder.path, 'old', 'b.tar.gz')], 'is inside the home'],
    [['backup', join(folder.path, 'nowhere', 'b.tar.gz')], 'does not exist; create it first'],
    [['backup', '/dev/null', '--force'], '/dev/null is not a regular file'],
  ] as const)
    expect(await recollect('old', ...args)).toMatchObject({ code: 4, stderr: expect.stringContaining(says) })
  expect(readFileSync(file).equals(before)).toBe(true)
  expect((await recollect('old', 'backup', file, '--force')).code).toBe(0)
  mkdirSync(join(folder.path, 'backups'))
  expect((await recollect('old', 'backup', 'backups')).stdout).toMatch(/backups\/recollect-\d{4}-\d\d-\d\dT\d{6}\.tar\.gz \(/)

  await recollect('old', 'forget', note.id, '--hard', '--yes')
  const dry = await recollect('old', 'restore', file, '--dry-run')
  expect(dry.stdout).toMatch(
    /made .* 3 sessions, .*\d notes\nReplaces in .*\n {2}3 sessions.*\n.*\nThe backup is complete\. Nothing was changed\./,
  )
  expect(await recollect('old', 'restore', file)).toMatchObject({ code: 4, stderr: expect.stringContaining('Pass --yes to continue') })
  expect((await recollect('old', 'get', note.id)).code).not.toBe(0)
  const done = JSON.parse((await recollect('old', 'restore', file, '--yes', '--json')).stdout)
  expect(done).toMatchObject({ restored: { file, stored: { sessions: 3 } }, worker: 'running' })
  expect((await recollect('old', 'get', note.id)).stdout).toContain('Kept in the backup')
  expect(existsSync(join(done.setAside, 'recollect.db'))).toBe(true)
  expect((await recollect('old', 'restore', file, '--yes')).stdout).toMatch(/delete it: rm -r .*\/old\/replaced-/)
  await recollect('old', 'stop')
}, 300_000)

test('restore accepts a file or ids, and a name that could be both is refused', async () => {
  using folder = temporaryFolder()
  const recollect = person(folder.path)
  await recollect('old', 'demo')
  writeFileSync(join(folder.path, '12'), 'a file')
  writeFileSync(join(folder.path, 'memories'), 'a file')
  mkdirSync(join(folder.path, 'folder'))
  for (const [args, says] of [
    [['12'], '"12" is a file here and could be the id of a memory; write ./12 for the file'],
    [['./12'], '/12 is not a backup of Recollect'],
    [['memories'], '/memories is not a backup of Recollect'],
    [['gone.tar.gz'], 'gone.tar.gz does not exist'],
    [['./folder'], '/folder is a folder'],
    [['memories', '7'], 'memories is a backup; restore one backup alone'],
    [['7'], '7 was not deleted'],
    [['7', '--dry-run'], '--dry-run works only with a backup'],
    [['no-such-file'], 'no-such-file'],
  ] as const)
    expect([args, (await recollect('old', 'restore', ...args)).stderr]).toEqual([args, expect.stringContaining(says)])
  rmSync(join(folder.path, '12'))
  await recollect('old', 'stop')
}, 300_000)
