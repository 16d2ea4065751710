/** The student: a row of numbers for each word piece, such that the sum of a text's rows points where the teacher points. */

export type Lesson = { pieces: number[]; target: Float32Array }

/**
 * Learns the rows from lessons, starting from `rows` and changing them. Each pass walks all lessons; a step turns a text's sum a little
 * towards its target, and rows that have been turned often are turned less (Adagrad, one counter a row). Returns the mean cosine of the
 * last pass, measured before each step.
 */
export function learn(rows: Float32Array, width: number, lessons: Lesson[], passes: number, rate: number): number {
  const turned = new Float32Array(rows.length / width)
  const sum = new Float32Array(width)
  const step = new Float32Array(width)
  let mean = 0
  for (let pass = 0; pass < passes; pass++) {
    // Towards the end smaller steps, so that the last lessons do not count more than the first.
    const pace = rate * (1 - pass / passes)
    mean = 0
    for (const { pieces, target } of lessons) {
      const length = addRows(rows, width, pieces, sum)
      if (length === 0) continue
      let cosine = 0
      for (let d = 0; d < width; d++) cosine += ((sum[d] as number) / length) * (target[d] as number)
      mean += cosine / lessons.length
      // The slope of the cosine, seen from the sum: what is missing of the target, without what only makes the sum longer.
      let strength = 0
      for (let d = 0; d < width; d++) {
        const slope = ((target[d] as number) - (cosine * (sum[d] as number)) / length) / length
        step[d] = slope
        strength += slope * slope
      }
      for (const piece of pieces) {
        turned[piece] = (turned[piece] as number) + strength
        const by = pace / Math.sqrt((turned[piece] as number) + 1e-9)
        const from = piece * width
        for (let d = 0; d < width; d++) rows[from + d] = (rows[from + d] as number) + by * (step[d] as number)
      }
    }
  }
  return mean
}

/**
 * Where learning begins: each piece points where the teacher points when it reads nothing else. A frequent piece says little about a
 * text and begins short; so does one that is no word (a sign, a digit, a syllable), because alone it means nothing and, if the lessons
 * hardly have it, it would stay as it is.
 */
export function firstRows(vocabulary: string[], alone: Float32Array[], lessons: Lesson[]): Float32Array {
  const width = alone[0]?.length ?? 0
  const counts = new Float64Array(vocabulary.length)
  let all = 0
  for (const { pieces } of lessons) {
    for (const piece of pieces) counts[piece] = (counts[piece] as number) + 1
    all += pieces.length
  }
  const rows = new Float32Array(vocabulary.length * width)
  for (const [piece, word] of vocabulary.entries()) {
    const rarity = RARE / (RARE + (counts[piece] as number) / all)
    const weight = rarity * (/^[a-z]{3,}$/.test(word) ? 1.5 : 0.1)
    rows.set(alone[piece]?.map((value) => value * weight) ?? [], piece * width)
  }
  return rows
}

/** A piece of which a thousandth of all text consists begins half as long as a rare one. */
const RARE = 1e-3

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

/** Whole numbers from -127 to 127 for each row, and what they are to be multiplied with. */
export function inWholeNumbers(rows: Float32Array, width: number): { rows: Int8Array; scales: Float32Array } {
  const scales = new Float32Array(rows.length / width)
  const whole = new Int8Array(rows.length)
  for (let row = 0; row < scales.length; row++) {
    const values = rows.subarray(row * width, (row + 1) * width)
    const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127
    scales[row] = scale
    if (scale > 0)
      whole.set(
        Int8Array.from(values, (value) => Math.round(value / scale)),
        row * width,
      )
  }
  return { rows: whole, scales }
}
