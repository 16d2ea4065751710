/**
 * A code has one bit for each dimension of a vector: its sign. The number of differing bits approximates the angle between two vectors, and can be
 * counted for a million codes in milliseconds. The best are then compared exactly.
 */
import { once } from '../core/once.ts'
import { assemble, func, i8x16, i16x8, i32, i32x4, v128, type WasmFunction, type WasmLocal, when, whileBelow } from '../minilm/assembler.ts'

/** The sign bits of a vector, 32 to a word. */
export function signBits(vector: ArrayLike<number>): Uint32Array {
  const bits = new Uint32Array(wordsPerCode(vector.length))
  for (let d = 0; d < vector.length; d++) if ((vector[d] ?? 0) > 0) bits[d >> 5] = (bits[d >> 5] ?? 0) | (1 << (d & 31))
  return bits
}

/** How many 32-bit words a code takes: a multiple of four, because the kernel counts 128 bits at once. */
export function wordsPerCode(dimensions: number): number {
  return Math.ceil(dimensions / 128) * 4
}

/** Codes in the order they were added, each with an id from the caller. */
export type CodeList = {
  readonly ids: number[]
  add(id: number, bits: Uint32Array): void
  /** Moves the last code into the freed place. */
  removeAt(place: number): void
  /** Each block with its number of codes and the address for their distances. */
  blocks(): Generator<{ start: number; count: number; distances: number; first: number }>
}

export type CodeMatch = { list: CodeList; place: number; id: number }

/** Small enough to waste little on a small project, large enough that the call of the kernel costs nothing. */
const CODES_PER_BLOCK = 4096
const WASM_PAGE_BYTES = 65_536
const QUERY_OFFSET = 0

