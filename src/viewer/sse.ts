/** One event as the worker sends it. */
export type LiveEvent = { id: string; type: string; data: unknown }

/** Reads a stream of events piece by piece, wherever it is cut. Comments, which keep the line open, give nothing. */
export function openEventReader(): (piece: string) => LiveEvent[] {
  let held = ''
  return (piece) => {
    const blocks = (held + piece).split('\n\n')
    held = blocks.pop() ?? ''
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
