import { afterAll, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Anchor } from '../core/anchor.ts'
import { anchorsAt } from './capture-anchors.ts'
import { openWorkTree } from './work-tree-check.ts'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

const LOCAL_TIME =
  "export function localTime(at: Date) {\n  const zone = 'UTC'\n  return at.toLocaleString('en-GB', { timeZone: zone })\n}\n"
const PARSE_TIME = 'export function parseTime(text: string) {\n  return new Date(Date.parse(text))\n}\n'
const PATIENT = { readMs: 10_000, searchMs: 10_000 }

/** A repository with these files, and an anchor for `localTime` of `src/time.ts` at its first commit. */
function aRepository(files: Record<string, string> = { 'src/time.ts': LOCAL_TIME + PARSE_TIME }) {
  const top = mkdtempSync(join(tmpdir(), 'recollect-anchors-'))
  folders.push(top)
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', top, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { encoding: 'utf8' }).trim()
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(top, path)), { recursive: true })
    writeFileSync(join(top, path), text)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  git('init', '--quiet', '--initial-branch=main')
  git('add', '.')
  git('commit', '--quiet', '-m', 'first')
  const commit = git('rev-parse', 'HEAD')
  const anchorTo = (path: string, word: string): Anchor => {
    const start = files[path]?.indexOf(word) ?? -1
    const [anchor] = anchorsAt(path, files[path] ?? '', [{ start, end: start }], { commit, branch: 'main' })
    if (!anchor) throw new Error('no anchor')
    return anchor
  }
  const check = async (anchor: Anchor) => (await openWorkTree(top).check([anchor], PATIENT))[0]
  return { top, git, write, commit, anchorTo, check }
}

test('code that is the same, also in another layout, needs no mark', async () => {
  const { anchorTo, check, write } = aRepository()
  const anchor = anchorTo('src/time.ts', 'zone')
  expect(anchor.name).toBe('localTime')
  expect((await check(anchor))?.state).toBe('same')
  write('src/time.ts', `// moved down\n${PARSE_TIME}\n${LOCAL_TIME.replaceAll('  ', '\t')}`)
  expect((await check(anchor))?.state).toBe('same')
})

test('changed code is reported with its new parameters', async () => {
  const { anchorTo, check, write } = aRepository()
  write('src/time.ts', LOCAL_TIME.replace('(at: Date)', '(at: Date, zone: string)').replace("  const zone = 'UTC'\n", ''))
  expect(await check(anchorTo('src/time.ts', 'zone'))).toEqual({
    state: 'changed',
    movedTo: null,
    renamedTo: null,
    newHeader: 'function localTime(at: Date, zone: string)',
  })
})

test('deleted code is gone, also when similar code that was there before remains', async () => {
  const twin = LOCAL_TIME.replace('localTime', 'localDay')
  const { anchorTo, check, write } = aRepository({ 'src/time.ts': LOCAL_TIME + twin })
  write('src/time.ts', twin)
  expect((await check(anchorTo('src/time.ts', 'zone')))?.state).toBe('gone')
})

test('renames of definitions and files, and moves between files, are followed', async () => {
  const renamed = aRepository()
  renamed.write('src/time.ts', LOCAL_TIME.replace('localTime', 'formatLocal') + PARSE_TIME)
  expect(await renamed.check(renamed.anchorTo('src/time.ts', 'zone'))).toMatchObject({ state: 'changed', renamedTo: 'formatLocal' })

  const file = aRepository()
  renameSync(join(file.top, 'src/time.ts'), join(file.top, 'src/clock.ts'))
  file.git('add', '.')
  expect(await file.check(file.anchorTo('src/time.ts', 'zone'))).toMatchObject({ state: 'same', movedTo: 'src/clock.ts' })

  const moved = aRepository()
  moved.write('src/time.ts', PARSE_TIME)
  moved.write('lib/local.ts', LOCAL_TIME)
  expect(await moved.check(moved.anchorTo('src/time.ts', 'zone'))).toMatchObject({ state: 'same', movedTo: 'lib/local.ts' })
})

test('code that is missing on another branch is unknown, not gone', async () => {
  const { anchorTo, check, git, write } = aRepository()
  const anchor = { ...anchorTo('src/time.ts', 'zone'), commit: 'f'.repeat(40) }
  write('src/time.ts', PARSE_TIME)
  expect((await check(anchor))?.state).toBe('unknown')
  git('checkout', '--quiet', '.')
  expect((await check(anchor))?.state).toBe('same')
})

test('nothing outside the work tree is read, nor a device, a FIFO, a huge or an excluded file', async () => {
  const { anchorTo, top, write } = aRepository()
  const anchor = anchorTo('src/time.ts', 'zone')
  const outside = mkdtempSync(join(tmpdir(), 'recollect-outside-'))
  folders.push(outside)
  writeFileSync(join(outside, 'time.ts'), LOCAL_TIME)
  symlinkSync(join(outside, 'time.ts'), join(top, 'src/linked.ts'))
  symlinkSync(outside, join(top, 'away'))
  execFileSync('sh', ['-c', 'mkfifo "$0"', join(top, 'src/pipe.ts')])
  symlinkSync('/dev/zero', join(top, 'src/zero.ts'))
  write('src/huge.ts', LOCAL_TIME + '//'.repeat(600_000))
  mkdirSync(join(top, 'src/folder.ts'))
  const paths = [
    'src/linked.ts',
    'away/time.ts',
    'src/pipe.ts',
    'src/zero.ts',
    'src/huge.ts',
    'src/folder.ts',
    '../time.ts',
    '/etc/passwd.ts',
    '.git/config.ts',
    'a\0.ts',
  ]
  const checks = await openWorkTree(top).check(
    paths.map((path) => ({ ...anchor, path })),
    PATIENT,
  )
  expect(checks.map(({ state }) => state)).toEqual(paths.map(() => 'unknown'))
  const [excluded] = await openWorkTree(top, (path) => path === 'src/time.ts').check([anchor], PATIENT)
  expect(excluded?.state).toBe('unknown')
})

test('a check without time knows nothing, and a result is kept while the file stays the same', async () => {
  const { anchorTo, top, write } = aRepository()
  const anchor = anchorTo('src/time.ts', 'zone')
  const tree = openWorkTree(top)
  expect((await tree.check([anchor], { readMs: 0, searchMs: 0 }))[0]?.state).toBe('unknown')
  expect((await tree.check([anchor], PATIENT))[0]?.state).toBe('same')
  expect((await tree.check([anchor], PATIENT))[0]?.state).toBe('same')
  write('src/time.ts', PARSE_TIME)
  // The search for its new place may not end in time; that it is no longer here is known.
  expect((await tree.check([anchor], { readMs: 10_000, searchMs: 0 }))[0]?.state).toBe('gone')
})

test('an anchor to a file alone, or in an unknown language, claims nothing', async () => {
  const { anchorTo, check, write } = aRepository()
  write('notes.txt', 'hello')
  const anchor = anchorTo('src/time.ts', 'zone')
  expect((await check({ ...anchor, name: null }))?.state).toBe('unknown')
  expect((await check({ ...anchor, path: 'notes.txt' }))?.state).toBe('unknown')
})
