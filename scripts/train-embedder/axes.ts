/** Reduces the teacher's vectors to fewer dimensions with as little loss as possible. */

export type Axes = { mean: Float32Array; axes: Float32Array[] }

/**
 * The mean of the vectors and their principal components, rotated at random: a search that compares only signs needs every number to be about
 * equally important.
 */
export function findAxes(vectors: Float32Array[], wanted: number): Axes {
  const width = vectors[0]?.length ?? 0
  const mean = new Float32Array(width)
  for (const vector of vectors) for (let d = 0; d < width; d++) mean[d] = (mean[d] as number) + (vector[d] as number) / vectors.length
  const spread = covariance(vectors, mean)
  const principal = strongestAxes(spread, wanted)
  const rotation = orthonormal(randomVectors(wanted, wanted))
  const axes = rotation.map((mix) => {
    const axis = new Float32Array(width)
    for (let k = 0; k < wanted; k++) {
      for (let d = 0; d < width; d++) axis[d] = (axis[d] as number) + (mix[k] as number) * (principal[k]?.[d] ?? 0)
    }
    return axis
  })
  return { mean, axes }
}

/** The coordinates of a vector along the axes, scaled to length one. */
export function project({ mean, axes }: Axes, vector: Float32Array): Float32Array {
  const coordinates = Float32Array.from(axes, (axis) => {
    let sum = 0
    for (let d = 0; d < axis.length; d++) sum += ((vector[d] as number) - (mean[d] as number)) * (axis[d] as number)
    return sum
  })
  const length = Math.hypot(...coordinates) || 1
  return coordinates.map((value) => value / length)
}

function covariance(vectors: Float32Array[], mean: Float32Array): Float64Array[] {
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

/** Subspace iteration: repeated multiplication turns the axes towards the strongest components. */
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

/** Makes the vectors orthogonal and of length one (Gram–Schmidt). */
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

/** Pseudo-random vectors, the same in every run. */
function randomVectors(count: number, width: number): Float64Array[] {
  let state = 1
  const number = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32 - 0.5
  }
  return Array.from({ length: count }, () => Float64Array.from({ length: width }, number))
}
