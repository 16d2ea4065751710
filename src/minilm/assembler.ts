/**
 * A small WebAssembly assembler with only the instructions that our kernels use. Code is a list of bytes. An expression leaves one value on
 * the stack, a statement none. Each function allocates its own locals.
 */
export type WasmCode = number[]

type WasmValueType = 'i32' | 'f32' | 'v128'
export type WasmLocal = { get: WasmCode; set(value: WasmCode): WasmCode }
export type WasmLocals = { i32(): WasmLocal; f32(): WasmLocal; v128(): WasmLocal }

/** A function whose parameters are all i32 (addresses and counts) and which returns nothing. */
export type WasmFunction = { name: string; parameters: number; locals: WasmValueType[]; body: WasmCode }

export function func<N extends string>(
  name: string,
  names: N[],
  write: (parameters: Record<N, WasmLocal>, locals: WasmLocals) => WasmCode[],
): WasmFunction {
  const kinds: WasmValueType[] = []
  const parameters = names.length
  const local = (index: number): WasmLocal => ({ get: [0x20, ...unsigned(index)], set: (value) => [...value, 0x21, ...unsigned(index)] })
  const make = (kind: WasmValueType) => () => local(parameters + kinds.push(kind) - 1)
  const byName = Object.fromEntries(names.map((parameter, index) => [parameter, local(index)])) as Record<N, WasmLocal>
  const body = write(byName, { i32: make('i32'), f32: make('f32'), v128: make('v128') })
  return { name, parameters, locals: kinds, body: body.flat() }
}

/** Assembles a module that exports the functions and imports its memory. */
export function assemble(functions: WasmFunction[]): Uint8Array<ArrayBuffer> {
  const list = (items: WasmCode[]) => [...unsigned(items.length), ...items.flat()]
  const kinds = { i32: 0x7f, f32: 0x7d, v128: 0x7b }
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list(functions.map(({ parameters }) => [0x60, ...list(Array.from({ length: parameters }, () => [kinds.i32])), 0]))),
    ...section(2, list([[...text('env'), ...text('memory'), 2, 0, 1]])),
    ...section(3, list(functions.map((_, index) => unsigned(index)))),
    ...section(7, list(functions.map(({ name }, index) => [...text(name), 0, ...unsigned(index)]))),
    ...section(10, list(functions.map(({ locals, body }) => sized([...list(locals.map((kind) => [1, kinds[kind]])), ...body, END])))),
  ])
}

/** Counts from 0 in steps while the counter is below `end`. The body always runs at least once. */
export function repeat(counter: WasmLocal, end: WasmCode, step: number, ...body: WasmCode[]): WasmCode {
  const next = counter.set(i32.add(counter.get, i32.of(step)))
  return [...counter.set(i32.of(0)), 0x03, 0x40, ...body.flat(), ...next, ...counter.get, ...end, 0x48, 0x0d, 0, END]
}

/** Like `repeat`, but starts at the counter's current value and runs the body only while the counter is below `end`, possibly never. */
export function whileBelow(counter: WasmLocal, end: WasmCode, step: number, ...body: WasmCode[]): WasmCode {
  const next = counter.set(i32.add(counter.get, i32.of(step)))
  return [0x02, 0x40, 0x03, 0x40, ...counter.get, ...end, 0x4e, 0x0d, 1, ...body.flat(), ...next, 0x0c, 0, END, END]
}

/** Runs the body if the condition is not zero. */
export function when(condition: WasmCode, ...body: WasmCode[]): WasmCode {
  return [...condition, 0x04, 0x40, ...body.flat(), END]
}

const END = 0x0b
const binary = (operation: WasmCode) => (a: WasmCode, b: WasmCode) => [...a, ...b, ...operation]
const unary = (operation: WasmCode) => (a: WasmCode) => [...a, ...operation]
const simd = (number: number) => [0xfd, ...unsigned(number)]
const read = (operation: WasmCode) => (address: WasmCode, offset: number) => [...address, ...operation, 0, ...unsigned(offset)]
const write = (operation: WasmCode) => (address: WasmCode, offset: number, value: WasmCode) => [
  ...address,
  ...value,
  ...operation,
  0,
  ...unsigned(offset),
]

export const i32 = {
  of: (value: number): WasmCode => [0x41, ...signed(value)],
  load: read([0x28]),
  load16: read([0x2f]),
  store: write([0x36]),
  add: binary([0x6a]),
  mul: binary([0x6c]),
  /** 1 if a is at most b, otherwise 0. */
  atMost: binary([0x4c]),
}

export const f32 = {
  of: (value: number): WasmCode => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)],
  load: read([0x2a]),
  store: write([0x38]),
  add: binary([0x92]),
  mul: binary([0x94]),
  div: binary([0x95]),
  max: binary([0x97]),
  sqrt: unary([0x91]),
}

export const v128 = {
  zero: [...simd(12), ...Array.from({ length: 16 }, () => 0)],
  load: read(simd(0)),
  /** Loads eight signed bytes and widens each to 16 bits. */
  loadBytes: read(simd(1)),
  /** Loads four bytes into each of the four lanes. */
  loadFourTimes: read(simd(9)),
  store: write(simd(11)),
  xor: binary(simd(81)),
  /** 1 if any bit is set, otherwise 0. */
  any: unary(simd(83)),
}

export const i8x16 = {
  /** Counts the set bits of each byte. */
  popcnt: unary(simd(98)),
  add: binary(simd(110)),
}

export const i16x8 = {
  splat: unary(simd(16)),
  /** Adds neighbouring bytes: sixteen bytes become eight 16-bit numbers. */
  pairsOf: unary(simd(125)),
  /** All bits set in lanes where a is at most b, none in the others. */
  atMost: binary(simd(51)),
  add: binary(simd(142)),
}

export const i32x4 = {
  add: binary(simd(174)),
  shiftLeft: (a: WasmCode, bits: number) => [...a, ...i32.of(bits), ...simd(171)],
  splat: unary(simd(17)),
  /** Multiplies eight pairs of 16-bit numbers and adds neighbouring products. */
  dotShorts: binary(simd(186)),
  ofFloats: unary(simd(248)),
  /** Narrows two vectors of four numbers to one of eight 16-bit numbers. */
  toShorts: binary(simd(133)),
}

export const f32x4 = {
  of: (value: number): WasmCode => [...f32.of(value), ...simd(19)],
  splat: unary(simd(19)),
  lane: (a: WasmCode, lane: number): WasmCode => [...a, ...simd(31), lane],
  ofInts: unary(simd(250)),
  nearest: unary(simd(106)),
  abs: unary(simd(224)),
  neg: unary(simd(225)),
  add: binary(simd(228)),
  sub: binary(simd(229)),
  mul: binary(simd(230)),
  div: binary(simd(231)),
  max: binary(simd(233)),
}

const text = (value: string) => sized([...new TextEncoder().encode(value)])
const sized = (bytes: WasmCode) => [...unsigned(bytes.length), ...bytes]
const section = (id: number, bytes: WasmCode) => [id, ...sized(bytes)]

/** LEB128: seven bits per byte, lowest bits first. */
function unsigned(value: number): WasmCode {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}

/** Signed LEB128: the highest bit of the last byte's seven is the sign. */
function signed(value: number): WasmCode {
  return value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)]
}
