/**
 * The answers that a hub may give. A hub is another machine, which may be broken or hostile: every answer is parsed, and lists and texts have limits. Types in
 * the contract say what an honest hub sends; these schemas say what is accepted.
 */
import { z } from 'zod'
import { MAX_PULLED, MAX_PUSHED, REVIEW_STATES, RIGHTS, SHARED_KINDS, SharedBody, sharedId } from '../wire/contract/hub.ts'

const MAX_PROJECTS = 1000
const MAX_MEMBERS = 5000

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const seq = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)
const at = z.number().int().min(0).max(8.64e15)
const name = z.string().max(300)
const projectKey = z.string().min(1).max(500)
const memberRef = z.object({ id: z.string().min(1).max(200), name })
const member = memberRef.extend({ role: z.enum(['member', 'admin']) })
const deviceRef = z.object({ id: z.string().min(1).max(200), name })

const FeedMemory = z.object({
  id: sharedId(),
  kind: z.enum(SHARED_KINDS),
  seq,
  revision: seq,
  hash,
  author: memberRef,
  device: name,
  state: z.enum(REVIEW_STATES),
  conflictOf: sharedId().nullable(),
  body: SharedBody.nullable(),
  changedAt: at,
})
export type ReceivedFeedMemory = z.infer<typeof FeedMemory>

const Project = z.object({
  key: projectKey,
  title: z.string().max(200),
  may: z.enum(RIGHTS),
  head: seq,
  review: z.boolean(),
  retainDays: z.number().int().nullable(),
})
const Device = z.object({ id: z.string().max(200), name, enrolledAt: at, lastSeenAt: at.nullable(), revokedAt: at.nullable() })
const Member = z.object({
  id: z.string().max(200),
  name,
  role: z.enum(['member', 'admin']),
  disabledAt: at.nullable(),
  grants: z.array(z.object({ project: projectKey, may: z.enum(RIGHTS) })).max(MAX_PROJECTS),
  devices: z.array(Device).max(1000),
})
const state = z.enum(REVIEW_STATES)
const PushResult = z.discriminatedUnion('kind', [
  z.object({ id: sharedId(), kind: z.literal('stored'), hash, revision: seq, state }),
  z.object({ id: sharedId(), kind: z.literal('same'), hash, revision: seq, state }),
  z.object({ id: sharedId(), kind: z.literal('conflict'), keptAs: sharedId(), current: hash }),
  z.object({ id: sharedId(), kind: z.literal('proposed'), keptAs: sharedId(), current: hash }),
  z.object({ id: sharedId(), kind: z.literal('refused'), reason: z.string().max(1000) }),
])
const SealedFeedItem = z.object({
  id: hash,
  keyId: z.string().regex(/^[0-9a-f]{16}$/),
  sealed: z
    .string()
    .max(4 * 1024 * 1024)
    .nullable(),
  seq,
  device: name,
})

export const ANSWERS = {
  'POST /v1/enrol': z.object({ token: z.string().min(20).max(500), hub: z.string().min(1).max(200), member, device: deviceRef }),
  'GET /v1/me': z.object({ hub: z.string().min(1).max(200), member, device: deviceRef }),
  'GET /v1/projects': z.object({ projects: z.array(Project).max(MAX_PROJECTS) }),
  'POST /v1/projects': Project,
  'PATCH /v1/projects': Project.extend({ may: z.enum(RIGHTS).nullable() }),
  'POST /v1/push': z.object({ results: z.array(PushResult).max(MAX_PUSHED), head: seq }),
  'GET /v1/pull': z.object({ memories: z.array(FeedMemory).max(MAX_PULLED), head: seq, more: z.boolean() }),
  'POST /v1/review': FeedMemory,
  'POST /v1/handover': z.object({ memories: seq }),
  'POST /v1/own/push': z.object({ head: seq }),
  'GET /v1/own/pull': z.object({ items: z.array(SealedFeedItem).max(MAX_PULLED), head: seq, more: z.boolean() }),
  'GET /v1/own/keys': z.object({
    keys: z.object({ keyId: z.string().regex(/^[0-9a-f]{16}$/), olderKeys: z.string().max(100_000), changedAt: at }).nullable(),
  }),
  'PUT /v1/own/keys': z.object({ keyId: z.string().max(16) }),
  'GET /v1/devices': z.object({ devices: z.array(Device).max(1000) }),
  'POST /v1/devices/:id/revoke': Device,
  'POST /v1/invites': z.object({ code: z.string().min(1).max(200), member: z.string().max(300), expiresAt: at }),
  'PUT /v1/grants': z.object({ project: projectKey, member: z.string().max(300), may: z.enum(RIGHTS).nullable() }),
  'GET /v1/members': z.object({ members: z.array(Member).max(MAX_MEMBERS) }),
}
