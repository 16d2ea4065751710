import { isMemoryId, type MemoryKind, memoryId } from '../core/memory-kinds.ts'
import { BadRequest } from './server.ts'

/** The error for an id that no memory of its kind has. */
export function noSuchMemory(kind: MemoryKind, id: string | number): BadRequest {
  const shown = memoryId(kind, id)
  const list = kind === 'note' ? 'notes' : 'search'
  return new BadRequest(`no ${kind} has the id ${isMemoryId(shown) ? shown : `"${id}"`}; 'recollect ${list}' shows ids`)
}
