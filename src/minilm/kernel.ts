import {
  assemble,
  f32,
  f32x4,
  func,
  i32,
  i32x4,
  repeat,
  v128,
  type WasmCode,
  type WasmFunction,
  type WasmLocal,
  type WasmLocals,
  whileBelow,
} from './assembler.ts'

export const HIDDEN_WIDTH = 384
export const FEED_FORWARD_WIDTH = 1536
export const HEADS = 12
const HEAD_WIDTH = HIDDEN_WIDTH / HEADS
/** The kernel processes four rows at a time, so row counts are rounded up to a multiple of four. */
export const ROWS_PER_STEP = 4
/** Columns of a matrix that are processed together and stored next to each other in the weights file. */
export const COLUMNS_PER_BLOCK = 8

/**
 * Rows are rounded to integers between minus this and this. The sum of 1,536 products with weights of up to 127 must fit into 32 bits, which
 * leaves room for 13 bits per value; at that precision rounding hardly changes the result.
 */
const MAX_ROUNDED_VALUE = 4095

/** The exported functions. All arguments are addresses in the kernel's memory, or counts. */
export type MinilmKernel = Record<'round' | 'norm' | 'gelu' | 'attend' | 'multiply384' | 'multiply1536', (...args: number[]) => void>

export function openKernel(memory: WebAssembly.Memory): MinilmKernel {
  const module = new WebAssembly.Module(kernelBytes())
  return new WebAssembly.Instance(module, { env: { memory } }).exports as MinilmKernel
}

/** The kernel as a WebAssembly module that uses 128-bit vectors. */
function kernelBytes(): Uint8Array<ArrayBuffer> {
  return assemble([round(), norm(), gelu(), attend(), multiply(HIDDEN_WIDTH), multiply(FEED_FORWARD_WIDTH)])
}

/**
 * `multiplyK(rows, scales, count, weights, weightScales, bias, out, columns)`: multiplies rows of K rounded numbers with a matrix of bytes
 * and adds a bias. Weights are stored in blocks of eight columns; a block holds two numbers of each column, then the next two of each. One
 * load therefore fetches two numbers for each of four columns, and no sum has to be collected across the lanes of a vector.
 */
function multiply(k: number): WasmFunction {
  return func(
    `multiply${k}`,
    ['rows', 'scales', 'count', 'weights', 'weightScales', 'bias', 'out', 'columns'],
    ({ rows, scales, count, weights, weightScales, bias, out, columns }, local) => {
      const [row, column, step] = [local.i32(), local.i32(), local.i32()]
      const [x, w, to, from] = [local.i32(), local.i32(), local.i32(), local.i32()]
      const halves = [local.v128(), local.v128()]
      const pair = local.v128()
      const sums = Array.from({ length: ROWS_PER_STEP }, () => halves.map(() => local.v128()))
      const shorts = k * 2
      const pairOfColumns = (unrolled: number) => [
        ...halves.flatMap((half, h) => half.set(v128.loadBytes(w.get, unrolled * 16 + h * 8))),
        ...sums.flatMap((ofRow, r) => [
          ...pair.set(v128.loadFourTimes(x.get, r * shorts + unrolled * 4)),
          ...ofRow.flatMap((sum, h) => sum.set(i32x4.add(sum.get, i32x4.dotShorts(pair.get, (halves[h] as WasmLocal).get)))),
        ]),
      ]
      const UNROLLED = 4
      const finish = (r: number) =>
        (sums[r] as WasmLocal[]).flatMap((sum, h) => {
          const scaled = f32x4.mul(f32x4.ofInts(sum.get), v128.loadFourTimes(i32.add(scales.get, i32.mul(row.get, i32.of(4))), r * 4))
          const value = f32x4.add(
            f32x4.mul(scaled, v128.load(i32.add(weightScales.get, from.get), h * 16)),
            v128.load(i32.add(bias.get, from.get), h * 16),
          )
          return v128.store(i32.add(to.get, i32.mul(i32.of(r * 4), columns.get)), h * 16, value)
        })
      return [
        repeat(
          column,
          columns.get,
          COLUMNS_PER_BLOCK,
          from.set(i32.mul(column.get, i32.of(4))),
          repeat(
            row,
            count.get,
            ROWS_PER_STEP,
            x.set(i32.add(rows.get, i32.mul(row.get, i32.of(shorts)))),
            w.set(i32.add(weights.get, i32.mul(column.get, i32.of(k)))),
            ...sums.flat().map((sum) => sum.set(v128.zero)),
            repeat(
              step,
              i32.of(k),
              2 * UNROLLED,
              ...Array.from({ length: UNROLLED }, (_, unrolled) => pairOfColumns(unrolled)),
              x.set(i32.add(x.get, i32.of(UNROLLED * 4))),
              w.set(i32.add(w.get, i32.of(UNROLLED * 16))),
            ),
            to.set(i32.add(out.get, i32.add(i32.mul(i32.mul(row.get, columns.get), i32.of(4)), from.get))),
            ...sums.map((_, r) => finish(r)),
          ),
        ),
      ]
    },
  )
}

