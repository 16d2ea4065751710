/** A repository's history as memories: how long the first import and a following take, and how that grows with the number of commits. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitWithUsageError, parseArguments } from '../scripts/arguments.ts'
import { headCommit } from '../src/platform/git-history.ts'
import { zeroImportCounts } from '../src/worker/import-counts.ts'
import { importGitHistory } from '../src/worker/import-git.ts'
import { aRepository } from '../test/support/repository.ts'
import { someServices } from '../test/support/services.ts'

const [count = '10000'] = parseArguments('bench/git.ts [commits]', {}, { words: true }).positionals
const COMMITS = /^[1-9]\d*$/.test(count) ? Number(count) : exitWithUsageError(`"${count}" is not a number of commits`)
const folder = mkdtempSync(join(tmpdir(), 'recollect-bench-'))

const quarter = await importTime(Math.ceil(COMMITS / 4))
const whole = await importTime(COMMITS)
console.log(`four times as many commits take ${(whole / quarter).toFixed(1)} times as long`)
rmSync(folder, { recursive: true })

async function importTime(commits: number): Promise<number> {
  const path = join(folder, String(commits))
  mkdirSync(path)
  const repository = aRepository(path)
  repository.addCommits(
    Array.from({ length: commits }, (_, n) => ({ message: messageOf(n), files: [`src/module${n % 97}/file${n % 13}.ts`] })),
  )
  await using at = await someServices()
  const total = zeroImportCounts()
  const options = { folder: path, since: null, project: null }
  const git = await timed(`git log --name-only, ${commits} commits`, async () => {
    Bun.spawnSync(['git', '-C', path, 'log', '--name-only', '--format=%B'])
  })
  const ms = await timed(`first import of ${commits} commits`, async () => {
    for await (const _ of importGitHistory(at.desk, options, total));
  })
  await timed('a second import, with nothing new', async () => {
    for await (const _ of importGitHistory(at.desk, options, zeroImportCounts()));
  })
  await timed('looking whether there are new commits', async () => void (await headCommit(path)))
  console.log(
    `  ${total.commits} commits stored, ${(ms / git).toFixed(1)} times git log, ${Math.round(at.store.bytes() / commits)} bytes each\n`,
  )
  return ms
}

/** Every fifth commit settles something, every third has only a subject. */
function messageOf(n: number): string {
  const subject = `fix(module${n % 97}): handle case ${n} of the ${['parser', 'writer', 'cache', 'queue'][n % 4]}`
  if (n % 3 === 0) return subject
  const rule = n % 5 === 0 ? `The limit must stay ${n % 50}, because a larger one breaks the import of module${n % 89}.` : ''
  return `${subject}\n\nThe ${n}th case was handled in the wrong place and failed with error ${n * 7}. ${rule}\nIt is now handled where it is read.\n`
}

async function timed(what: string, work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  const ms = performance.now() - started
  console.log(`${what.padEnd(48)} ${ms.toFixed(0).padStart(7)} ms`)
  return ms
}
