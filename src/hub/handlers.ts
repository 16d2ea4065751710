import type { hub } from '../wire/contract/hub.ts'
import type { ParsedType, ResponseType } from '../wire/contract/route.ts'
import type { HubCaller } from './caller.ts'
import * as feed from './routes/feed.ts'
import * as members from './routes/members.ts'
import * as own from './routes/own.ts'
import * as projects from './routes/projects.ts'
import { search } from './routes/search.ts'

/** The routes that run in a transaction of the member who asks. The server itself answers the others. */
export type MemberRoute = Exclude<keyof typeof hub, 'POST /v1/enrol' | 'GET /v1/stream'>

export type HubHandlers = {
  [Name in MemberRoute]: (caller: HubCaller, request: ParsedType<(typeof hub)[Name]>) => Promise<ResponseType<(typeof hub)[Name]>>
}

export const HANDLERS: HubHandlers = {
  'GET /v1/me': members.whoAmI,
  'GET /v1/projects': projects.listProjects,
  'POST /v1/projects': projects.createProject,
  'PATCH /v1/projects': projects.changeProject,
  'POST /v1/push': feed.push,
  'GET /v1/pull': feed.pull,
  'POST /v1/review': feed.review,
  'POST /v1/search': search,
  'POST /v1/handover': members.handOver,
  'POST /v1/own/push': own.pushOwn,
  'GET /v1/own/pull': own.pullOwn,
  'GET /v1/own/keys': own.readKeys,
  'PUT /v1/own/keys': own.replaceKeys,
  'GET /v1/devices': members.listDevices,
  'POST /v1/devices/:id/revoke': members.revokeDevice,
  'GET /v1/members': members.listMembers,
  'POST /v1/invites': members.createInvite,
  'PUT /v1/grants': members.changeGrant,
  'POST /v1/erase': members.erase,
  'GET /v1/audit': members.listAudit,
}