/** `round(values, count, width, out, scales)`: rounds each row to 16-bit integers and writes the scale that converts them back. */
function round(): WasmFunction {
  return func('round', ['values', 'count', 'width', 'out', 'scales'], ({ values, count, width, out, scales }, local) => {
    const [row, at] = [local.i32(), local.i32()]
    const [peaks, factor] = [local.v128(), local.v128()]
    const peak = local.f32()
    const here = (offset: number) => v128.load(i32.add(values.get, i32.mul(at.get, i32.of(4))), offset)
    const rounded = (offset: number) => i32x4.ofFloats(f32x4.nearest(f32x4.mul(here(offset), factor.get)))
    return [
      repeat(
        row,
        count.get,
        1,
        peaks.set(f32x4.of(1e-20)),
        repeat(at, width.get, 4, peaks.set(f32x4.max(peaks.get, f32x4.abs(here(0))))),
        peak.set(
          f32.max(f32.max(f32x4.lane(peaks.get, 0), f32x4.lane(peaks.get, 1)), f32.max(f32x4.lane(peaks.get, 2), f32x4.lane(peaks.get, 3))),
        ),
        f32.store(i32.add(scales.get, i32.mul(row.get, i32.of(4))), 0, f32.div(peak.get, f32.of(MAX_ROUNDED_VALUE))),
        factor.set(f32x4.splat(f32.div(f32.of(MAX_ROUNDED_VALUE), peak.get))),
        repeat(at, width.get, 8, v128.store(i32.add(out.get, i32.mul(at.get, i32.of(2))), 0, i32x4.toShorts(rounded(0), rounded(16)))),
        values.set(i32.add(values.get, i32.mul(width.get, i32.of(4)))),
        out.set(i32.add(out.get, i32.mul(width.get, i32.of(2)))),
      ),
    ]
  })
}

/** `norm(values, added, count, weight, bias)`: adds `added` to the rows and applies layer normalization (mean 0, deviation 1, weight, bias). */
function norm(): WasmFunction {
  return func('norm', ['values', 'added', 'count', 'weight', 'bias'], ({ values, added, count, weight, bias }, local) => {
    const [row, at] = [local.i32(), local.i32()]
    const [sum, mean, inverseDeviation, value] = [local.v128(), local.v128(), local.v128(), local.v128()]
    const cell = (base: WasmLocal) => i32.add(base.get, at.get)
    const deviation = f32x4.sub(v128.load(cell(values), 0), mean.get)
    const bytes = i32.of(HIDDEN_WIDTH * 4)
    return [
      repeat(
        row,
        count.get,
        1,
        sum.set(v128.zero),
        repeat(
          at,
          bytes,
          16,
          value.set(f32x4.add(v128.load(cell(values), 0), v128.load(cell(added), 0))),
          v128.store(cell(values), 0, value.get),
          sum.set(f32x4.add(sum.get, value.get)),
        ),
        mean.set(f32x4.splat(f32.mul(sumLanes(sum), f32.of(1 / HIDDEN_WIDTH)))),
        sum.set(v128.zero),
        repeat(at, bytes, 16, value.set(deviation), sum.set(f32x4.add(sum.get, f32x4.mul(value.get, value.get)))),
        inverseDeviation.set(
          f32x4.splat(f32.div(f32.of(1), f32.sqrt(f32.add(f32.mul(sumLanes(sum), f32.of(1 / HIDDEN_WIDTH)), f32.of(1e-12))))),
        ),
        repeat(
          at,
          bytes,
          16,
          v128.store(
            cell(values),
            0,
            f32x4.add(f32x4.mul(f32x4.mul(deviation, inverseDeviation.get), v128.load(cell(weight), 0)), v128.load(cell(bias), 0)),
          ),
        ),
        values.set(i32.add(values.get, bytes)),
        added.set(i32.add(added.get, bytes)),
      ),
    ]
  })
}