/** Lists of codes in one memory that the kernel can read. Each project has its own list, so that a query reads no other project. */
export function openCodeIndex(dimensions: number) {
  const words = wordsPerCode(dimensions)
  const histogramAt = QUERY_OFFSET + words * 4
  const pickedAt = histogramAt + (dimensions + 1) * 4
  const blocksAt = Math.ceil((pickedAt + (1 + CODES_PER_BLOCK) * 4) / 64) * 64
  const blockBytes = CODES_PER_BLOCK * (words * 4 + 2)
  const memory = new WebAssembly.Memory({ initial: Math.ceil(blocksAt / WASM_PAGE_BYTES) })
  const kernel = once(() => openKernel(memory, words / 4))
  let blocks = 0
  // Growing the memory detaches its views, so they are recreated.
  let ints = new Uint32Array(memory.buffer)
  let shorts = new Uint16Array(memory.buffer)

  function newBlock(): number {
    const at = blocksAt + blocks++ * blockBytes
    const missing = at + blockBytes - memory.buffer.byteLength
    if (missing > 0) {
      // By at least an eighth, because each growth copies.
      memory.grow(Math.ceil(Math.max(missing, memory.buffer.byteLength / 8) / WASM_PAGE_BYTES))
      ints = new Uint32Array(memory.buffer)
      shorts = new Uint16Array(memory.buffer)
    }
    return at
  }

  /** The distance limit that keeps `alike` codes, and how many of those at exactly that distance fit. */
  function countDiffering(lists: CodeList[], bits: Uint32Array, alike: number): { limit: number; room: number } {
    ints.set(bits, QUERY_OFFSET >> 2)
    const histogram = ints.subarray(histogramAt >> 2, (histogramAt >> 2) + dimensions + 1)
    histogram.fill(0)
    const { scan, tally } = kernel()
    for (const list of lists) {
      for (const { start, count, distances } of list.blocks()) {
        scan(start, count, QUERY_OFFSET, distances)
        tally(distances, count, histogramAt)
      }
    }
    let limit = 0
    let closer = 0
    while (limit < dimensions && closer + (histogram[limit] ?? 0) < alike) closer += histogram[limit++] ?? 0
    return { limit, room: alike - closer }
  }

  return {
    bytes: () => memory.buffer.byteLength,
    newList(): CodeList {
      const starts: number[] = []
      const ids: number[] = []
      const codeAt = (place: number) => ((starts[Math.floor(place / CODES_PER_BLOCK)] ?? 0) + (place % CODES_PER_BLOCK) * words * 4) >> 2
      return {
        ids,
        add(id: number, bits: Uint32Array) {
          if (ids.length === starts.length * CODES_PER_BLOCK) starts.push(newBlock())
          ints.set(bits, codeAt(ids.length))
          ids.push(id)
        },
        removeAt(place: number) {
          const last = ids.length - 1
          ints.copyWithin(codeAt(place), codeAt(last), codeAt(last) + words)
          ids[place] = ids[last] as number
          ids.pop()
        },
        *blocks() {
          for (const [index, start] of starts.entries()) {
            const count = Math.min(CODES_PER_BLOCK, ids.length - index * CODES_PER_BLOCK)
            if (count > 0) yield { start, count, distances: start + CODES_PER_BLOCK * words * 4, first: index * CODES_PER_BLOCK }
          }
        },
      }
    },
    /**
     * The `wanted` nearest codes in all lists, in list order. First it takes the `alike` codes with the fewest differing bits, then ranks these by
     * the vector's own numbers with the signs of the code. That is much more accurate than counting bits, but too slow for all codes. It reads no
     * stored vector.
     */
    nearest(lists: CodeList[], vector: Float32Array, { alike, wanted }: { alike: number; wanted: number }): CodeMatch[] {
      let { limit, room } = countDiffering(lists, signBits(vector), alike)
      const sums = sumsOf(vector)
      const bytes = new Uint8Array(memory.buffer)
      const [owners, places, scores] = [new Uint32Array(alike), new Uint32Array(alike), new Float32Array(alike)]
      let found = 0
      const { pick } = kernel()
      for (const [owner, list] of lists.entries()) {
        for (const { start, distances, count, first } of list.blocks()) {
          pick(distances, count, limit, pickedAt)
          for (let at = (pickedAt >> 2) + 1, end = ints[pickedAt >> 2] as number; at < end >> 2; at++) {
            const place = ints[at] as number
            if (place >= count || (shorts[(distances >> 1) + place] === limit && room-- <= 0)) continue
            owners[found] = owner
            places[found] = first + place
            scores[found++] = scoreOf(sums, bytes, start + place * words * 4)
          }
        }
      }
      const minScore = found > wanted ? (scores.subarray(0, found).toSorted()[found - wanted] as number) : Number.NEGATIVE_INFINITY
      const nearest: CodeMatch[] = []
      for (let at = 0; at < found && nearest.length < wanted; at++) {
        if ((scores[at] as number) < minScore) continue
        const [list, place] = [lists[owners[at] as number] as CodeList, places[at] as number]
        nearest.push({ list, place, id: list.ids[place] as number })
      }
      return nearest
    },
  }
}

/** For each group of eight dimensions and each pattern of signs: the sum of the numbers whose bit is set. */
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

function scoreOf(sums: Float32Array, bytes: Uint8Array, from: number): number {
  let score = 0
  for (let at = 0; at < sums.length; at += 256) score += sums[at | (bytes[from + (at >> 8)] as number)] as number
  return score
}

/**
 * The kernel in WebAssembly, because JavaScript cannot count the bits of a word. `scan` writes the distance of each code from the query, eight
 * codes at a time; after the last code it may write up to seven meaningless distances. `tally` counts how often each distance occurs. `pick`
 * lists the positions up to a distance limit, preceded by the end of the list, and skips eight at a time if none qualifies. The code is unrolled
 * for the width of a code.
 */
function openKernel(memory: WebAssembly.Memory, parts: number): HammingKernel {
  const module = new WebAssembly.Module(assemble([scanFor(parts), tally(), pick()]))
  return new WebAssembly.Instance(module, { env: { memory } }).exports as HammingKernel
}

type HammingKernel = {
  scan(codes: number, count: number, query: number, distances: number): void
  tally(distances: number, count: number, histogram: number): void
  pick(distances: number, count: number, limit: number, picked: number): void
}

