import { dirname, join } from 'node:path'
import { readEnvironment } from './environment.ts'
import { exists, privateFolder, readBytes, writeWhole } from './files.ts'
import { packed } from './program.ts'
import { VERSION } from './version.ts'

/**
 * Where the files lie that come along with the program: guides, the sample history, the embedder's table. Those of a single-file
 * executable are put beside the worker's own files when they are first needed: one of them is mapped into memory, which only a real file
 * can be.
 */
export function shippedFolder(): string {
  const archive = packed()
  if (!archive) return join(import.meta.dir, '..', '..')
  const folder = join(readEnvironment().home, 'run', `shipped-${VERSION}`)
  if (exists(join(folder, 'whole'))) return folder
  const files = JSON.parse(new TextDecoder().decode(readBytes(archive))) as Record<string, string>
  for (const [path, base64] of Object.entries(files)) {
    privateFolder(dirname(join(folder, path)))
    writeWhole(join(folder, path), Buffer.from(base64, 'base64'))
  }
  writeWhole(join(folder, 'whole'), '')
  return folder
}
