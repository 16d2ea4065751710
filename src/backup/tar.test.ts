import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { readTar, writeTar } from './tar.ts'

async function* entriesOf(files: Record<string, string>) {
  for (const [path, text] of Object.entries(files)) {
    const bytes = Buffer.from(text)
    yield { path, bytes: bytes.length, changedAt: 1_700_000_000_000, content: inPieces(bytes, 700) }
  }
}

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const pack = async (files: Record<string, string>) => Buffer.concat(await Array.fromAsync(writeTar(entriesOf(files))))

async function unpack(bytes: Uint8Array, pieceSize = 333): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for await (const entry of readTar(inPieces(bytes, pieceSize)))
    files[entry.path] = Buffer.concat(await Array.fromAsync(entry.content)).toString()
  return files
}

const FILES = {
  'empty.md': '',
  'one-block.md': 'x'.repeat(512),
  'long.md': 'Tides are in UTC.\n'.repeat(500),
  [`memory/${'deep-'.repeat(40)}/note.md`]: 'a path of more than a hundred bytes',
  'memory/projet é 日本.md': 'a path outside ASCII',
}

test('an archive returns every file as it was, however its bytes arrive', async () => {
  const packed = await pack(FILES)
  for (const pieceSize of [1, 511, 512, 100_000]) expect(await unpack(packed, pieceSize)).toEqual(FILES)
})

test('the tar program reads the same files', async () => {
  using folder = temporaryFolder()
  await Bun.write(join(folder.path, 'a.tar'), await pack(FILES))
  const child = Bun.spawn(['tar', 'xf', 'a.tar'], { cwd: folder.path, env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' } })
  expect(await child.exited).toBe(0)
  for (const [path, text] of Object.entries(FILES)) expect(await Bun.file(join(folder.path, path)).text()).toBe(text)
})

test('a file that a caller does not read is skipped', async () => {
  const seen: string[] = []
  for await (const { path } of readTar(inPieces(await pack(FILES), 400))) seen.push(path)
  expect(seen).toEqual(Object.keys(FILES))
})

test('a file whose size changes while it is read fails, so the archive stays readable', async () => {
  async function* wrong() {
    yield { path: 'a.md', bytes: 3, changedAt: 0, content: inPieces(Buffer.from('four'), 10) }
  }
  await expect(Array.fromAsync(writeTar(wrong()))).rejects.toThrow('a.md changed while it was read')
})

test('an archive that is cut off anywhere is refused', async () => {
  const packed = await pack({ 'a.md': 'one', [`${'b'.repeat(120)}.md`]: 'two' })
  for (let length = 0; length < packed.length - 512; length += 101)
    await expect(unpack(packed.subarray(0, length))).rejects.toThrow('the file is cut off')
})

test('links, folders, devices, damaged headers and impossible sizes are refused', async () => {
  const packed = await pack({ 'a.md': 'one' })
  for (const type of '123456gLKS') {
    const changed = Buffer.from(packed)
    changed.write(type, 156)
    await expect(unpack(withChecksum(changed))).rejects.toThrow('"a.md" is not a regular file')
  }
  const damaged = Buffer.from(packed)
  damaged.write('b', 0)
  await expect(unpack(damaged)).rejects.toThrow('a header of the archive is damaged')
  const negative = Buffer.from(packed)
  negative.write('-0000000001', 124)
  await expect(unpack(withChecksum(negative))).rejects.toThrow('a header of the archive is damaged')
  const longHeader = Buffer.from(packed)
  longHeader.write('x', 156)
  longHeader.write('77777777777', 124)
  await expect(unpack(withChecksum(longHeader))).rejects.toThrow('too long')
  for (const record of ['abc\n', '0 path=x\n', '99 path=x\n', '-5 path=x\n']) {
    const extended = Buffer.alloc(1536)
    packed.copy(extended, 0, 0, 512)
    extended.write('x', 156)
    extended.write(record.length.toString(8).padStart(11, '0'), 124)
    extended.write(record, 512)
    await expect(unpack(withChecksum(extended))).rejects.toThrow('a header of the archive is damaged')
  }
})

/** Puts the right checksum into the first header. */
function withChecksum(bytes: Buffer): Buffer {
  bytes.write('        ', 148)
  const sum = bytes.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}
