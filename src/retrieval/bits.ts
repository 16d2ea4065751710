/**
 * One bit for each dimension of a vector, its sign. The angle between two vectors shows in how many of their bits differ, and that is
 * counted for a million of them in milliseconds; what comes out best is then looked at properly.
 */

/** A vector's signs, 32 to a word. */
export function bitsOf(vector: ArrayLike<number>): Uint32Array {
  const bits = new Uint32Array(wordsFor(vector.length))
  for (let d = 0; d < vector.length; d++) if ((vector[d] ?? 0) > 0) bits[d >> 5] = (bits[d >> 5] ?? 0) | (1 << (d & 31))
  return bits
}

/** Words of 32 bits in a code; an even number, because the kernel counts 64 bits at once. */
export function wordsFor(dimensions: number): number {
  return Math.ceil(dimensions / 64) * 2
}

/** Codes in the order they were added, each known by a number of the caller's. */
export type List = {
  readonly ids: number[]
  add(id: number, bits: Uint32Array): void
  /** The last one takes its place. */
  removeAt(place: number): void
  /** Where a code begins. */
  byteAt(place: number): number
  /** Each block, how many codes are in it, and where the kernel puts their distances. */
  blocks(): Generator<{ start: number; count: number; distances: number; first: number }>
}

export type Close = { list: List; place: number; id: number }

/** How many codes a block holds. Small enough to waste little on a small project, large enough that calling the kernel costs nothing. */
const BLOCK = 4096
const PAGE = 65_536
const QUERY_AT = 0

/** Lists of codes in one memory that the kernel can read. A list is a project's, so that a question about one looks at no other. */
export function openCodes(dimensions: number) {
  const words = wordsFor(dimensions)
  const histogramAt = QUERY_AT + words * 4
  const blocksAt = Math.ceil((histogramAt + (dimensions + 1) * 4) / 64) * 64
  const blockBytes = BLOCK * (words * 4 + 2)
  const memory = new WebAssembly.Memory({ initial: Math.ceil(blocksAt / PAGE) })
  const kernel = new WebAssembly.Instance(new WebAssembly.Module(kernelFor(words / 2)), { env: { memory } })
  const scan = kernel.exports.scan as (codes: number, count: number, query: number, distances: number, histogram: number) => void
  let blocks = 0
  // Views go blind when the memory grows; these are made again then.
  let ints = new Uint32Array(memory.buffer)
  let shorts = new Uint16Array(memory.buffer)

  function newBlock(): number {
    const at = blocksAt + blocks++ * blockBytes
    const missing = at + blockBytes - memory.buffer.byteLength
    if (missing > 0) {
      // By an eighth at least: growing often would copy often.
      memory.grow(Math.ceil(Math.max(missing, memory.buffer.byteLength / 8) / PAGE))
      ints = new Uint32Array(memory.buffer)
      shorts = new Uint16Array(memory.buffer)
    }
    return at
  }

  return {
    bytes: () => memory.buffer.byteLength,
    newList(): List {
      const starts: number[] = []
      const ids: number[] = []
      const codeAt = (place: number) => ((starts[Math.floor(place / BLOCK)] ?? 0) + (place % BLOCK) * words * 4) >> 2
      return {
        ids,
        add(id: number, bits: Uint32Array) {
          if (ids.length === starts.length * BLOCK) starts.push(newBlock())
          ints.set(bits, codeAt(ids.length))
          ids.push(id)
        },
        removeAt(place: number) {
          const last = ids.length - 1
          ints.copyWithin(codeAt(place), codeAt(last), codeAt(last) + words)
          ids[place] = ids[last] as number
          ids.pop()
        },
        byteAt: (place) => codeAt(place) << 2,
        *blocks() {
          for (const [index, start] of starts.entries()) {
            const count = Math.min(BLOCK, ids.length - index * BLOCK)
            if (count > 0) yield { start, count, distances: start + BLOCK * words * 4, first: index * BLOCK }
          }
        },
      }
    },
    /** The places of about `wanted` codes that differ least from the question's, in all these lists together. */
    closest(lists: List[], bits: Uint32Array, wanted: number): Close[] {
      ints.set(bits, QUERY_AT >> 2)
      const histogram = ints.subarray(histogramAt >> 2, (histogramAt >> 2) + dimensions + 1)
      histogram.fill(0)
      for (const list of lists) {
        for (const block of list.blocks()) scan(block.start, block.count, QUERY_AT, block.distances, histogramAt)
      }
      let limit = 0
      let closer = 0
      while (limit < dimensions && closer + (histogram[limit] ?? 0) < wanted) closer += histogram[limit++] ?? 0
      // Of those that are just as far as the last wanted one, as many as still fit.
      let room = wanted - closer
      const found: Close[] = []
      for (const list of lists) {
        for (const { distances, count, first } of list.blocks()) {
          const from = distances >> 1
          for (let at = 0; at < count; at++) {
            const distance = shorts[from + at] as number
            if (distance > limit || (distance === limit && room-- <= 0)) continue
            found.push({ list, place: first + at, id: list.ids[first + at] as number })
          }
        }
      }
      return found
    },
    /**
     * The best of these by the question's own numbers, each taken with the sign that the code has: much nearer to the truth than
     * counting signs, and no row has to be read for it. Eight dimensions at a time, from a table of all their sums.
     */
    nearest(candidates: Close[], vector: Float32Array, wanted: number): Close[] {
      if (candidates.length <= wanted) return candidates
      const sums = sumsOf(vector)
      const bytes = new Uint8Array(memory.buffer)
      const scored = candidates.map((close) => {
        const from = close.list.byteAt(close.place)
        let score = 0
        for (let byte = 0; byte < sums.length >> 8; byte++) score += sums[(byte << 8) | (bytes[from + byte] as number)] as number
        return { close, score }
      })
      return scored
        .sort((a, b) => b.score - a.score)
        .slice(0, wanted)
        .map(({ close }) => close)
    },
  }
}

