/** A short name for a text: the same text always has the same one. */
export function fingerprint(text: string, length = 16): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, length)
}
