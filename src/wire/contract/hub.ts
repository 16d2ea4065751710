/**
 * The protocol between a laptop and its team's hub, declared once: `src/hub` implements it, `src/team` calls it. The number in the path is the version
 * of the protocol; a hub that does not know it answers 404. Every request except `POST /v1/enrol` carries the device's token as a bearer token.
 */
import { z } from 'zod'
import { MAX_NOTE_BYTES } from '../../core/limits.ts'
import { NOTE_TYPES } from '../../core/note.ts'
import { flag, route, wholeNumber } from './route.ts'

/** The rights of a member in a project; each includes the ones before it. */
export const RIGHTS = ['read', 'write', 'curate'] as const
export type Right = (typeof RIGHTS)[number]

/** The kinds of memories that a project may share; `distilled` are observations and summaries. */
export const SHARED_KINDS = ['note', 'distilled'] as const

/** More memories than this in one push are refused with 400, a push of more than `MAX_PUSH_BYTES` with 413. */
export const MAX_PUSHED = 200
export const MAX_PUSH_BYTES = 8 * 1024 * 1024
export const MAX_PULLED = 500

/** A memory's id: made on the laptop, so it is the same everywhere. */
export const sharedId = () => z.string().regex(/^[\w.-]{1,120}$/)
const hash = () => z.string().regex(/^[0-9a-f]{64}$/)
const hubProject = () => z.string().min(1).max(500)
/** Shown in terminals of operators and other members, which would execute control characters. */
const shownName = (maxChars: number) =>
  z
    .string()
    .min(1)
    .max(maxChars)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')
const at = () => z.number().int().min(0).max(8.64e15)

/** The contents of a shared memory. `sharedHash` in core computes its hash. */
export const SharedBody = z.object({
  type: z.enum(NOTE_TYPES),
  namespace: z.string().max(40),
  title: z.string().min(1).max(500),
  text: z.string().max(MAX_NOTE_BYTES / 2),
  tags: z.array(z.string().max(200)).max(100),
  supersedes: z.array(sharedId()).max(100),
  confidence: z.number().min(0).max(1),
  createdAt: at(),
  updatedAt: at(),
  expiresAt: at().nullable(),
})
export type SharedBody = z.infer<typeof SharedBody>

const PushedMemory = z.object({
  id: sharedId(),
  kind: z.enum(SHARED_KINDS),
  /** The hash of the version that this one replaces; null for a new memory. */
  base: hash().nullable(),
  /** Null deletes the memory everywhere; only its author and curators may. With `base` null it deletes whatever version the hub has. */
  body: SharedBody.nullable(),
})
export type PushedMemory = z.infer<typeof PushedMemory>

/** What became of one pushed memory, in the order of the request. */
export type PushResult =
  | { id: string; kind: 'stored'; hash: string; revision: number; state: ReviewState }
  /** The hub has this version already: a push that is repeated changes nothing. */
  | { id: string; kind: 'same'; hash: string; revision: number; state: ReviewState }
  /** Someone changed it since `base`. Both versions are kept: this one under `keptAs`. A deletion is not carried out, and `keptAs` is the id itself. */
  | { id: string; kind: 'conflict'; keptAs: string; current: string }
  /**
   * The project requires review and the memory was accepted before: the accepted version stays until a curator accepts this one, which waits under
   * `keptAs`. Pushing another version replaces the waiting one; its `base` is still the accepted version.
   */
  | { id: string; kind: 'proposed'; keptAs: string; current: string }
  | { id: string; kind: 'refused'; reason: string }

/** In a project that requires review, a memory is proposed until a curator accepts it, and only its author and curators see it. */
export const REVIEW_STATES = ['accepted', 'proposed', 'rejected'] as const
export type ReviewState = (typeof REVIEW_STATES)[number]

/** One entry of a project's feed: the newest version of a memory. */
export type SharedMemory = {
  id: string
  kind: (typeof SHARED_KINDS)[number]
  /** The number in the feed. It grows with every change, in the order of commits. */
  seq: number
  revision: number
  hash: string
  author: { id: string; name: string }
  device: string
  state: ReviewState
  /** Set on a version that was kept after a conflict, or that waits for review: the id of the memory that it is a version of. */
  conflictOf: string | null
  /** Null when the memory was deleted. */
  body: SharedBody | null
  /** The hub's time of the change. */
  changedAt: number
}