/** For each eight dimensions and each pattern of their signs: what those whose sign is set add up to. */
function sumsOf(vector: Float32Array): Float32Array {
  const sums = new Float32Array(Math.ceil(vector.length / 8) * 256)
  for (let byte = 0; byte < sums.length >> 8; byte++) {
    for (let pattern = 1; pattern < 256; pattern++) {
      const lowest = 31 - Math.clz32(pattern & -pattern)
      sums[(byte << 8) | pattern] = (sums[(byte << 8) | (pattern & (pattern - 1))] as number) + (vector[byte * 8 + lowest] ?? 0)
    }
  }
  return sums
}

/**
 * The kernel, as WebAssembly: `scan(codes, count, query, distances, histogram)` counts, for each code, the bits that differ from the
 * query's, writes the number down and counts how often it came. Written out for the width, so that nothing inside the loop depends on it;
 * JavaScript has no instruction that counts the bits of a word, and needs four to ten times as long.
 */
function kernelFor(words: number): Uint8Array<ArrayBuffer> {
  const [codes, count, query, distances, histogram] = [0, 1, 2, 3, 4]
  const word = (index: number) => 5 + index
  const bin = 5 + words
  const distance = bin + 1
  const each = Array.from({ length: words }, (_, index) => index)
  const body = [
    ...each.flatMap((index) => [...get(query), ...op.i64Load(index * 8), ...set(word(index))]),
    ...[op.block, op.empty, ...get(count), op.i32Eqz, op.brIf, 0, op.loop, op.empty],
    ...each.flatMap((index) => [
      ...[...get(codes), ...op.i64Load(index * 8), ...get(word(index)), op.i64Xor, op.i64Popcnt],
      ...(index > 0 ? [op.i64Add] : []),
    ]),
    ...[op.i32Wrap, ...set(distance), ...get(distances), ...get(distance), ...op.i32Store16],
    ...[...get(histogram), ...get(distance), ...i32(2), op.i32Shl, op.i32Add, ...set(bin)],
    ...[...get(bin), ...get(bin), ...op.i32Load, ...i32(1), op.i32Add, ...op.i32Store],
    ...[...get(codes), ...i32(words * 8), op.i32Add, ...set(codes), ...get(distances), ...i32(2), op.i32Add, ...set(distances)],
    ...[...get(count), ...i32(1), op.i32Sub, ...tee(count), op.brIf, 0, op.end, op.end, op.end],
  ]
  const locals = [2, ...unsigned(words), I64, 2, I32]
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, 5, I32, I32, I32, I32, I32, 0]),
    ...section(2, [1, ...name('env'), ...name('memory'), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('scan'), 0, 0]),
    ...section(10, [1, ...sized([...locals, ...body])]),
  ])
}

const I32 = 0x7f
const I64 = 0x7e
const op = {
  block: 0x02,
  loop: 0x03,
  end: 0x0b,
  brIf: 0x0d,
  empty: 0x40,
  i32Load: [0x28, 2, 0],
  i64Load: (offset: number) => [0x29, 2, ...unsigned(offset)],
  i32Store: [0x36, 2, 0],
  i32Store16: [0x3b, 1, 0],
  i32Eqz: 0x45,
  i32Add: 0x6a,
  i32Sub: 0x6b,
  i32Shl: 0x74,
  i64Popcnt: 0x7b,
  i64Add: 0x7c,
  i64Xor: 0x85,
  i32Wrap: 0xa7,
}
const get = (local: number) => [0x20, ...unsigned(local)]
const set = (local: number) => [0x21, ...unsigned(local)]
const tee = (local: number) => [0x22, ...unsigned(local)]
const i32 = (value: number) => [0x41, ...signed(value)]
const name = (text: string) => sized([...new TextEncoder().encode(text)])
const sized = (bytes: number[]) => [...unsigned(bytes.length), ...bytes]
const section = (id: number, bytes: number[]) => [id, ...sized(bytes)]

/** WebAssembly writes numbers seven bits at a time, the lowest first. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >> 7)]
}

/** The same for a number that has a sign, which is the next bit after its last. */
function signed(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signed(value >> 7)]
}
