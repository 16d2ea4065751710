import { join } from 'node:path'
import { z } from 'zod'
import { TEAM_FILE } from '../core/team.ts'
import { readJsonIfThere, writeFileAtomically } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import type { Home } from '../platform/paths.ts'

/**
 * This device's membership of a team. It is in a file of its own, readable only by its owner, and in no backup and no export: whoever has the token
 * is this device. The settings name no hub that the token is sent to, because a changed setting would send it elsewhere.
 */
export type Membership = z.infer<typeof Membership>

const Membership = z.object({
  url: z.string(),
  hub: z.string(),
  token: z.string(),
  member: z.object({ id: z.string(), name: z.string(), role: z.enum(['member', 'admin']) }),
  device: z.object({ id: z.string(), name: z.string() }),
  joinedAt: z.number(),
})

const fileIn = ({ folder }: Home) => join(folder, TEAM_FILE)

/** Null when this home has joined no team. */
export function readMembership(home: Home): Membership | null {
  const parsed = Membership.safeParse(readJsonIfThere(fileIn(home)))
  return parsed.success ? parsed.data : null
}

export function writeMembership(home: Home, membership: Membership): void {
  writeFileAtomically(fileIn(home), `${JSON.stringify(membership)}\n`)
}

export function removeMembership(home: Home): void {
  removeFile(fileIn(home))
}
