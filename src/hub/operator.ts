import type { HubAuditEntry, HubMember, Right } from '../wire/contract/hub.ts'
import { databaseFailure, type HubDatabase, type Query } from './database.ts'
import { newerSchema, SCHEMA_VERSION, schemaVersion, UnusableDatabase } from './init.ts'
import { eraseMember, handOverMemories, type Invitation, invite, readAudit, readMembers } from './routes/members.ts'
import { OWNER_ROLE } from './schema.ts'

/** The actions of an operator, who has access to the database and need not be a member. The audit trail records them. */
export type HubOperator = ReturnType<typeof openOperator>

/** An operation that the hub refused, with a reason for the person. */
export class OperationRefused extends Error {}

export function openOperator(database: HubDatabase) {
  const asOwner = async <T>(work: (query: Query) => Promise<T>): Promise<T> => {
    try {
      return await database.transaction(async (query) => {
        await requireOwner(query)
        await query(`SET LOCAL ROLE ${OWNER_ROLE}`)
        return work(query)
      })
    } catch (cause) {
      const failed = databaseFailure(cause)
      if (failed?.kind === 'refused') throw new OperationRefused(failed.reason)
      if (failed?.kind === 'unusable-value') throw new OperationRefused('a value cannot be stored')
      throw cause
    }
  }
  return {
    invite: (invitation: Invitation) => asOwner((query) => invite(query, invitation)),
    members: (): Promise<HubMember[]> => asOwner((query) => readMembers(query, true)),
    projects: (): Promise<OperatorProject[]> => asOwner((query) => query<OperatorProject>(PROJECTS)),
    changeProject: (key: string, changes: { review?: boolean; retainDays?: number | null }) =>
      asOwner(async (query) => void (await query('SELECT recollect.change_project($1, $2::text::jsonb)', [key, JSON.stringify(changes)]))),
    changeGrant: (project: string, member: string, may: Right | null) =>
      asOwner(async (query) => void (await query('SELECT recollect.change_grant($1, $2, $3)', [project, member, may]))),
    /** How many memories would expire at once if a project kept them for so many days. */
    countExpiring: (project: string, days: number): Promise<number> =>
      asOwner(async (query) => {
        const [row] = await query<{ memories: number }>(
          `SELECT count(*)::float8 AS memories FROM recollect.memories m
           WHERE m.project_id = recollect.project_named($1) AND m.body IS NOT NULL AND m.changed_at < now() - make_interval(days => $2::int)`,
          [project, days],
        )
        return row?.memories ?? 0
      }),
    revokeDevice: (id: string) => asOwner(async (query) => void (await query('SELECT recollect.revoke_device($1::uuid)', [id]))),
    disableMember: (member: string) =>
      asOwner(async (query) => {
        const [row] = await query<{ devices: number }>('SELECT devices_revoked::float8 AS devices FROM recollect.disable_member($1)', [
          member,
        ])
        return { devices: row?.devices ?? 0 }
      }),
    erase: (member: string, dryRun: boolean) => asOwner((query) => eraseMember(query, member, dryRun)),
    handOver: (from: string, to: string, project: string | null, dryRun: boolean) =>
      asOwner((query) => handOverMemories(query, { from, to, project, dryRun })),
    audit: (project: string | null, before: number | null, limit: number): Promise<HubAuditEntry[]> =>
      asOwner((query) => readAudit(query, { project, before, limit })),
    close: () => database.close(),
  }
}

export type OperatorProject = { key: string; title: string; head: number; review: boolean; retainDays: number | null; members: number }
const PROJECTS = `SELECT p.key, p.title, p.head::float8 AS head, p.review, p.retain_days AS "retainDays",
  (SELECT count(*) FROM recollect.grants g WHERE g.project_id = p.id)::float8 AS members FROM recollect.projects p ORDER BY p.key`

async function requireOwner(query: Query): Promise<void> {
  const [role] = await query<{ name: string; exists: boolean; owner: boolean }>(
    `SELECT session_user::text AS name, count(o.oid) > 0 AS exists, coalesce(bool_or(pg_has_role(session_user, o.oid, 'MEMBER')), false) AS owner
     FROM (SELECT 1) one LEFT JOIN pg_roles o ON o.rolname = '${OWNER_ROLE}'`,
  )
  if (!role?.exists) throw new UnusableDatabase(`this database has no hub; run 'recollect hub init --database …' first`)
  if (!role.owner)
    throw new UnusableDatabase(
      `the role ${role.name} may not manage the hub; use the database address that 'recollect hub init' was run with`,
    )
  const version = await schemaVersion(query)
  if (version === null) throw new UnusableDatabase(`this database has no hub; run 'recollect hub init --database …' first`)
  if (version > SCHEMA_VERSION) throw new UnusableDatabase(newerSchema(version))
  if (version < SCHEMA_VERSION)
    throw new UnusableDatabase(`the hub's schema is older than this program; run 'recollect hub init --database …' first`)
}
