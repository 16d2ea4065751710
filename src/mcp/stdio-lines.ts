import { inMegabytes, MAX_MCP_MESSAGE_BYTES } from '../core/limits.ts'
import { openLineSplitter } from '../core/line-splitter.ts'

/**
 * Splits standard input into MCP messages, one per line. Empty lines are skipped. A message over the limit is dropped, and `refuse` receives the
 * JSON-RPC error to send back.
 */
export function lineSplitter(take: (line: string) => void, refuse: (answer: string) => void = () => {}): (chunk: Uint8Array) => void {
  const splitter = openLineSplitter(MAX_MCP_MESSAGE_BYTES)
  return (chunk) => {
    for (const line of splitter.push(chunk)) {
      if (line.text === null) refuse(tooLongReply(line.start.trim(), line.end.trim()))
      else if (line.text.trim()) take(line.text.trim())
    }
  }
}

/** Clients write a request's id first or last. With the id, the error reaches the request that waits for it. */
function tooLongReply(start: string, end: string): string {
  const [, id = 'null'] = ID_FIRST.exec(start) ?? ID_LAST.exec(end) ?? []
  const error = {
    code: -32600,
    message: `the message is larger than ${inMegabytes(MAX_MCP_MESSAGE_BYTES)}, the largest that Recollect accepts`,
  }
  return JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(id) as unknown, error })
}

const ID_FIRST = /^\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")\s*,/
const ID_LAST = /,\s*"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")\s*\}$/
