import { ensurePrivateFolder, readJsonIfThere, writeFileAtomically } from './files.ts'
import type { Home } from './paths.ts'

/**
 * The project keys of `.recollect/project` files that the person trusts, by folder. They are in the home, because a repository could confirm
 * itself otherwise.
 */
export function readConfirmedMarkers(home: Home): Record<string, string> {
  const value = readJsonIfThere(home.confirmedMarkers)
  const isTable = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isTable ? Object.fromEntries(Object.entries(value).filter(([, key]) => typeof key === 'string')) : {}
}

export function confirmMarker(home: Home, folder: string, key: string): void {
  ensurePrivateFolder(home.folder)
  ensurePrivateFolder(home.run)
  writeFileAtomically(home.confirmedMarkers, `${JSON.stringify({ ...readConfirmedMarkers(home), [folder]: key }, null, 2)}\n`)
}
