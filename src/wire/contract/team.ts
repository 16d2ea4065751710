import { z } from 'zod'
import type { ReceivedVersion, TeamConflict, TeamState } from '../../core/team.ts'
import type { HubDevice, HubMember } from './hub.ts'
import { flag, route } from './route.ts'

/** What sharing sends, or sent. */
export type ShareReport = {
  key: string
  project: string
  policy: string
  notes: number
  distilled: number
  titles: string[]
  dryRun: boolean
}

/** @internal */
export const team = {
  /** Get the state of the team, without using the network. */
  'GET /api/team': route({ readOnly: true }).returns<TeamState>(),
  /** Join a team with a code from its hub. */
  'POST /api/team/join': route({
    request: () =>
      z.object({ url: z.string().max(2000).optional(), code: z.string().min(1).max(200), device: z.string().min(1).max(200).optional() }),
    unlimited: true,
  }).returns<TeamState, { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }>(),
  /** Leave the team. Copies of others' memories are removed; with `deletes`, what this home shared is deleted on the hub first. */
  'POST /api/team/leave': route({
    request: () => z.object({ deletes: z.boolean().default(false), dryRun: flag(true) }),
    unlimited: true,
  }).returns<
    { shared: number; received: number; deleted: number; isRevoked: boolean; dryRun: boolean },
    { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }
  >(),
  /**
   * Share a project with the team, or one note with a project's team. With `dryRun` only list what would be sent. A name that neither this home nor the hub
   * knows is refused unless `create` is set.
   */
  'POST /api/team/share': route({
    request: () =>
      z.object({
        project: z.string().min(1).max(4096),
        policy: z.enum(['notes', 'notes+distilled']).optional(),
        note: z.string().max(80).optional(),
        create: flag(false),
        dryRun: flag(true),
      }),
    unlimited: true,
  }).returns<ShareReport, { 400: 'this home has not joined a team, the project is unknown, or the hub refuses or cannot be reached' }>(),
  /** Stop sharing a project or a note, and delete on the hub what this home has shared of it. */
  'POST /api/team/withdraw': route({
    request: () => z.object({ project: z.string().max(4096).optional(), note: z.string().max(80).optional(), dryRun: flag(true) }),
    unlimited: true,
  }).returns<
    { memories: number; waiting: number; dryRun: boolean },
    { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }
  >(),
  /** Make another member the author of what this person has shared. */
  'POST /api/team/handover': route({
    request: () => z.object({ to: z.string().min(1).max(200), project: z.string().max(4096).optional(), dryRun: flag(true) }),
    unlimited: true,
  }).returns<{ memories: number; dryRun: boolean }, { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }>(),
  /** List the memories that wait for this person as a curator. */
  'GET /api/team/review': route({ readOnly: true }).returns<{ memories: ReceivedVersion[] }>(),
  /** Accept or reject a proposed memory, in the version that was read. */
  'POST /api/team/review': route({
    request: () =>
      z.object({
        key: z.string().max(500),
        id: z.string().max(120),
        hash: z.string().max(64),
        verdict: z.enum(['accepted', 'rejected']),
      }),
    unlimited: true,
  }).returns<{ verdict: 'accepted' | 'rejected' }, { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }>(),
  /** Decide whether what members share in a project waits for a curator; for curators of the project and admins. */
  'PUT /api/team/review': route({
    request: () => z.object({ project: z.string().min(1).max(4096), isRequired: z.boolean() }),
    unlimited: true,
  }).returns<
    { project: string; isRequired: boolean },
    { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }
  >(),
  /** List memories with two versions. */
  'GET /api/team/conflicts': route({ readOnly: true }).returns<{ conflicts: TeamConflict[] }>(),
  /** Choose between two versions of one of this home's notes. */
  'POST /api/team/resolve': route({
    request: () => z.object({ key: z.string().max(500), id: z.string().max(120), choice: z.enum(['mine', 'theirs']) }),
    unlimited: true,
  }).returns<{ choice: 'mine' | 'theirs' }, { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }>(),
  /** List the members with their rights. */
  'GET /api/team/members': route({ request: () => z.object({}), unlimited: true }).returns<
    { members: HubMember[] },
    { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }
  >(),
  /** Give a member a right in a project, or take it; for curators of the project and admins. */
  'POST /api/team/grant': route({
    request: () =>
      z.object({
        project: z.string().min(1).max(4096),
        member: z.string().min(1).max(200),
        may: z.enum(['read', 'write', 'curate']).nullable(),
      }),
    unlimited: true,
  }).returns<
    { project: string; member: string; may: 'read' | 'write' | 'curate' | null },
    { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }
  >(),
  /** Make a code that works once: without a name for another device of this person, with one for a new member (admins only). */
  'POST /api/team/invite': route({ request: () => z.object({ name: z.string().min(1).max(200).optional() }), unlimited: true }).returns<
    { url: string; code: string; expiresAt: number },
    { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }
  >(),
  /** List this person's devices. */
  'GET /api/team/devices': route({ request: () => z.object({}), unlimited: true }).returns<
    { devices: HubDevice[]; current: string },
    { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }
  >(),
  /** Revoke one of this person's devices. If own memory is on, the answer contains a new recovery phrase, which is shown only here. */
  'POST /api/team/devices/revoke': route({ request: () => z.object({ id: z.string().max(200) }), unlimited: true }).returns<
    HubDevice & { phrase: string | null },
    { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }
  >(),
  /**
   * Share private sessions, notes and distilled memories between this person's own machines, sealed. Without `phrase` this is the first machine, and the
   * answer contains the recovery phrase, which is shown only here.
   */
  'POST /api/team/own': route({ request: () => z.object({ phrase: z.string().max(1000).optional() }), unlimited: true }).returns<
    { phrase: string | null; state: TeamState },
    { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }
  >(),
  /** Make a new recovery phrase, which is shown only here, and seal with its key from now on. The other machines ask for it once. */
  'POST /api/team/own/phrase': route({ request: () => z.object({}), unlimited: true }).returns<
    { phrase: string },
    { 400: 'this home has not joined a team, own memory is off here, or the hub refuses or cannot be reached' }
  >(),
  /** Stop sharing between own machines here. What is on the hub and on the other machines stays. */
  'POST /api/team/own/off': route({ request: () => z.object({ dryRun: flag(true) }), unlimited: true }).returns<
    { items: number; dryRun: boolean },
    { 400: 'this home has not joined a team' }
  >(),
  /** Exchange with the hub now. */
  'POST /api/team/exchange': route({ request: () => z.object({}), unlimited: true }).returns<
    TeamState,
    { 400: 'this home has not joined a team, or the hub refuses or cannot be reached' }
  >(),
}
