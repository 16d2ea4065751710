/** The student: a row of numbers for each word piece, trained so that the sum of a text's rows has the direction of the teacher's vector. */

export type Lesson = { pieces: number[]; target: Float32Array }

/**
 * Trains `rows` in place. Each step turns the sum of a text's rows a little towards its target; rows that have changed a lot change less (Adagrad,
 * one accumulator per row). Returns the mean cosine of the last pass, measured before each step.
 */
export function learn(rows: Float32Array, width: number, lessons: Lesson[], passes: number, rate: number): number {
  const accumulated = new Float32Array(rows.length / width)
  const sum = new Float32Array(width)
  const step = new Float32Array(width)
  let mean = 0
  for (let pass = 0; pass < passes; pass++) {
    // The steps get smaller, so that the last lessons do not count more than the first.
    const stepSize = rate * (1 - pass / passes)
    mean = 0
    for (const { pieces, target } of lessons) {
      const length = addRows(rows, width, pieces, sum)
      if (length === 0) continue
      let cosine = 0
      for (let d = 0; d < width; d++) cosine += ((sum[d] as number) / length) * (target[d] as number)
      mean += cosine / lessons.length
      // The gradient of the cosine with respect to the sum: the target minus its part along the sum.
      let strength = 0
      for (let d = 0; d < width; d++) {
        const slope = ((target[d] as number) - (cosine * (sum[d] as number)) / length) / length
        step[d] = slope
        strength += slope * slope
      }
      for (const piece of pieces) {
        accumulated[piece] = (accumulated[piece] as number) + strength
        const by = stepSize / Math.sqrt((accumulated[piece] as number) + 1e-9)
        const from = piece * width
        for (let d = 0; d < width; d++) rows[from + d] = (rows[from + d] as number) + by * (step[d] as number)
      }
    }
  }
  return mean
}

/**
 * The initial rows: each piece gets the teacher's vector for that piece alone. Frequent pieces say little about a text and start with short rows.
 * The same applies to pieces that are not words (a sign, a digit, a syllable): alone they mean nothing, and if they are rare in the lessons, their
 * rows hardly change.
 */
export function initialRows(vocabulary: string[], alone: Float32Array[], lessons: Lesson[]): Float32Array {
  const width = alone[0]?.length ?? 0
  const counts = new Float64Array(vocabulary.length)
  let all = 0
  for (const { pieces } of lessons) {
    for (const piece of pieces) counts[piece] = (counts[piece] as number) + 1
    all += pieces.length
  }
  const rows = new Float32Array(vocabulary.length * width)
  for (const [piece, word] of vocabulary.entries()) {
    const rarity = HALF_LENGTH_FREQUENCY / (HALF_LENGTH_FREQUENCY + (counts[piece] as number) / all)
    const weight = rarity * (/^[a-z]{3,}$/.test(word) ? 1.5 : 0.1)
    rows.set(alone[piece]?.map((value) => value * weight) ?? [], piece * width)
  }
  return rows
}

/** A piece that makes up a thousandth of all text starts with half the length of a rare one. */
const HALF_LENGTH_FREQUENCY = 1e-3

/** Adds up the rows of a text's pieces; returns the length of the sum. */
export function addRows(rows: Float32Array, width: number, pieces: number[], sum: Float32Array): number {
  sum.fill(0)
  for (const piece of pieces) {
    const from = piece * width
    for (let d = 0; d < width; d++) sum[d] = (sum[d] as number) + (rows[from + d] as number)
  }
  let square = 0
  for (let d = 0; d < width; d++) square += (sum[d] as number) ** 2
  return Math.sqrt(square)
}

/** Rounds each row to integers from -127 to 127, with a scale per row. */
export function quantizeRows(rows: Float32Array, width: number): { rows: Int8Array; scales: Float32Array } {
  const scales = new Float32Array(rows.length / width)
  const rounded = new Int8Array(rows.length)
  for (let row = 0; row < scales.length; row++) {
    const values = rows.subarray(row * width, (row + 1) * width)
    const scale = values.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0) / 127
    scales[row] = scale
    if (scale > 0)
      rounded.set(
        Int8Array.from(values, (value) => Math.round(value / scale)),
        row * width,
      )
  }
  return { rows: rounded, scales }
}
