/** Crockford's alphabet: without letters that are easily confused. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** An id that sorts by time: ten letters of milliseconds, then sixteen random ones. */
export function ulid(at: number, random: Uint8Array = crypto.getRandomValues(new Uint8Array(10))): string {
  return timePart(at) + randomPart(random)
}

/** An id that depends only on text and time, the same on every machine: for things that may be imported more than once. */
export function ulidOf(text: string, at: number): string {
  return timePart(at) + randomPart(new Bun.CryptoHasher('sha256').update(text).digest().subarray(0, 10))
}

export const isUlid = (text: string) => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(text)

/** The time that is encoded in an id. */
export function timeOfUlid(id: string): number {
  let at = 0
  for (const letter of id.slice(0, 10)) at = at * 32 + ALPHABET.indexOf(letter)
  return at
}

function timePart(at: number): string {
  let rest = Math.max(0, Math.min(Math.floor(at), 2 ** 48 - 1))
  let letters = ''
  for (let place = 0; place < 10; place++) {
    letters = ALPHABET[rest % 32] + letters
    rest = Math.floor(rest / 32)
  }
  return letters
}

function randomPart(random: Uint8Array): string {
  let bits = 0n
  for (const byte of random.subarray(0, 10)) bits = (bits << 8n) | BigInt(byte)
  let letters = ''
  for (let place = 0; place < 16; place++) {
    letters = ALPHABET[Number(bits & 31n)] + letters
    bits >>= 5n
  }
  return letters
}
