import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'

/**
 * Fuzzing with stored inputs first, then with generated ones. `FUZZ_RUNS=20000` generates more, `FUZZ_SEED=7` others. An input that fails is printed
 * with its seed; store it in `corpus/<target>/`, where it is tried with every run.
 */
const seed = Number(process.env.FUZZ_SEED ?? 1)
const runs = process.env.FUZZ_RUNS ? Number(process.env.FUZZ_RUNS) : null

/** The time limit of one test. */
export const FUZZ_MS = runs === null ? 300_000 : 6 * 3_600_000

type FuzzOptions = { runs?: number }

/** Tries a property with generated values: as many as the test asks for, or `FUZZ_RUNS`, and without it for a few seconds at most. */
export async function fuzz<T>(values: fc.Arbitrary<T>, property: (value: T) => unknown, options: FuzzOptions = {}): Promise<void> {
  await fc.assert(
    fc.asyncProperty(values, async (value) => void (await property(value))),
    {
      seed,
      numRuns: runs ?? options.runs ?? 150,
      ...(runs === null ? { interruptAfterTimeLimit: 8000 } : {}),
      verbose: 1,
    },
  )
}

/** Tries a property with the stored inputs of a target, and then with damaged copies of samples. */
export async function fuzzBytes(
  target: string,
  samples: (string | Uint8Array)[],
  property: (bytes: Uint8Array<ArrayBuffer>) => unknown,
  options: FuzzOptions = {},
): Promise<void> {
  for (const { name, bytes } of corpus(target)) {
    try {
      await property(bytes)
    } catch (cause) {
      throw new Error(`corpus/${target}/${name} fails`, { cause })
    }
  }
  await fuzz(damaged(samples), property, options)
}

function corpus(target: string): { name: string; bytes: Uint8Array<ArrayBuffer> }[] {
  const folder = join(import.meta.dir, 'corpus', target)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name, bytes: new Uint8Array(readFileSync(join(folder, name))) }))
}

/** A change of some bytes. Places are fractions, so that a change fits every sample. */
type Damage = { kind: 'flip' | 'cut' | 'repeat' | 'insert' | 'end' | 'swap'; at: number; length: number; token: string }

/** Pieces that parsers stumble over. */
const TOKENS = [
  '\0',
  '\n',
  '\r\n',
  '\ufeff',
  '\u2028',
  '\ud800',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '---\n',
  '```',
  '<private>',
  '</private>',
  '<',
  '>',
  '&amp;',
  'null',
  'true',
  '-1',
  '1e999',
  '9007199254740993',
  '""',
  '[]',
  '{}',
  '"__proto__"',
  '"constructor"',
  '../',
  '%00',
  '%',
  "'",
  ';',
  '*',
  '(',
  ')',
  '-',
  'type:',
  'since:',
  'a'.repeat(300),
  '🏴‍☠️',
  '\u202e',
]

const damage: fc.Arbitrary<Damage> = fc.record({
  kind: fc.constantFrom('flip', 'cut', 'repeat', 'insert', 'insert', 'end', 'swap'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 64 }),
  token: fc.constantFrom(...TOKENS),
})

function damaged(samples: (string | Uint8Array)[]): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const encoded = samples.map((sample) => Buffer.from(sample))
  return fc
    .tuple(fc.integer({ min: 0, max: encoded.length - 1 }), fc.array(damage, { maxLength: 8 }))
    .map(([index, damages]) => new Uint8Array(damages.reduce(apply, encoded[index] ?? Buffer.alloc(0))))
}

function apply(bytes: Buffer, { kind, at, length, token }: Damage): Buffer {
  const place = Math.floor(at * bytes.length)
  const [before, part, after] = [bytes.subarray(0, place), bytes.subarray(place, place + length), bytes.subarray(place + length)]
  switch (kind) {
    case 'flip':
      return Buffer.concat([before, Buffer.from(part.map((byte) => byte ^ (1 << (length % 8)))), after])
    case 'cut':
      return Buffer.concat([before, after])
    case 'repeat':
      return Buffer.concat([before, part, part, after])
    case 'insert':
      return Buffer.concat([before, Buffer.from(token), part, after])
    case 'end':
      return Buffer.from(before)
    case 'swap':
      return Buffer.concat([before, Buffer.from(token), after])
  }
}
