import type { HubAuditEntry, HubDevice, HubMember, Right } from '../../wire/contract/hub.ts'
import { HubRefusal } from '../caller.ts'
import type { Query } from '../database.ts'
import { newCode, normalCode, sha256Hex } from '../enrolment.ts'
import type { HubHandlers } from '../handlers.ts'

/** A time of PostgreSQL as milliseconds since 1970. */
const ms = (column: string) => `floor(extract(epoch FROM ${column}) * 1000)::float8`

export const whoAmI: HubHandlers['GET /v1/me'] = async ({ hub, member, device }) => ({ hub, member, device })

const DEVICES = `SELECT id::text AS id, member_id::text AS member, name, ${ms('enrolled_at')} AS "enrolledAt", ${ms('last_seen_at')} AS "lastSeenAt",
  ${ms('revoked_at')} AS "revokedAt" FROM recollect.devices`
type DeviceRow = HubDevice & { member: string }
const hubDevice = ({ member: _, ...device }: DeviceRow): HubDevice => device

export const listDevices: HubHandlers['GET /v1/devices'] = async ({ query, member }) => {
  const rows = await query<DeviceRow>(`${DEVICES} WHERE member_id = $1::uuid ORDER BY enrolled_at`, [member.id])
  return { devices: rows.map(hubDevice) }
}

export const revokeDevice: HubHandlers['POST /v1/devices/:id/revoke'] = async ({ query }, { id }) => {
  await query('SELECT recollect.revoke_device($1::uuid)', [id])
  const [row] = await query<DeviceRow>(`${DEVICES} WHERE id = $1::uuid`, [id])
  if (!row) throw new HubRefusal(403, 'it is not a device of the member')
  return hubDevice(row)
}

export const listMembers: HubHandlers['GET /v1/members'] = async ({ query, member }) => ({
  members: await readMembers(query, member.role === 'admin'),
})

/** The members that this role may see, by name. Members who were erased have none and are left out. */
export async function readMembers(query: Query, withDevices: boolean): Promise<HubMember[]> {
  const members = await query<Omit<HubMember, 'grants' | 'devices'>>(
    `SELECT id::text AS id, name, role, ${ms('disabled_at')} AS "disabledAt" FROM recollect.members WHERE erased_at IS NULL ORDER BY lower(name)`,
  )
  const grants = await query<{ member: string; project: string; may: Right }>(
    `SELECT g.member_id::text AS member, p.key AS project, g.may FROM recollect.grants g JOIN recollect.projects p ON p.id = g.project_id ORDER BY p.key`,
  )
  const devices = withDevices ? await query<DeviceRow>(`${DEVICES} ORDER BY enrolled_at`) : []
  const grantsOf = Map.groupBy(grants, (grant) => grant.member)
  const devicesOf = Map.groupBy(devices, (device) => device.member)
  return members.map((row) => ({
    ...row,
    grants: (grantsOf.get(row.id) ?? []).map(({ project, may }) => ({ project, may })),
    devices: (devicesOf.get(row.id) ?? []).map(hubDevice),
  }))
}

export const createInvite: HubHandlers['POST /v1/invites'] = async ({ query }, { name, role, grants, hours }) =>
  invite(query, { name: name ?? null, role, grants, hours, deviceOf: null })

export type Invitation = {
  /** A new member; null for another device of `deviceOf`, or of the caller. */
  name: string | null
  role: 'member' | 'admin'
  grants: { project: string; may: Right }[]
  hours: number
  deviceOf: string | null
}

export async function invite(query: Query, { name, role, grants, hours, deviceOf }: Invitation) {
  const code = newCode()
  const [row] = await query<{ member: string; expiresAt: number }>(
    `SELECT member::text AS member, ${ms('expires')} AS "expiresAt" FROM recollect.invite($1, $2, $3::text::jsonb, $4, decode($5, 'hex'), $6)`,
    [name, role, JSON.stringify(grants), Math.max(1, hours), sha256Hex(normalCode(code)), deviceOf],
  )
  return { code, member: row?.member ?? '', expiresAt: row?.expiresAt ?? 0 }
}

export const changeGrant: HubHandlers['PUT /v1/grants'] = async ({ query }, { project, member, may }) => {
  const [row] = await query<{ member: string }>('SELECT recollect.change_grant($1, $2, $3)::text AS member', [project, member, may])
  return { project, member: row?.member ?? '', may }
}

export const handOver: HubHandlers['POST /v1/handover'] = async ({ query }, { to, project, dryRun }) => ({
  memories: await handOverMemories(query, { from: null, to, project: project ?? null, dryRun }),
})

export async function handOverMemories(
  query: Query,
  { from, to, project, dryRun }: { from: string | null; to: string; project: string | null; dryRun: boolean },
): Promise<number> {
  const [row] = await query<{ memories: number }>('SELECT recollect.hand_over($1, $2, $3, $4)::float8 AS memories', [
    from,
    to,
    project,
    dryRun,
  ])
  return row?.memories ?? 0
}

export const erase: HubHandlers['POST /v1/erase'] = async ({ query }, { member, dryRun }) => eraseMember(query, member, dryRun)

export async function eraseMember(query: Query, member: string, dryRun: boolean) {
  const [row] = await query<{ memories: number; devices: number; sealed: number }>(
    `SELECT memories_erased::float8 AS memories, devices_erased::float8 AS devices, sealed_erased::float8 AS sealed FROM recollect.erase_member($1, $2)`,
    [member, dryRun],
  )
  return row ?? { memories: 0, devices: 0, sealed: 0 }
}

export const listAudit: HubHandlers['GET /v1/audit'] = async ({ query, member }, { project, before, limit }) => {
  if (project === undefined && member.role !== 'admin') throw new HubRefusal(403, 'only admins read the whole audit trail')
  if (project !== undefined && member.role !== 'admin') {
    const [curated] = await query(`SELECT 1 FROM recollect.projects WHERE key = $1 AND id = ANY (recollect.my_projects('curate'))`, [
      project,
    ])
    if (!curated) throw new HubRefusal(403, 'only admins and curators of the project read its audit trail')
  }
  return { entries: await readAudit(query, { project: project ?? null, before: before ?? null, limit }) }
}

export async function readAudit(
  query: Query,
  { project, before, limit }: { project: string | null; before: number | null; limit: number },
): Promise<HubAuditEntry[]> {
  return query<HubAuditEntry>(
    `SELECT a.id::float8 AS id, ${ms('a.at')} AS at, a.member_id::text AS member, a.device_id::text AS device, a.action, p.key AS project, a.memory_id AS memory, a.details
     FROM recollect.audit a LEFT JOIN recollect.projects p ON p.id = a.project_id
     WHERE ($1::text IS NULL OR p.key = $1) AND ($2::float8 IS NULL OR a.id < $2) ORDER BY a.id DESC LIMIT $3`,
    [project, before, Math.max(1, limit)],
  )
}
