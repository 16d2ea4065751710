/** A short name for a text: the same text always has the same one. */
export function fingerprint(text: string, length = 16): string {
  return sha256(text).slice(0, length)
}

/** Bun's own starts faster; the client for other programs runs on Node too. */
function sha256(text: string): string {
  if (typeof Bun !== 'undefined') return new Bun.CryptoHasher('sha256').update(text).digest('hex')
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex')
}