/** `gelu(values, bytes)`: x/2 · (1 + erf(x/√2)), with the error function of Abramowitz and Stegun 7.1.26, accurate to seven digits. */
function gelu(): WasmFunction {
  return func('gelu', ['values', 'bytes'], ({ values, bytes }, local) => {
    const at = local.i32()
    const [x, z, t] = [local.v128(), local.v128(), local.v128()]
    const power = exponential(local)
    const polynomial = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592]
      .map((factor) => f32x4.of(factor))
      .reduce((sum, factor) => f32x4.add(f32x4.mul(sum, t.get), factor))
    const erf = f32x4.sub(f32x4.of(1), f32x4.mul(f32x4.mul(polynomial, t.get), power.value.get))
    return [
      repeat(
        at,
        bytes.get,
        16,
        x.set(v128.load(i32.add(values.get, at.get), 0)),
        z.set(f32x4.mul(f32x4.abs(x.get), f32x4.of(Math.SQRT1_2))),
        t.set(f32x4.div(f32x4.of(1), f32x4.add(f32x4.of(1), f32x4.mul(f32x4.of(0.3275911), z.get)))),
        power.of(f32x4.neg(f32x4.mul(z.get, z.get))),
        v128.store(i32.add(values.get, at.get), 0, f32x4.mul(f32x4.of(0.5), f32x4.add(x.get, f32x4.mul(f32x4.abs(x.get), erf)))),
      ),
    ]
  })
}

/**
 * `attend(queryKeyValue, count, real, keys, values, weights, out)`: attention. `queryKeyValue` holds query, key and value of each row side by
 * side. `keys`, `values` and `weights` are scratch space: the keys transposed, and the values next to each other so that they do not push each
 * other out of the cache. Only the first `real` rows take part; the rest pad the count to a multiple of four.
 */
