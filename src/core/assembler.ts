/**
 * As much of a WebAssembly assembler as our kernels need. Code is a list of bytes; an expression leaves one value on the stack, a
 * statement none. Locals are made by the function that uses them.
 */
export type WasmCode = number[]

type WasmValueType = 'i32' | 'f32' | 'v128'
export type WasmLocal = { get: WasmCode; set(value: WasmCode): WasmCode }
export type WasmLocals = { i32(): WasmLocal; f32(): WasmLocal; v128(): WasmLocal }

/** A function that takes whole numbers (addresses and counts) and returns nothing. */
export type WasmFunction = { name: string; parameters: number; locals: WasmValueType[]; body: WasmCode }

export function func<N extends string>(
  name: string,
  names: N[],
  write: (parameters: Record<N, WasmLocal>, locals: WasmLocals) => WasmCode[],
): WasmFunction {
  const kinds: WasmValueType[] = []
  const parameters = names.length
  const local = (place: number): WasmLocal => ({ get: [0x20, ...unsigned(place)], set: (value) => [...value, 0x21, ...unsigned(place)] })
  const make = (kind: WasmValueType) => () => local(parameters + kinds.push(kind) - 1)
  const taken = Object.fromEntries(names.map((one, place) => [one, local(place)])) as Record<N, WasmLocal>
  const body = write(taken, { i32: make('i32'), f32: make('f32'), v128: make('v128') })
  return { name, parameters, locals: kinds, body: body.flat() }
}

/** The functions as a module that works on the memory it is given. */
export function assemble(functions: WasmFunction[]): Uint8Array<ArrayBuffer> {
  const each = functions.map((_, index) => index)
  const list = (items: WasmCode[]) => [...unsigned(items.length), ...items.flat()]
  const kinds = { i32: 0x7f, f32: 0x7d, v128: 0x7b }
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list(functions.map(({ parameters }) => [0x60, ...list(Array.from({ length: parameters }, () => [kinds.i32])), 0]))),
    ...section(2, list([[...text('env'), ...text('memory'), 2, 0, 1]])),
    ...section(3, list(each.map((index) => unsigned(index)))),
    ...section(7, list(functions.map(({ name }, index) => [...text(name), 0, ...unsigned(index)]))),
    ...section(10, list(functions.map(({ locals, body }) => sized([...list(locals.map((kind) => [1, kinds[kind]])), ...body, END])))),
  ])
}

/** Runs the body once and then as long as the counter, which goes up by a step each time, is below the end. */
export function repeat(counter: WasmLocal, end: WasmCode, step: number, ...body: WasmCode[]): WasmCode {
  const next = counter.set(i32.add(counter.get, i32.of(step)))
  return [...counter.set(i32.of(0)), 0x03, 0x40, ...body.flat(), ...next, ...counter.get, ...end, 0x48, 0x0d, 0, END]
}

/** The body while the counter, as it stands, is below the end; perhaps never. */
export function onwards(counter: WasmLocal, end: WasmCode, step: number, ...body: WasmCode[]): WasmCode {
  const next = counter.set(i32.add(counter.get, i32.of(step)))
  return [0x02, 0x40, 0x03, 0x40, ...counter.get, ...end, 0x4e, 0x0d, 1, ...body.flat(), ...next, 0x0c, 0, END, END]
}

/** The body if the condition is not zero. */
export function when(condition: WasmCode, ...body: WasmCode[]): WasmCode {
  return [...condition, 0x04, 0x40, ...body.flat(), END]
}

const END = 0x0b
const two = (operation: WasmCode) => (a: WasmCode, b: WasmCode) => [...a, ...b, ...operation]
const one = (operation: WasmCode) => (a: WasmCode) => [...a, ...operation]
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
  add: two([0x6a]),
  mul: two([0x6c]),
  /** 1 or 0. */
  atMost: two([0x4c]),
}

export const f32 = {
  of: (value: number): WasmCode => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)],
  load: read([0x2a]),
  store: write([0x38]),
  add: two([0x92]),
  mul: two([0x94]),
  div: two([0x95]),
  max: two([0x97]),
  sqrt: one([0x91]),
}

export const v128 = {
  zero: [...simd(12), ...Array.from({ length: 16 }, () => 0)],
  load: read(simd(0)),
  /** Eight whole numbers of a byte, as eight of two bytes. */
  loadBytes: read(simd(1)),
  /** Four bytes, four times. */
  loadFourTimes: read(simd(9)),
  store: write(simd(11)),
  xor: two(simd(81)),
  /** 1 or 0: whether any bit is set. */
  any: one(simd(83)),
}

export const i8x16 = {
  /** How many bits are set in each byte. */
  popcnt: one(simd(98)),
  add: two(simd(110)),
}

export const i16x8 = {
  splat: one(simd(16)),
  /** Neighbouring bytes added. */
  pairsOf: one(simd(125)),
  /** All bits where it is so, none where not. */
  atMost: two(simd(51)),
  add: two(simd(142)),
}

export const i32x4 = {
  add: two(simd(174)),
  shiftLeft: (a: WasmCode, bits: number) => [...a, ...i32.of(bits), ...simd(171)],
  splat: one(simd(17)),
  /** Eight products of two-byte numbers, neighbours added. */
  dotShorts: two(simd(186)),
  ofFloats: one(simd(248)),
  /** Two times four numbers, as eight of two bytes. */
  toShorts: two(simd(133)),
}

export const f32x4 = {
  of: (value: number): WasmCode => [...f32.of(value), ...simd(19)],
  splat: one(simd(19)),
  lane: (a: WasmCode, lane: number): WasmCode => [...a, ...simd(31), lane],
  ofInts: one(simd(250)),
  nearest: one(simd(106)),
  abs: one(simd(224)),
  neg: one(simd(225)),
  add: two(simd(228)),
  sub: two(simd(229)),
  mul: two(simd(230)),
  div: two(simd(231)),
  max: two(simd(233)),
}

const text = (value: string) => sized([...new TextEncoder().encode(value)])
const sized = (bytes: WasmCode) => [...unsigned(bytes.length), ...bytes]
const section = (id: number, bytes: WasmCode) => [id, ...sized(bytes)]

/** WebAssembly writes numbers seven bits at a time, the lowest first. */
function unsigned(value: number): WasmCode {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}

/** The same for a number that has a sign, which is the next bit after its last. */
function signed(value: number): WasmCode {
  return value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)]
}
