import { hostname } from 'node:os'
import { join } from 'node:path'
import { readIfThere, writeFileAtomically } from './files.ts'

/** The name of this machine for the person's other machines. Created once, stored in the home, never synced. */
export function machineName(home: string): string {
  const path = join(home, 'machine')
  const known = readIfThere(path)?.trim()
  if (known && /^[\w.-]{1,80}$/.test(known)) return known
  const host = hostname()
    .toLowerCase()
    .replace(/\..*$/, '')
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 30)
  const name = `${host || 'machine'}-${crypto.randomUUID().slice(0, 4)}`
  writeFileAtomically(path, `${name}\n`)
  return name
}
