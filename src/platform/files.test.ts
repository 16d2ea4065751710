import { expect, test } from 'bun:test'
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import {
  ensurePrivateFolder,
  exists,
  fileSizeBytes,
  findWriteProblem,
  isFolder,
  isPrivate,
  readBytesIfThere,
  readIfThere,
  readJsonIfThere,
  readOrCreateSecret,
  readRegularFileFrom,
  readSmallFile,
  readUtf8IfThere,
  regularFileBytes,
  writeFileAtomically,
  writeInPlace,
} from './files.ts'

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a private folder can be entered only by its owner, even if it was open before', () => {
  using folder = temporaryFolder()
  const open = join(folder.path, 'open')
  mkdirSync(open, { mode: 0o755 })
  ensurePrivateFolder(open)
  ensurePrivateFolder(join(folder.path, 'new', 'below'))
  expect([modeOf(open), modeOf(join(folder.path, 'new', 'below'))]).toEqual([0o700, 0o700])
})

test('a home may be a link to another disk', () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, 'disk'))
  symlinkSync(join(folder.path, 'disk'), join(folder.path, 'home'))
  ensurePrivateFolder(join(folder.path, 'home'))
  expect(modeOf(join(folder.path, 'disk'))).toBe(0o700)
})

test('a file in place of the folder is refused', () => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'file'), '')
  expect(() => ensurePrivateFolder(join(folder.path, 'file'))).toThrow()
  expect(() => ensurePrivateFolder(join(folder.path, 'file', 'below'))).toThrow()
})

test('a written file is complete and private, and no temporary file remains', () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'a')
  const big = 'é'.repeat(1_000_000)
  writeFileAtomically(path, big)
  writeFileAtomically(path, new Uint8Array([104, 105]))
  expect(readFileSync(path, 'utf8')).toBe('hi')
  writeFileAtomically(path, big)
  expect(fileSizeBytes(path)).toBe(2_000_000)
  expect(modeOf(path)).toBe(0o600)
  expect(readdirSync(folder.path)).toEqual(['a'])
})

test('a failed write names the path, keeps the old text and leaves no temporary file', () => {
  using folder = temporaryFolder()
  mkdirSync(join(folder.path, 'taken', 'x'), { recursive: true })
  expect(() => writeFileAtomically(join(folder.path, 'taken'), 'text')).toThrow(`could not write ${join(folder.path, 'taken')}`)
  expect(() => writeFileAtomically(join(folder.path, 'no', 'folder'), 'text')).toThrow('could not write')
  expect(readdirSync(folder.path)).toEqual(['taken'])
})

test('writing in place follows a link, keeps the mode and makes a missing folder', () => {
  using folder = temporaryFolder()
  const real = join(folder.path, 'dotfiles.json')
  const link = join(folder.path, 'settings.json')
  writeFileSync(real, 'old')
  chmodSync(real, 0o644)
  symlinkSync('dotfiles.json', link)
  writeInPlace(link, 'new')
  expect([readFileSync(real, 'utf8'), modeOf(real), lstatSync(link).isSymbolicLink()]).toEqual(['new', 0o644, true])
  symlinkSync('later/there.json', join(folder.path, 'dangling'))
  writeInPlace(join(folder.path, 'dangling'), 'made')
  expect(readFileSync(join(folder.path, 'later', 'there.json'), 'utf8')).toBe('made')
})

test('a FIFO and a device are refused at once instead of read forever', async () => {
  using folder = temporaryFolder()
  const fifo = join(folder.path, 'fifo')
  Bun.spawnSync(['mkfifo', fifo])
  symlinkSync('/dev/zero', join(folder.path, 'device'))
  for (const path of [fifo, join(folder.path, 'device'), folder.path]) {
    for (const read of [readIfThere, readBytesIfThere, readUtf8IfThere, readJsonIfThere, (one: string) => readSmallFile(one, 100)])
      expect(() => read(path)).toThrow('could not read')
    expect(await regularFileBytes(path)).toBeNull()
    expect(readRegularFileFrom(path, 0).next()).rejects.toThrow()
  }
})

test('a large file is read in chunks, from an offset', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'large')
  writeFileSync(path, `skipped${'x'.repeat(600_000)}end`)
  const chunks = await Array.fromAsync(readRegularFileFrom(path, 7))
  expect(chunks.length).toBeGreaterThan(1)
  expect(Buffer.concat(chunks).toString()).toBe(`${'x'.repeat(600_000)}end`)
})

test('a missing file is null, whichever part of its path is missing', () => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'file'), '{"half":')
  for (const path of [join(folder.path, 'none'), join(folder.path, 'none', 'below'), join(folder.path, 'file', 'below')]) {
    expect([readIfThere(path), readJsonIfThere(path), exists(path), isFolder(path), fileSizeBytes(path)]).toEqual([
      null,
      null,
      false,
      false,
      0,
    ])
  }
  expect(readJsonIfThere(join(folder.path, 'file'))).toBeNull()
  expect(() => readIfThere(folder.path)).toThrow('could not read')
})

test('a secret is created once, is long, and only its owner can read it', () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'run', 'token')
  const secret = readOrCreateSecret(path)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(readOrCreateSecret(path)).toBe(secret)
  expect([isPrivate(path), modeOf(join(folder.path, 'run'))]).toEqual([true, 0o700])
})

test('an empty secret is replaced', () => {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'token'), ' \n')
  expect(readOrCreateSecret(join(folder.path, 'token'))).toMatch(/^[0-9a-f]{64}$/)
})

test('the write check finds a folder without write access, and leaves no file behind', () => {
  using folder = temporaryFolder()
  expect(findWriteProblem(folder.path)).toBeNull()
  expect(readdirSync(folder.path)).toEqual([])
  expect(findWriteProblem(join(folder.path, 'none'))?.message).toContain('ENOENT')
})
