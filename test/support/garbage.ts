import { seededRandom } from '../../bench/sample-store.ts'

/** Bytes without any order, the same in every run: random ones might happen to mean something. */
export function garbage(length: number): Uint8Array<ArrayBuffer> {
  const next = seededRandom(length)
  return Uint8Array.from({ length }, () => Math.floor(next() * 256))
}
