import type { Change } from '../core/memory.ts'

/**
 * One event of `GET /stream`. `change` is set if something was stored or removed; other types are notices: `hello` (connected), `reset` (events
 * were missed), `projects-changed`, `processing` and others.
 */
export type LiveEvent = { id: string; type: string; change: Change | null }

/** Every kind of change, so that the compiler notices a missing one. */
const CHANGE_KINDS: Record<Change['kind'], true> = {
  'session-opened': true,
  'session-completed': true,
  'prompt-added': true,
  'tool-use-added': true,
  'observation-added': true,
  'observation-removed': true,
  'summary-added': true,
  'note-changed': true,
  'note-removed': true,
  imported: true,
}

/** Reads live events from chunks of text that may be cut anywhere. Comments, which keep the connection open, are skipped. */
export function openLiveEventReader(): (chunk: string) => LiveEvent[] {
  let unfinished = ''
  return (chunk) => {
    const blocks = (unfinished + chunk).split('\n\n')
    unfinished = blocks.pop() ?? ''
    return blocks.flatMap((block) => parseEvent(block))
  }
}

function parseEvent(block: string): LiveEvent[] {
  const fields = new Map(
    block.split('\n').flatMap((line) => {
      const colon = line.indexOf(':')
      return colon > 0 ? [[line.slice(0, colon), line.slice(colon + 1).trimStart()] as const] : []
    }),
  )
  const type = fields.get('event')
  if (!type) return []
  try {
    const data: unknown = JSON.parse(fields.get('data') ?? 'null')
    return [{ id: fields.get('id') ?? '', type, change: isChange(type, data) ? data : null }]
  } catch {
    return []
  }
}

/** Trusts the worker to send the fields that belong to the kind, as `call` trusts its responses. */
const isChange = (type: string, data: unknown): data is Change =>
  Object.hasOwn(CHANGE_KINDS, type) && typeof data === 'object' && data !== null && 'kind' in data && data.kind === type