function attend(): WasmFunction {
  return func(
    'attend',
    ['queryKeyValue', 'count', 'real', 'keys', 'values', 'weights', 'out'],
    ({ queryKeyValue, count, real, keys, values, weights, out }, local) => {
      const [head, row, other, d] = [local.i32(), local.i32(), local.i32(), local.i32()]
      const [query, key, value, to, w] = [local.i32(), local.i32(), local.i32(), local.i32(), local.i32()]
      const four = local.v128()
      const sums = Array.from({ length: HEAD_WIDTH / 4 }, () => local.v128())
      const [peak, sum] = [local.v128(), local.v128()]
      const power = exponential(local)
      const rowBytes = HIDDEN_WIDTH * 3 * 4
      const weightRowBytes = local.i32()
      const headAt = i32.mul(head.get, i32.of(HEAD_WIDTH * 4))
      const weightAt = i32.add(w.get, i32.mul(other.get, i32.of(4)))
      const queries = sums.slice(0, ROWS_PER_STEP)

      const gather = repeat(
        other,
        count.get,
        1,
        key.set(i32.add(i32.add(queryKeyValue.get, headAt), i32.add(i32.mul(other.get, i32.of(rowBytes)), i32.of(HIDDEN_WIDTH * 4)))),
        to.set(i32.add(keys.get, i32.mul(other.get, i32.of(4)))),
        repeat(
          d,
          i32.of(HEAD_WIDTH),
          1,
          f32.store(to.get, 0, f32.load(key.get, 0)),
          key.set(i32.add(key.get, i32.of(4))),
          to.set(i32.add(to.get, weightRowBytes.get)),
        ),
        // The value lies as far behind the key as the key lies behind the query.
        to.set(i32.add(values.get, i32.mul(other.get, i32.of(HEAD_WIDTH * 4)))),
        ...sums.map((_, at) => v128.store(to.get, at * 16, v128.load(key.get, (HIDDEN_WIDTH - HEAD_WIDTH) * 4 + at * 16))),
      )
      const compare = repeat(
        other,
        count.get,
        4,
        ...queries.map((accumulator) => accumulator.set(v128.zero)),
        query.set(i32.add(i32.add(queryKeyValue.get, headAt), i32.mul(row.get, i32.of(rowBytes)))),
        key.set(i32.add(keys.get, i32.mul(other.get, i32.of(4)))),
        repeat(
          d,
          i32.of(HEAD_WIDTH),
          1,
          four.set(v128.load(key.get, 0)),
          ...queries.map((accumulator, r) =>
            accumulator.set(f32x4.add(accumulator.get, f32x4.mul(four.get, v128.loadFourTimes(query.get, r * rowBytes)))),
          ),
          query.set(i32.add(query.get, i32.of(4))),
          key.set(i32.add(key.get, weightRowBytes.get)),
        ),
        to.set(i32.add(weights.get, i32.mul(other.get, i32.of(4)))),
        ...queries.flatMap((accumulator) => [
          v128.store(to.get, 0, f32x4.mul(accumulator.get, f32x4.of(1 / Math.sqrt(HEAD_WIDTH)))),
          to.set(i32.add(to.get, weightRowBytes.get)),
        ]),
      )
      // Padding rows get no weight.
      const softmax = [
        other.set(real.get),
        whileBelow(other, count.get, 1, f32.store(weightAt, 0, f32.of(-1e9))),
        peak.set(f32x4.of(-1e9)),
        repeat(other, count.get, 4, peak.set(f32x4.max(peak.get, v128.load(weightAt, 0)))),
        peak.set(
          f32x4.splat(
            f32.max(f32.max(f32x4.lane(peak.get, 0), f32x4.lane(peak.get, 1)), f32.max(f32x4.lane(peak.get, 2), f32x4.lane(peak.get, 3))),
          ),
        ),
        sum.set(v128.zero),
        repeat(
          other,
          count.get,
          4,
          power.of(f32x4.sub(v128.load(weightAt, 0), peak.get)),
          v128.store(weightAt, 0, power.value.get),
          sum.set(f32x4.add(sum.get, power.value.get)),
        ),
        peak.set(f32x4.splat(f32.div(f32.of(1), sumLanes(sum)))),
      ].flat()
      const mix = [
        ...sums.map((accumulator) => accumulator.set(v128.zero)),
        value.set(values.get),
        repeat(
          other,
          real.get,
          1,
          four.set(v128.loadFourTimes(weightAt, 0)),
          ...sums.map((accumulator, at) => accumulator.set(f32x4.add(accumulator.get, f32x4.mul(four.get, v128.load(value.get, at * 16))))),
          value.set(i32.add(value.get, i32.of(HEAD_WIDTH * 4))),
        ),
        ...sums.map((accumulator, at) => v128.store(to.get, at * 16, f32x4.mul(accumulator.get, peak.get))),
      ].flat()
      const each = local.i32()
      return [
        weightRowBytes.set(i32.mul(count.get, i32.of(4))),
        repeat(
          head,
          i32.of(HEADS),
          1,
          gather,
          repeat(
            row,
            count.get,
            ROWS_PER_STEP,
            compare,
            w.set(weights.get),
            to.set(i32.add(i32.add(out.get, headAt), i32.mul(row.get, i32.of(HIDDEN_WIDTH * 4)))),
            repeat(
              each,
              i32.of(ROWS_PER_STEP),
              1,
              softmax,
              mix,
              w.set(i32.add(w.get, weightRowBytes.get)),
              to.set(i32.add(to.get, i32.of(HIDDEN_WIDTH * 4))),
            ),
          ),
        ),
      ]
    },
  )
}

/** The sum of a vector's four lanes. */
function sumLanes(vector: WasmLocal): WasmCode {
  const lane = (at: number) => f32x4.lane(vector.get, at)
  return f32.add(f32.add(lane(0), lane(1)), f32.add(lane(2), lane(3)))
}

/** e to the power of four numbers that are at most zero: a power of two times a polynomial for the remainder. */
function exponential(local: WasmLocals): { of(power: WasmCode): WasmCode; value: WasmLocal } {
  const [x, exponent, value] = [local.v128(), local.v128(), local.v128()]
  const polynomial = [1 / 120, 1 / 24, 1 / 6, 1 / 2, 1, 1]
    .map((factor) => f32x4.of(factor))
    .reduce((sum, factor) => f32x4.add(f32x4.mul(sum, x.get), factor))
  const powerOfTwo = i32x4.shiftLeft(i32x4.add(i32x4.ofFloats(exponent.get), i32x4.splat(i32.of(127))), 23)
  return {
    value,
    of: (power) => [
      ...x.set(f32x4.max(power, f32x4.of(-87))),
      ...exponent.set(f32x4.nearest(f32x4.mul(x.get, f32x4.of(Math.LOG2E)))),
      ...x.set(f32x4.sub(x.get, f32x4.mul(exponent.get, f32x4.of(Math.LN2)))),
      ...value.set(f32x4.mul(polynomial, powerOfTwo)),
    ],
  }
}
