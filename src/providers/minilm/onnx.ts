import { COLUMNS_PER_BLOCK, HIDDEN_WIDTH } from './kernel.ts'
import { LAYOUT, MAX_MODEL_PIECES, type Matrix, type Norm } from './layout.ts'

/** A named list of numbers in an ONNX file: its bytes as they lie there, whatever they mean. */
type OnnxTensor = Uint8Array

/**
 * The weights of an ONNX file (all-MiniLM-L6-v2, rounded to bytes), laid out for our kernel. The file is one whose digest is known, so
 * what it holds is not looked for but taken by name; a name that is missing is a broken promise.
 */
export function convertOnnxWeights(onnx: Uint8Array): Uint8Array<ArrayBuffer> {
  const tensors = tensorsIn(onnx)
  const out = new Uint8Array(LAYOUT.end)
  const bytes = (name: string): Uint8Array => {
    const found = tensors.get(name)
    if (!found) throw new Error(`the model has no ${name}`)
    return found
  }
  const floats = (name: string): Float32Array => new Float32Array(bytes(name).slice().buffer)
  const put = (at: number, values: Float32Array) => out.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at)
  const putNorm = (at: Norm, name: string) => {
    put(at.weight, floats(`${name}.weight`))
    put(at.bias, floats(`${name}.bias`))
  }
  /** Several matrices side by side; `numbers` are the names that the exporter gave them. */
  const putMatrix = (at: Matrix, numbers: number[], biases: string[]) => {
    const columns = at.to / numbers.length
    for (const [index, number] of numbers.entries()) {
      if (bytes(`onnx::MatMul_${number}_zero_point`).some((value) => value !== 0)) throw new Error(`matrix ${number} has a zero point`)
      putBlocks(out, at.weights + index * columns * at.from, bytes(`onnx::MatMul_${number}_quantized`), at.from, columns)
      put(at.scales + index * columns * 4, floats(`onnx::MatMul_${number}_scale`))
      put(at.bias + index * columns * 4, floats(biases[index] as string))
    }
  }

  for (const [layer, at] of LAYOUT.layers.entries()) {
    const first = FIRST_MATRIX + layer * MATRICES_PER_LAYER
    const name = `encoder.layer.${layer}`
    const asked = ['query', 'key', 'value'].map((what) => `${name}.attention.self.${what}.bias`)
    putMatrix(at.asked, [first, first + 1, first + 4], asked)
    putMatrix(at.mixed, [first + 10], [`${name}.attention.output.dense.bias`])
    putNorm(at.afterAttention, `${name}.attention.output.LayerNorm`)
    putMatrix(at.up, [first + 11], [`${name}.intermediate.dense.bias`])
    putMatrix(at.down, [first + 12], [`${name}.output.dense.bias`])
    putNorm(at.afterAll, `${name}.output.LayerNorm`)
  }
  putNorm(LAYOUT.afterPieces, 'embeddings.LayerNorm')
  const rounded = (name: string) => {
    const [scale] = floats(`${name}_scale`)
    const zero = bytes(`${name}_zero_point`)[0]
    return (place: number) => ((bytes(`${name}_quantized`)[place] as number) - (zero as number)) * (scale as number)
  }
  // Every text is of the first type, so its vector goes with the position's.
  const position = rounded('embeddings.position_embeddings.weight')
  const type = rounded('embeddings.token_type_embeddings.weight')
  put(
    LAYOUT.positions,
    Float32Array.from({ length: MAX_MODEL_PIECES * HIDDEN_WIDTH }, (_, place) => position(place) + type(place % HIDDEN_WIDTH)),
  )
  put(LAYOUT.pieceScale, floats('embeddings.word_embeddings.weight_scale'))
  put(LAYOUT.pieceZero, Float32Array.from(bytes('embeddings.word_embeddings.weight_zero_point').subarray(0, 1)))
  out.set(bytes('embeddings.word_embeddings.weight_quantized'), LAYOUT.pieces)
  return out
}

/** The exporter numbered the matrices of a layer in the order it met them, and twelve other things between them. */
const FIRST_MATRIX = 787
const MATRICES_PER_LAYER = 13

/** From row by row to blocks of columns, two rows at a time; see `multiply` in the kernel. */
function putBlocks(out: Uint8Array, at: number, matrix: Uint8Array, from: number, to: number): void {
  for (let column = 0; column < to; column++) {
    const block = at + Math.floor(column / COLUMNS_PER_BLOCK) * COLUMNS_PER_BLOCK * from + (column % COLUMNS_PER_BLOCK) * 2
    for (let row = 0; row < from; row++) out[block + (row >> 1) * COLUMNS_PER_BLOCK * 2 + (row & 1)] = matrix[row * to + column] as number
  }
}

// Numbers of fields in ONNX's own description: ModelProto.graph, GraphProto.initializer, and those of TensorProto.
const GRAPH = 7
const INITIALIZER = 5
const [FLOATS, INTS, NAME, RAW] = [4, 5, 8, 9]

/** The lists of numbers in an ONNX file by their names. Small ones stand in fields of their own instead of raw bytes. */
export function tensorsIn(onnx: Uint8Array): Map<string, OnnxTensor> {
  const tensors = new Map<string, OnnxTensor>()
  for (const graph of fields(onnx)) {
    if (graph.number !== GRAPH) continue
    for (const { number, bytes } of fields(graph.bytes)) {
      if (number !== INITIALIZER) continue
      let name = ''
      let value: OnnxTensor = new Uint8Array()
      for (const field of fields(bytes)) {
        if (field.number === NAME) name = new TextDecoder().decode(field.bytes)
        if (field.number === RAW || field.number === FLOATS) value = field.bytes
        if (field.number === INTS) value = field.bytes.length > 0 ? Uint8Array.from(varints(field.bytes)) : Uint8Array.of(field.value)
      }
      tensors.set(name, value)
    }
  }
  return tensors
}

type ProtobufField = { number: number; value: number; bytes: Uint8Array }

/** The fields of a protobuf message. */
function* fields(message: Uint8Array): Generator<ProtobufField> {
  const nothing = new Uint8Array()
  let at = 0
  const varint = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++]
      if (byte === undefined) throw new Error('the model ends too early')
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  const take = (length: number) => {
    at += length
    return message.subarray(at - length, at)
  }
  while (at < message.length) {
    const key = varint()
    const number = Math.floor(key / 8)
    const kind = key & 7
    if (kind === 0) yield { number, value: varint(), bytes: nothing }
    else if (kind === 1) yield { number, value: 0, bytes: take(8) }
    else if (kind === 2) yield { number, value: 0, bytes: take(varint()) }
    else if (kind === 5) yield { number, value: 0, bytes: take(4) }
    else throw new Error(`the model has a field of kind ${kind}`)
  }
}

function varints(packed: Uint8Array): number[] {
  const values: number[] = []
  for (let at = 0, value = 0, factor = 1; at < packed.length; at++) {
    const byte = packed[at] as number
    value += (byte & 127) * factor
    factor *= 128
    if (byte < 128) {
      values.push(value)
      value = 0
      factor = 1
    }
  }
  return values
}
