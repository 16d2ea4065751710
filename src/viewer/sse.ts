/** One live event from the worker. */
export type LiveEvent = { id: string; type: string; data: unknown }

/** Reads server-sent events from chunks that may be cut anywhere. Comments, which keep the connection open, are skipped. */
export function openEventReader(): (chunk: string) => LiveEvent[] {
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
    return [{ id: fields.get('id') ?? '', type, data: JSON.parse(fields.get('data') ?? 'null') }]
  } catch {
    return []
  }
}
