import { ensurePrivateFolder, readJsonIfThere, writeFileAtomically } from './files.ts'
import type { Home } from './paths.ts'

/** A settings file with our hooks: of a project folder, or the person's own when `project` is null. */
export type Install = {
  project: string | null
  /** True when `init` created the file. */
  madeFile?: boolean
}

/** Where `init` has installed hooks. */
export function readInstalls(home: Home): Install[] {
  const value = readJsonIfThere(home.installs)
  return Array.isArray(value) ? (value as Install[]) : []
}

export function rememberInstall(home: Home, install: Install): void {
  const others = readInstalls(home).filter((known) => known.project !== install.project)
  const before = readInstalls(home).find((known) => known.project === install.project)
  const madeFile = install.madeFile || before?.madeFile
  writeInstalls(home, [...others, madeFile ? { ...install, madeFile } : install])
}

export function forgetInstall(home: Home, project: string | null): void {
  writeInstalls(
    home,
    readInstalls(home).filter((known) => known.project !== project),
  )
}

function writeInstalls(home: Home, installs: Install[]): void {
  ensurePrivateFolder(home.folder)
  ensurePrivateFolder(home.run)
  writeFileAtomically(home.installs, `${JSON.stringify(installs, null, 2)}\n`)
}
