/** Turning the teacher's wide vectors into narrow ones that keep as much as a narrow one can. */

export type Axes = { mean: Float32Array; axes: Float32Array[] }

/**
 * The mean of vectors, and as many axes as are wanted, along which they differ most (principal components), turned among each other at
 * random: a search that looks at signs alone needs every number to count about as much as the next.
 */
export function findAxes(vectors: Float32Array[], wanted: number): Axes {
  const width = vectors[0]?.length ?? 0
  const mean = new Float32Array(width)
  for (const vector of vectors) for (let d = 0; d < width; d++) mean[d] = (mean[d] as number) + (vector[d] as number) / vectors.length
  const spread = spreadOf(vectors, mean)
  const principal = strongestAxes(spread, wanted)
  const turn = orthonormal(randomVectors(wanted, wanted))
  const axes = turn.map((mix) => {
    const axis = new Float32Array(width)
    for (let k = 0; k < wanted; k++) {
      for (let d = 0; d < width; d++) axis[d] = (axis[d] as number) + (mix[k] as number) * (principal[k]?.[d] ?? 0)
    }
    return axis
  })
  return { mean, axes }
}

/** Where a vector stands along the axes, brought to length one. */
export function along({ mean, axes }: Axes, vector: Float32Array): Float32Array {
  const places = Float32Array.from(axes, (axis) => {
    let sum = 0
    for (let d = 0; d < axis.length; d++) sum += ((vector[d] as number) - (mean[d] as number)) * (axis[d] as number)
    return sum
  })
  const length = Math.hypot(...places) || 1
  return places.map((value) => value / length)
}

function spreadOf(vectors: Float32Array[], mean: Float32Array): Float64Array[] {
  const width = mean.length
  const spread = Array.from({ length: width }, () => new Float64Array(width))
  const centred = new Float64Array(width)
  for (const vector of vectors) {
    for (let d = 0; d < width; d++) centred[d] = (vector[d] as number) - (mean[d] as number)
    for (let a = 0; a < width; a++) {
      const row = spread[a] as Float64Array
      const value = centred[a] as number
      for (let b = 0; b < width; b++) row[b] = (row[b] as number) + value * (centred[b] as number)
    }
  }
  return spread
}

/** By multiplying again and again and keeping the axes at right angles, they turn towards the strongest. */
function strongestAxes(spread: Float64Array[], wanted: number): Float64Array[] {
  let axes = orthonormal(randomVectors(wanted, spread.length))
  for (let round = 0; round < 60; round++) {
    axes = orthonormal(
      axes.map((axis) =>
        Float64Array.from(spread, (row) => {
          let sum = 0
          for (let d = 0; d < row.length; d++) sum += (row[d] as number) * (axis[d] as number)
          return sum
        }),
      ),
    )
  }
  return axes
}

/** Makes vectors stand at right angles to each other, each of length one (Gram and Schmidt). */
function orthonormal(vectors: Float64Array[]): Float64Array[] {
  const done: Float64Array[] = []
  for (const vector of vectors) {
    for (const other of done) {
      let shared = 0
      for (let d = 0; d < vector.length; d++) shared += (vector[d] as number) * (other[d] as number)
      for (let d = 0; d < vector.length; d++) vector[d] = (vector[d] as number) - shared * (other[d] as number)
    }
    const length = Math.hypot(...vector) || 1
    done.push(vector.map((value) => value / length))
  }
  return done
}

/** Vectors that look random and are the same in every run. */
function randomVectors(count: number, width: number): Float64Array[] {
  let state = 1
  const number = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32 - 0.5
  }
  return Array.from({ length: count }, () => Float64Array.from({ length: width }, number))
}
