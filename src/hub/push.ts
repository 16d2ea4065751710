import { fingerprint } from '../core/hash.ts'
import type { PushedMemory, PushResult, ReviewState } from '../wire/contract/hub.ts'

/** A version that the hub has. Of a `hidden` one the caller may know nothing but that it exists. */
export type StoredVersion = {
  id: string
  hidden: boolean
  mine: boolean
  hash: string | null
  base: string | null
  /** Hashes that this memory had before, so that a push which arrives late or twice is recognised. */
  earlier: string[]
  revision: number
  state: ReviewState
  deleted: boolean
}

export type VersionToWrite = {
  id: string
  kind: PushedMemory['kind']
  revision: number
  hash: string
  base: string | null
  earlier: string[]
  state: ReviewState
  conflictOf: string | null
  body: PushedMemory['body']
}

export type Pusher = { member: string; curates: boolean; review: boolean }

type PushDecision = { result: PushResult; write: VersionToWrite | null }

const MAX_EARLIER = 16
const KEPT = 'kept-'
/** The beginning of the ids under which versions of one member are kept. */
const keptBy = ({ member }: Pusher) => `${KEPT}${fingerprint(member, 12)}-`

/** The id under which the hub keeps a version that conflicts. It depends on the version, so a repeated push is kept once. */
export const conflictId = (pusher: Pusher, id: string, hash: string) => `${keptBy(pusher)}${fingerprint(`${id}|${hash}`, 32)}`

/** The id under which a proposed version of an accepted memory waits: one for each member. */
export const proposalId = (pusher: Pusher, id: string) => `${keptBy(pusher)}${fingerprint(id, 32)}`

/**
 * What becomes of one pushed memory. `stored` returns the version that the hub has, with what earlier memories of the same push made of it.
 */
export function decidePush(
  pushed: PushedMemory,
  hash: string,
  pusher: Pusher,
  stored: (id: string) => StoredVersion | undefined,
): PushDecision {
  const { id, base, body } = pushed
  const current = stored(id)
  const newState: ReviewState = pusher.review && !pusher.curates ? 'proposed' : 'accepted'
  // Otherwise a member could take the id under which another member's version is to be kept.
  if (!current && id.startsWith(KEPT) && !id.startsWith(keptBy(pusher)))
    return { result: { id, kind: 'refused', reason: 'versions of another member are kept under this id' }, write: null }
  if (!current) return writeNew(pushed, id, hash, { state: newState, conflictOf: null })
  const currentHash = current.hash ?? ''
  const same = (): PushDecision => ({
    result: { id, kind: 'same', hash: currentHash, revision: current.revision, state: current.state },
    write: null,
  })
  if (!current.hidden && hash === currentHash) return same()
  if (current.hidden || !(current.mine || pusher.curates))
    return {
      result: { id, kind: 'refused', reason: 'another member wrote this memory; only its author and curators change it' },
      write: null,
    }
  const deletesAny = body === null && base === null
  const isStale = base !== currentHash && !deletesAny
  if (isStale && current.earlier.includes(hash)) return same()
  // After its deletion, a memory begins again.
  const isNewBeginning = base === null && current.deleted && current.mine
  if (isStale && !isNewBeginning) return keepConflict(pushed, hash, currentHash, newState, pusher, stored)
  // Also beside a deleted one: in its place, the proposal would hide the deletion from members who have yet to hear of it.
  if (body !== null && newState === 'proposed' && current.state === 'accepted') return propose(pushed, hash, currentHash, pusher, stored)
  return replace(pushed, current, hash, body === null ? current.state : newState)
}

/** Keeps a version that was not made from the current one beside it. A deletion leaves nothing to keep. */
function keepConflict(
  pushed: PushedMemory,
  hash: string,
  currentHash: string,
  state: ReviewState,
  pusher: Pusher,
  stored: (id: string) => StoredVersion | undefined,
): PushDecision {
  const { id, body } = pushed
  const keptAs = body === null ? id : conflictId(pusher, id, hash)
  const isKept = body === null || stored(keptAs) !== undefined
  return {
    result: { id, kind: 'conflict', keptAs, current: currentHash },
    write: isKept ? null : writeNew(pushed, keptAs, hash, { state, conflictOf: id }).write,
  }
}

function propose(
  pushed: PushedMemory,
  hash: string,
  currentHash: string,
  pusher: Pusher,
  stored: (id: string) => StoredVersion | undefined,
): PushDecision {
  const keptAs = proposalId(pusher, pushed.id)
  const waiting = stored(keptAs)
  const result: PushResult = { id: pushed.id, kind: 'proposed', keptAs, current: currentHash }
  const based = { ...pushed, base: currentHash }
  if (!waiting) return { result, write: writeNew(based, keptAs, hash, { state: 'proposed', conflictOf: pushed.id }).write }
  if (waiting.hash === hash || (!waiting.deleted && waiting.earlier.includes(hash))) return { result, write: null }
  return { result, write: { ...replacement(based, waiting, hash, 'proposed'), id: keptAs } }
}

function writeNew(pushed: PushedMemory, id: string, hash: string, { state, conflictOf }: Pick<VersionToWrite, 'state' | 'conflictOf'>) {
  const { kind, base, body } = pushed
  // If versions arrive in the wrong order, this one was based on one that is still to come.
  const earlier = base === null || conflictOf !== null ? [] : [base]
  const write: VersionToWrite = { id, kind, revision: 1, hash, base, earlier, state, conflictOf, body }
  const result: PushResult = { id, kind: 'stored', hash, revision: 1, state }
  return { result, write }
}

function replace(pushed: PushedMemory, current: StoredVersion, hash: string, state: ReviewState): PushDecision {
  const write = replacement(pushed, current, hash, state)
  return { result: { id: pushed.id, kind: 'stored', hash, revision: write.revision, state }, write }
}

function replacement(pushed: PushedMemory, current: StoredVersion, hash: string, state: ReviewState): VersionToWrite {
  const earlier = [...current.earlier, current.hash ?? ''].filter(Boolean).slice(-MAX_EARLIER)
  return {
    id: pushed.id,
    kind: pushed.kind,
    revision: current.revision + 1,
    hash,
    base: pushed.base,
    earlier,
    state,
    conflictOf: null,
    body: pushed.body,
  }
}

/** The version as it will be stored, for the memories that follow in the same push. */
export const asStored = (write: VersionToWrite): StoredVersion => ({
  id: write.id,
  hidden: false,
  mine: true,
  hash: write.hash,
  base: write.base,
  earlier: write.earlier,
  revision: write.revision,
  state: write.state,
  deleted: write.body === null,
})
