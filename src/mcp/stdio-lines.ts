/** In bytes, and no more than the worker takes in a message: one that is longer would end the line to it, and be said again to the next. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** How much of the ends of one that is too long is looked at. */
const INSPECTED_END_CHARS = 300

/**
 * Gives whole lines out of pieces that come as they like. Empty ones are left out; one that is too long is dropped whole, and `refuse` is given
 * what to answer.
 */
export function lineSplitter(take: (line: string) => void, refuse: (answer: string) => void = () => {}): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder()
  let held: string[] = []
  let length = 0
  let end = ''
  return (chunk) => {
    const parts = decoder.decode(chunk, { stream: true }).split('\n')
    for (const [index, part] of parts.entries()) {
      if (length <= MAX_MESSAGE_BYTES) held.push(part)
      length += Buffer.byteLength(part)
      end = (end + part).slice(-INSPECTED_END_CHARS)
      if (index === parts.length - 1) break
      const line = held.join('').trim()
      if (length > MAX_MESSAGE_BYTES) refuse(tooLongReply(line.slice(0, INSPECTED_END_CHARS), end.trim()))
      else if (line) take(line)
      held = []
      length = 0
      end = ''
    }
  }
}

/** Clients write the id of a request first or last; with it whoever waits is told, and not only that something went wrong. */
function tooLongReply(start: string, end: string): string {
  const [, id = 'null'] = ID_FIRST.exec(start) ?? ID_LAST.exec(end) ?? []
  const error = { code: -32600, message: `a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB is not taken` }
  return JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(id) as unknown, error })
}

const ID_FIRST = /^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")\s*,/
const ID_LAST = /,\s*"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")\s*\}$/
