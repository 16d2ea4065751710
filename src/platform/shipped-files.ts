import { dirname, join } from 'node:path'
import { readEnvironment } from './environment.ts'
import { ensurePrivateFolder, exists, readBytes, writeFileAtomically } from './files.ts'
import { embeddedArchive } from './program.ts'
import { VERSION } from './version.ts'

/**
 * The folder with the program's data files: guides, the sample history, the embedder's table. A single-file executable unpacks them into the
 * home on first use, because one of them is mapped into memory, which needs a real file.
 */
export function shippedFilesFolder(): string {
  const archive = embeddedArchive()
  if (!archive) return join(import.meta.dir, '..', '..')
  const folder = join(readEnvironment().home, 'run', `shipped-${VERSION}`)
  if (exists(join(folder, 'whole'))) return folder
  const files: Record<string, string> = JSON.parse(new TextDecoder().decode(readBytes(archive)))
  for (const [path, base64] of Object.entries(files)) {
    ensurePrivateFolder(dirname(join(folder, path)))
    writeFileAtomically(join(folder, path), Buffer.from(base64, 'base64'))
  }
  writeFileAtomically(join(folder, 'whole'), '')
  return folder
}
