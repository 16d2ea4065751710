import { fingerprint } from './hash.ts'

/**
 * The hash of a shared memory's contents. Laptop and hub compute it alike, whatever order the fields have; null stands for a deleted memory.
 */
export function sharedHash(body: object | null): string {
  return fingerprint(canonicalJson(body), SHA256_HEX_LETTERS)
}

const SHA256_HEX_LETTERS = 64

/** JSON with the fields of every object in alphabetical order, so that equal values have equal texts. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}
