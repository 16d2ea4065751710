import { COLUMNS_PER_BLOCK, HIDDEN_WIDTH } from './kernel.ts'
import { LAYOUT, MAX_MODEL_PIECES, type Matrix, type Norm } from './layout.ts'

/** The raw bytes of a tensor in an ONNX file. */
type OnnxTensor = Uint8Array

/**
 * Rearranges the weights of all-MiniLM-L6-v2 (ONNX, 8-bit) for our kernel. The caller has checked the file's digest, so tensors are read by
 * name, and a missing one is an error.
 */
export function convertOnnxWeights(onnx: Uint8Array): Uint8Array<ArrayBuffer> {
  const tensors = readOnnxTensors(onnx)
  const out = new Uint8Array(LAYOUT.end)
  const bytes = (name: string): Uint8Array => {
    const found = tensors.get(name)
    if (!found) throw new Error(`the model file has no tensor ${name}`)
    return found
  }
  const floats = (name: string): Float32Array => new Float32Array(bytes(name).slice().buffer)
  const put = (at: number, values: Float32Array) => out.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at)
  const putNorm = (at: Norm, name: string) => {
    put(at.weight, floats(`${name}.weight`))
    put(at.bias, floats(`${name}.bias`))
  }
  /** Writes several matrices side by side; `numbers` are part of the names that the exporter gave them. */
  const putMatrix = (at: Matrix, numbers: number[], biases: string[]) => {
    const columns = at.to / numbers.length
    for (const [index, number] of numbers.entries()) {
      if (bytes(`onnx::MatMul_${number}_zero_point`).some((value) => value !== 0)) throw new Error(`matrix ${number} has a zero point`)
      writeBlocks(out, at.weights + index * columns * at.from, bytes(`onnx::MatMul_${number}_quantized`), at.from, columns)
      put(at.scales + index * columns * 4, floats(`onnx::MatMul_${number}_scale`))
      put(at.bias + index * columns * 4, floats(biases[index] as string))
    }
  }

  for (const [layer, at] of LAYOUT.layers.entries()) {
    const first = FIRST_MATRIX + layer * NUMBERS_PER_LAYER
    const name = `encoder.layer.${layer}`
    const biases = ['query', 'key', 'value'].map((part) => `${name}.attention.self.${part}.bias`)
    putMatrix(at.queryKeyValue, [first, first + 1, first + 4], biases)
    putMatrix(at.attentionOutput, [first + 10], [`${name}.attention.output.dense.bias`])
    putNorm(at.attentionNorm, `${name}.attention.output.LayerNorm`)
    putMatrix(at.up, [first + 11], [`${name}.intermediate.dense.bias`])
    putMatrix(at.down, [first + 12], [`${name}.output.dense.bias`])
    putNorm(at.outputNorm, `${name}.output.LayerNorm`)
  }
  putNorm(LAYOUT.embeddingNorm, 'embeddings.LayerNorm')
  const dequantized = (name: string) => {
    const [scale] = floats(`${name}_scale`)
    const zero = bytes(`${name}_zero_point`)[0]
    return (index: number) => ((bytes(`${name}_quantized`)[index] as number) - (zero as number)) * (scale as number)
  }
  // All our texts have token type 0, so its vector is added to the position vectors here.
  const position = dequantized('embeddings.position_embeddings.weight')
  const type = dequantized('embeddings.token_type_embeddings.weight')
  put(
    LAYOUT.positions,
    Float32Array.from({ length: MAX_MODEL_PIECES * HIDDEN_WIDTH }, (_, index) => position(index) + type(index % HIDDEN_WIDTH)),
  )
  put(LAYOUT.pieceScale, floats('embeddings.word_embeddings.weight_scale'))
  put(LAYOUT.pieceZero, Float32Array.from(bytes('embeddings.word_embeddings.weight_zero_point').subarray(0, 1)))
  out.set(bytes('embeddings.word_embeddings.weight_quantized'), LAYOUT.pieces)
  return out
}

/** The exporter numbered matrices and other values in one sequence; each layer takes up thirteen numbers. */
const FIRST_MATRIX = 787
const NUMBERS_PER_LAYER = 13

/** Converts a row-major matrix into blocks of columns, two rows at a time; see `multiply` in the kernel. */
function writeBlocks(out: Uint8Array, at: number, matrix: Uint8Array, from: number, to: number): void {
  for (let column = 0; column < to; column++) {
    const block = at + Math.floor(column / COLUMNS_PER_BLOCK) * COLUMNS_PER_BLOCK * from + (column % COLUMNS_PER_BLOCK) * 2
    for (let row = 0; row < from; row++) out[block + (row >> 1) * COLUMNS_PER_BLOCK * 2 + (row & 1)] = matrix[row * to + column] as number
  }
}

// Protobuf field numbers of ONNX: ModelProto.graph, GraphProto.initializer, and the fields of TensorProto.
const GRAPH = 7
const INITIALIZER = 5
const [FLOATS, INTS, NAME, RAW] = [4, 5, 8, 9]

/** The tensors of an ONNX file, by name. Small tensors use the typed fields instead of raw bytes. */
export function readOnnxTensors(onnx: Uint8Array): Map<string, OnnxTensor> {
  const tensors = new Map<string, OnnxTensor>()
  for (const graph of protobufFields(onnx)) {
    if (graph.number !== GRAPH) continue
    for (const { number, bytes } of protobufFields(graph.bytes)) {
      if (number !== INITIALIZER) continue
      let name = ''
      let value: OnnxTensor = new Uint8Array()
      for (const field of protobufFields(bytes)) {
        if (field.number === NAME) name = new TextDecoder().decode(field.bytes)
        if (field.number === RAW || field.number === FLOATS) value = field.bytes
        if (field.number === INTS)
          value = field.bytes.length > 0 ? Uint8Array.from(readPackedVarints(field.bytes)) : Uint8Array.of(field.value)
      }
      tensors.set(name, value)
    }
  }
  return tensors
}

type ProtobufField = { number: number; value: number; bytes: Uint8Array }

/** The fields of a protobuf message. */
function* protobufFields(message: Uint8Array): Generator<ProtobufField> {
  const nothing = new Uint8Array()
  let at = 0
  const varint = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++]
      if (byte === undefined) throw new Error('the model file is truncated')
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
    const kind = key & 7 // the protobuf wire type
    if (kind === 0) yield { number, value: varint(), bytes: nothing }
    else if (kind === 1) yield { number, value: 0, bytes: take(8) }
    else if (kind === 2) yield { number, value: 0, bytes: take(varint()) }
    else if (kind === 5) yield { number, value: 0, bytes: take(4) }
    else throw new Error(`the model file has an unknown protobuf wire type: ${kind}`)
  }
}

function readPackedVarints(packed: Uint8Array): number[] {
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
