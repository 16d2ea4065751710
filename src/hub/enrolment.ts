/** Codes with which a device joins. They are read aloud and typed, so they consist of letters that are hard to confuse. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LETTERS = 20

/** A random code of 100 bits, such as `7K3M-…`. */
export function newCode(): string {
  const letters = [...crypto.getRandomValues(new Uint8Array(CODE_LETTERS))].map((byte) => LETTERS[byte % 32]).join('')
  return letters.replace(/.{4}(?=.)/g, '$&-')
}

/** The code as it was made, however it was typed. */
export const normalCode = (typed: string) =>
  typed
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')

export const sha256Hex = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
