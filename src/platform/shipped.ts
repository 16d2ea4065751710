import { join } from 'node:path'

/** Where the files lie that come along with the program: guides, the sample history, the embedder's table. */
export function shippedFolder(): string {
  return join(import.meta.dir, '..', '..')
}
