import { readOnnxTensors } from '../../src/minilm/onnx.ts'

/**
 * A plain implementation of the sentence model to compare with: double precision, directly from the ONNX file, without rounding, blocks or kernel.
 * Slow.
 */
export function plainMinilm(onnx: Uint8Array): (pieces: number[]) => number[] {
  const tensors = readOnnxTensors(onnx)
  const bytes = (name: string) => tensors.get(name) as Uint8Array
  const floats = (name: string) => new Float32Array(bytes(name).slice().buffer)
  const lookUp = (name: string, row: number) => {
    const [scale = 0] = floats(`${name}_scale`)
    const zero = bytes(`${name}_zero_point`)[0] ?? 0
    return Array.from(bytes(`${name}_quantized`).subarray(row * 384, row * 384 + 384), (value) => (value - zero) * scale)
  }
  const linear = (number: number, bias: string) => {
    const weights = Float64Array.from(new Int8Array(bytes(`onnx::MatMul_${number}_quantized`)))
    const [scales, biases] = [floats(`onnx::MatMul_${number}_scale`), floats(bias)]
    return (row: number[]) => {
      const sums = new Float64Array(scales.length)
      for (let k = 0, at = 0; k < row.length; k++) {
        const value = row[k] as number
        for (let n = 0; n < sums.length; n++) sums[n] = (sums[n] as number) + value * (weights[at++] as number)
      }
      return Array.from(sums, (sum, n) => sum * (scales[n] as number) + (biases[n] as number))
    }
  }
  const norm = (name: string) => {
    const [weight, bias] = [floats(`${name}.weight`), floats(`${name}.bias`)]
    return (row: number[]) => {
      const mean = sum(row) / row.length
      const deviation = Math.sqrt(sum(row.map((value) => (value - mean) ** 2)) / row.length + 1e-12)
      return row.map((value, d) => ((value - mean) / deviation) * (weight[d] as number) + (bias[d] as number))
    }
  }
  const layers = [0, 1, 2, 3, 4, 5].map((layer) => {
    const [first, name] = [787 + layer * 13, `encoder.layer.${layer}`]
    return {
      query: linear(first, `${name}.attention.self.query.bias`),
      key: linear(first + 1, `${name}.attention.self.key.bias`),
      value: linear(first + 4, `${name}.attention.self.value.bias`),
      output: linear(first + 10, `${name}.attention.output.dense.bias`),
      afterAttention: norm(`${name}.attention.output.LayerNorm`),
      up: linear(first + 11, `${name}.intermediate.dense.bias`),
      down: linear(first + 12, `${name}.output.dense.bias`),
      afterAll: norm(`${name}.output.LayerNorm`),
    }
  })
  const afterPieces = norm('embeddings.LayerNorm')

  return (pieces) => {
    const type = lookUp('embeddings.token_type_embeddings.weight', 0)
    let rows = [101, ...pieces, 102].map((piece, at) =>
      afterPieces(add(add(lookUp('embeddings.word_embeddings.weight', piece), lookUp('embeddings.position_embeddings.weight', at)), type)),
    )
    for (const layer of layers) {
      const [queries, keys, values] = [rows.map(layer.query), rows.map(layer.key), rows.map(layer.value)]
      rows = rows.map((row, at) => {
        const mixed = new Array<number>(384).fill(0)
        const query = queries[at] as number[]
        for (let from = 0; from < 384; from += 32) {
          const powers = keys.map((key) => {
            let product = 0
            for (let d = from; d < from + 32; d++) product += (query[d] as number) * (key[d] as number)
            return Math.exp(product / Math.sqrt(32))
          })
          const all = sum(powers)
          for (const [other, value] of values.entries())
            for (let d = from; d < from + 32; d++)
              mixed[d] = (mixed[d] as number) + ((powers[other] as number) * (value[d] as number)) / all
        }
        return layer.afterAttention(add(row, layer.output(mixed)))
      })
      rows = rows.map((row) => layer.afterAll(add(row, layer.down(layer.up(row).map(gelu)))))
    }
    const mean = rows.reduce(add)
    const length = Math.hypot(...mean)
    return mean.map((value) => value / length)
  }
}

const add = (a: number[], b: number[]) => a.map((value, d) => value + (b[d] as number))
const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

/** The error function, as the sum of its series; 1 for large numbers. */
function erf(x: number): number {
  if (Math.abs(x) > 5) return Math.sign(x)
  let [term, total] = [x, x]
  for (let n = 1; Math.abs(term) > 1e-18 && n < 200; n++) {
    term *= (-x * x) / n
    total += term / (2 * n + 1)
  }
  return (2 / Math.sqrt(Math.PI)) * total
}

const gelu = (x: number) => (x / 2) * (1 + erf(x / Math.SQRT2))