const SIMD_BYTES = 16
const CODES_PER_STEP = 8
/** How many counts of up to eight fit in a byte. */
const MAX_COUNTS_PER_BYTE = 31

function scanFor(parts: number): WasmFunction {
  return func('scan', ['codes', 'count', 'query', 'distances'], ({ codes, count, query, distances }, locals) => {
    const queryParts = Array.from({ length: parts }, () => locals.v128())
    const at = locals.i32()
    const ones = locals.v128()
    const differing = (code: number, index: number) =>
      i8x16.popcnt(v128.xor(v128.load(codes.get, (code * parts + index) * SIMD_BYTES), (queryParts[index] as WasmLocal).get))
    const inEights = (code: number) =>
      Array.from({ length: Math.ceil(parts / MAX_COUNTS_PER_BYTE) }, (_, chunk) => {
        const few = Array.from({ length: Math.min(MAX_COUNTS_PER_BYTE, parts - chunk * MAX_COUNTS_PER_BYTE) }, (_, index) =>
          differing(code, chunk * MAX_COUNTS_PER_BYTE + index),
        )
        return i16x8.pairsOf(few.reduce((sum, part) => i8x16.add(sum, part)))
      }).reduce((sum, chunk) => i16x8.add(sum, chunk))
    // Reduces the sixteen counts of a code to eight, and together with its neighbours to four, two and one.
    const inFours = (code: number) => i32x4.dotShorts(inEights(code), ones.get)
    const inTwos = (code: number) => i32x4.dotShorts(i32x4.toShorts(inFours(code), inFours(code + 1)), ones.get)
    const four = (code: number) => i32x4.dotShorts(i32x4.toShorts(inTwos(code), inTwos(code + 2)), ones.get)
    return [
      ones.set(i16x8.splat(i32.of(1))),
      ...queryParts.map((part, index) => part.set(v128.load(query.get, index * SIMD_BYTES))),
      at.set(i32.of(0)),
      whileBelow(
        at,
        count.get,
        CODES_PER_STEP,
        v128.store(distances.get, 0, i32x4.toShorts(four(0), four(4))),
        codes.set(i32.add(codes.get, i32.of(CODES_PER_STEP * parts * SIMD_BYTES))),
        distances.set(i32.add(distances.get, i32.of(CODES_PER_STEP * 2))),
      ),
    ]
  })
}

function tally(): WasmFunction {
  return func('tally', ['distances', 'count', 'histogram'], ({ distances, count, histogram }, locals) => {
    const at = locals.i32()
    const bin = locals.i32()
    return [
      at.set(i32.of(0)),
      whileBelow(
        at,
        count.get,
        1,
        bin.set(i32.add(histogram.get, i32.mul(i32.load16(distances.get, 0), i32.of(4)))),
        i32.store(bin.get, 0, i32.add(i32.load(bin.get, 0), i32.of(1))),
        distances.set(i32.add(distances.get, i32.of(2))),
      ),
    ]
  })
}

function pick(): WasmFunction {
  return func('pick', ['distances', 'count', 'limit', 'picked'], ({ distances, count, limit, picked }, locals) => {
    const at = locals.i32()
    const end = locals.i32()
    const furthest = locals.v128()
    // Writes every position and advances only past those that qualify: a branch would cost more.
    const one = (place: number) => [
      ...i32.store(end.get, 0, i32.add(at.get, i32.of(place))),
      ...end.set(i32.add(end.get, i32.mul(i32.atMost(i32.load16(distances.get, place * 2), limit.get), i32.of(4)))),
    ]
    return [
      furthest.set(i16x8.splat(limit.get)),
      end.set(i32.add(picked.get, i32.of(4))),
      at.set(i32.of(0)),
      whileBelow(
        at,
        count.get,
        CODES_PER_STEP,
        when(
          v128.any(i16x8.atMost(v128.load(distances.get, 0), furthest.get)),
          ...Array.from({ length: CODES_PER_STEP }, (_, place) => one(place)),
        ),
        distances.set(i32.add(distances.get, i32.of(CODES_PER_STEP * 2))),
      ),
      i32.store(picked.get, 0, end.get),
    ]
  })
}
