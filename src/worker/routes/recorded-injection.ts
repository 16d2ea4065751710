import type { Store } from '../../store/store.ts'
import type { RecordedInjection } from '../../wire/contract/memories.ts'

export type StoredInjection = Awaited<ReturnType<Store['injections']['recent']>>[number]

/** A stored injection with the field names of the contract. */
export const recordedInjection = ({ left, ...injection }: StoredInjection): RecordedInjection => ({ ...injection, omitted: left })
