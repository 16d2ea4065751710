/** A file for an archive, or from one. `content` must be read before the next entry. */
export type TarEntry = { path: string; bytes: number; changedAt: number; content: AsyncIterable<Uint8Array> }

/** Thrown for bytes that are not an archive, or not one that we wrote. */
export class BadArchive extends Error {}

const BLOCK_BYTES = 512
/** The size field has eleven octal digits; larger files need an extended header. */
const MAX_HEADER_SIZE = 8 ** 11 - 1
const MAX_NAME_BYTES = 100
/** An extended header holds one path and one size. */
const MAX_EXTENDED_HEADER_BYTES = 64 * 1024

/** Writes files in the POSIX tar format, which every `tar` can read. */
export async function* writeTar(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const { path, bytes, changedAt, content } of entries) {
    const name = Buffer.from(path)
    const isPlain = name.length <= MAX_NAME_BYTES && /^[\x20-\x7e]*$/.test(path)
    const records = [isPlain ? '' : paxRecord('path', path), bytes > MAX_HEADER_SIZE ? paxRecord('size', String(bytes)) : ''].join('')
    if (records) {
      const extended = Buffer.from(records)
      yield header('extended', extended.length, changedAt, 'x')
      yield extended
      yield padding(extended.length)
    }
    yield header(isPlain ? path : 'long-name', Math.min(bytes, MAX_HEADER_SIZE), changedAt, '0')
    let written = 0
    for await (const part of content) {
      written += part.length
      if (written > bytes) break
      yield part
    }
    if (written !== bytes) throw new Error(`${path} changed while it was read; try again`)
    yield padding(bytes)
  }
  yield new Uint8Array(2 * BLOCK_BYTES)
}

/** A record of an extended header starts with its own length, which includes the digits of that length. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const bytes = Buffer.byteLength(rest)
  const digits = String(bytes + String(bytes).length).length
  return `${bytes + digits}${rest}`
}

function header(name: string, bytes: number, changedAt: number, type: '0' | 'x'): Uint8Array {
  const block = Buffer.alloc(BLOCK_BYTES)
  const octal = (value: number, at: number, digits: number) => block.write(value.toString(8).padStart(digits, '0'), at, 'ascii')
  block.write(name, 0, 'utf8')
  octal(0o600, 100, 7)
  octal(0, 108, 7)
  octal(0, 116, 7)
  octal(bytes, 124, 11)
  octal(Math.max(0, Math.floor(changedAt / 1000)), 136, 11)
  block.write(type, 156, 'ascii')
  block.write('ustar\u000000', 257, 'ascii')
  octal(checksumOf(block), 148, 6)
  block[155] = 0x20
  return block
}

/** The sum of the header's bytes, with the checksum field itself counted as spaces. */
function checksumOf(block: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < BLOCK_BYTES; at++) sum += at >= 148 && at < 156 ? 0x20 : (block[at] as number)
  return sum
}

const padding = (bytes: number) => new Uint8Array((BLOCK_BYTES - (bytes % BLOCK_BYTES)) % BLOCK_BYTES)

/** Reads an archive of regular files to its end. Throws `BadArchive` for links, folders, devices, and an archive that was cut off. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = openReader(source)
  let extended = new Map<string, string>()
  for (;;) {
    const block = await reader.exactly(BLOCK_BYTES)
    if (block.every((byte) => byte === 0)) break
    const { name, bytes: size, changedAt, type } = parseHeader(block)
    if (type === 'x') {
      if (size > MAX_EXTENDED_HEADER_BYTES) throw new BadArchive('a header of the archive is too long')
      extended = parseExtendedHeader(await reader.exactly(size))
      await reader.exactly(padding(size).length)
      continue
    }
    const path = extended.get('path') ?? name
    const bytes = extended.has('size') ? Number(extended.get('size')) : size
    extended = new Map()
    if (type !== '0' && type !== '\0') throw new BadArchive(`"${printable(path)}" is not a regular file`)
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw new BadArchive(`"${printable(path)}" has an impossible size`)
    const content = reader.parts(bytes)
    yield { path, bytes, changedAt, content }
    for await (const _ of content); // skips the part that the caller did not read
    await reader.exactly(padding(bytes).length)
  }
  await reader.end()
}

/** A terminal would execute control characters. */
export const printable = (path: string) => path.replace(/\p{Cc}/gu, '?')

function parseHeader(block: Uint8Array): { name: string; bytes: number; changedAt: number; type: string } {
  const text = (at: number, length: number) =>
    Buffer.from(block.subarray(at, at + length))
      .toString('utf8')
      .split('\0', 1)[0] as string
  const octal = (at: number, length: number) => {
    const digits = text(at, length).trim()
    if (!/^[0-7]*$/.test(digits)) throw new BadArchive('a header of the archive is damaged')
    return Number.parseInt(digits || '0', 8)
  }
  if (octal(148, 8) !== checksumOf(block)) throw new BadArchive('a header of the archive is damaged')
  return {
    name: text(0, MAX_NAME_BYTES),
    bytes: octal(124, 12),
    changedAt: octal(136, 12) * 1000,
    type: String.fromCharCode(block[156] as number),
  }
}

function parseExtendedHeader(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>()
  const text = Buffer.from(bytes)
  for (let at = 0; at < text.length; ) {
    const length = Number.parseInt(text.toString('latin1', at, at + 20), 10)
    const record = text.toString('utf8', at, at + length)
    const [, key, value] = /^\d+ ([^=]+)=(.*)\n$/s.exec(record) ?? []
    if (!(length > 0) || at + length > text.length || key === undefined || value === undefined)
      throw new BadArchive('a header of the archive is damaged')
    records.set(key, value)
    at += length
  }
  return records
}

function openReader(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]()
  let rest: Uint8Array = new Uint8Array(0)
  async function* parts(bytes: number): AsyncGenerator<Uint8Array> {
    for (let missing = bytes; missing > 0; ) {
      if (rest.length === 0) {
        const next = await iterator.next()
        if (next.done) throw new BadArchive(CUT_OFF)
        rest = next.value
        continue
      }
      const part = rest.subarray(0, missing)
      rest = rest.subarray(part.length)
      missing -= part.length
      yield part
    }
  }
  return {
    parts,
    exactly: async (bytes: number): Promise<Uint8Array> => Buffer.concat(await Array.fromAsync(parts(bytes))),
    /** Reads what follows the last file, so that the checksum of the compressed stream is verified. */
    end: async () => {
      while (!(await iterator.next()).done);
    },
  }
}

export const CUT_OFF = 'the file is cut off'
