/** A short hash of a text. */
export function fingerprint(text: string, length = 16): string {
  return sha256(text).slice(0, length)
}

/** A hash that cannot be made, nor its text guessed, without the key. */
export function keyedFingerprint(key: string, text: string): string {
  return new Bun.CryptoHasher('sha256', key).update(text).digest('hex').slice(0, 32)
}

/** Bun's hasher starts faster; the client library also runs on Node. */
function sha256(text: string): string {
  if (typeof Bun !== 'undefined') return new Bun.CryptoHasher('sha256').update(text).digest('hex')
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex')
}