export type HubProject = {
  key: string
  title: string
  /** When it changes, other memories become visible: pull again from 0. */
  may: Right
  /** The last number of its feed. */
  head: number
  /** Whether a curator must accept what members share. */
  review: boolean
  retainDays: number | null
}
export type HubMember = {
  id: string
  name: string
  role: 'member' | 'admin'
  disabledAt: number | null
  grants: { project: string; may: Right }[]
  devices: HubDevice[]
}
export type HubDevice = { id: string; name: string; enrolledAt: number; lastSeenAt: number | null; revokedAt: number | null }
export type HubSearchHit = { project: string; memory: SharedMemory; score: number }
export type HubAuditEntry = {
  id: number
  at: number
  member: string | null
  device: string | null
  action: string
  project: string | null
  memory: string | null
  details: Record<string, string | number | boolean | null>
}

/** A sealed piece of a person's own memory. The hub has no key: it knows an id that says nothing, a size and a time. */
const SealedItem = z.object({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  /** Which key sealed it. */
  keyId: z.string().regex(/^[0-9a-f]{16}$/),
  /** Base64 of nonce and ciphertext; null deletes the item on all devices. */
  sealed: z
    .string()
    .max(4 * 1024 * 1024)
    .nullable(),
})
export type SealedItem = z.infer<typeof SealedItem>
export type SealedFeedItem = SealedItem & { seq: number; device: string }

/** @internal */
export const hub = {
  /** Join with a code that works once. The token is shown only here; the hub keeps its hash. */
  'POST /v1/enrol': route({
    request: () => z.object({ code: z.string().min(1).max(200), device: shownName(200) }),
  }).returns<
    { token: string; hub: string; member: { id: string; name: string; role: 'member' | 'admin' }; device: { id: string; name: string } },
    { 403: 'the code is unknown, used or expired' }
  >(),
  /** The member and the device that the token belongs to. */
  'GET /v1/me': route({ readOnly: true }).returns<{
    hub: string
    member: { id: string; name: string; role: 'member' | 'admin' }
    device: { id: string; name: string }
  }>(),
  /** The projects that the member may read. */
  'GET /v1/projects': route({ readOnly: true }).returns<{ projects: HubProject[] }>(),
  /** Create a project; its creator may curate it. Answers with the existing one if the member may already read it. */
  'POST /v1/projects': route({
    request: () =>
      z.object({
        // A laptop takes keys that differ only in case for one project.
        key: shownName(500).refine((key) => key === key.toLowerCase(), 'must be in lower case'),
        title: z.string().max(200),
        review: z.boolean().default(false),
      }),
  }).returns<HubProject, { 403: 'the project exists and the member may not read it' }>(),
  /** Store a batch of memories, all in one transaction; see `PushResult`. */
  'POST /v1/push': route({
    request: () => z.object({ project: hubProject(), memories: z.array(PushedMemory).min(1).max(MAX_PUSHED) }),
  }).returns<{ results: PushResult[]; head: number }, { 403: 'the member may not write to the project' }>(),
  /**
   * The feed of a project after a number, in order. Continue after the last number, and once `more` is false after `head`. A page ends early when it
   * becomes large.
   */
  'GET /v1/pull': route({
    request: () =>
      z.object({
        project: hubProject(),
        after: wholeNumber(0, Number.MAX_SAFE_INTEGER),
        limit: wholeNumber(200, MAX_PULLED),
        fresh: flag(false).describe('this pull began at 0 and is not finished, so forgotten deletions do not matter'),
      }),
    readOnly: true,
  }).returns<
    { memories: SharedMemory[]; head: number; more: boolean },
    { 403: 'the member may not read the project'; 410: 'deletions after that number are forgotten; drop what you have and pull from 0' }
  >(),
  /** Server-sent events: `{ project, head }` for each project whose feed grew, `{ own }` for the person's own items. */
  'GET /v1/stream': route({ raw: true, unlimited: true }).returns<never>(),
  /** Search the projects that the member may read. */
  'POST /v1/search': route({
    request: () => z.object({ query: z.string().min(1).max(2000), project: hubProject().optional(), limit: wholeNumber(20, 100) }),
    readOnly: true,
  }).returns<{ hits: HubSearchHit[] }>(),
  /** Accept or reject a proposed memory; for curators. `hash` is the version that was read. */
  'POST /v1/review': route({
    request: () => z.object({ project: hubProject(), id: sharedId(), hash: hash(), verdict: z.enum(['accepted', 'rejected']) }),
  }).returns<SharedMemory, { 403: 'the member may not curate the project'; 409: 'the memory has another version by now' }>(),
  /** Make another member the author of the caller's memories, in one project or in all. For admins, and for curators if the other member has written in these projects. */
  'POST /v1/handover': route({
    request: () => z.object({ to: z.string().max(200), project: hubProject().optional(), dryRun: flag(true) }),
  }).returns<
    { memories: number },
    { 403: 'the caller may not curate a project of the memories, or the other member may not write to it or has not done so yet' }
  >(),

  /** Store sealed items of the person's own devices. */
  'POST /v1/own/push': route({ request: () => z.object({ items: z.array(SealedItem).min(1).max(MAX_PUSHED) }) }).returns<{
    head: number
  }>(),
  /** The sealed items after a number, in order. */
  'GET /v1/own/pull': route({
    request: () => z.object({ after: wholeNumber(0, Number.MAX_SAFE_INTEGER), limit: wholeNumber(100, MAX_PULLED), fresh: flag(false) }),
    readOnly: true,
  }).returns<{ items: SealedFeedItem[]; head: number; more: boolean }, { 410: 'deletions after that number are forgotten; pull from 0' }>(),
  /** The person's key ring: which key is current, and the older keys, sealed with it. Null before the first device made a key. */
  'GET /v1/own/keys': route({ readOnly: true }).returns<{ keys: { keyId: string; olderKeys: string; changedAt: number } | null }>(),
  /** Replace the key ring. `was` is the current key that the caller has seen. */
  'PUT /v1/own/keys': route({
    request: () =>
      z.object({
        was: z.string().max(16).nullable(),
        keyId: z.string().regex(/^[0-9a-f]{16}$/),
        olderKeys: z.string().max(100_000).describe('base64, sealed with the new key'),
      }),
  }).returns<{ keyId: string }, { 409: 'another device changed the key meanwhile' }>(),
  /** The caller's devices. */
  'GET /v1/devices': route({ readOnly: true }).returns<{ devices: HubDevice[] }>(),
  /** Revoke one of the caller's devices, or as an admin anyone's. Its token stops working at once. */
  'POST /v1/devices/:id/revoke': route({ request: () => z.object({ id: z.uuid() }) }).returns<
    HubDevice,
    { 403: 'it is not a device of the member' }
  >(),

  /** The members; admins see all, others the members of the projects that they may read, without their devices. */
  'GET /v1/members': route({ readOnly: true }).returns<{ members: HubMember[] }>(),
  /** Invite a person, or another device of the caller. The code is shown only here. */
  'POST /v1/invites': route({
    request: () =>
      z.object({
        name: shownName(200).optional().describe('a new member; without it, the code is for another device of the caller'),
        role: z.enum(['member', 'admin']).default('member'),
        grants: z
          .array(z.object({ project: hubProject(), may: z.enum(RIGHTS) }))
          .max(100)
          .default([]),
        hours: wholeNumber(72, 720),
      }),
  }).returns<{ code: string; member: string; expiresAt: number }, { 403: 'only admins invite members'; 409: 'a member has this name' }>(),
  /** Give or take a right; for curators of the project and admins. */
  'PUT /v1/grants': route({
    request: () => z.object({ project: hubProject(), member: z.string().max(200), may: z.enum(RIGHTS).nullable() }),
  }).returns<{ project: string; member: string; may: Right | null }, { 403: 'the member may not curate the project' }>(),
  /** Change a project: review and retention; for its curators and admins. */
  'PATCH /v1/projects': route({
    request: () =>
      z.object({
        key: hubProject(),
        review: z.boolean().optional(),
        retainDays: z.number().int().min(1).max(36_500).nullable().optional(),
      }),
  }).returns<Omit<HubProject, 'may'> & { may: Right | null }, { 403: 'the member may not curate the project' }>(),
  /** Erase a person: their memories, devices, sealed items and name. For the person and for admins. */
  'POST /v1/erase': route({
    request: () => z.object({ member: z.string().max(200), dryRun: flag(true) }),
  }).returns<{ memories: number; devices: number; sealed: number }, { 403: 'only admins erase another member' }>(),
  /** The audit trail, newest first; for admins, and for curators of the project. It holds no memory text. */
  'GET /v1/audit': route({
    request: () =>
      z.object({ project: hubProject().optional(), before: z.coerce.number().int().optional(), limit: wholeNumber(100, 1000) }),
    readOnly: true,
  }).returns<{ entries: HubAuditEntry[] }, { 403: 'only admins read the whole audit trail' }>(),
}
