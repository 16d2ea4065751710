/** The event's name, without parsing a payload of many megabytes. */
export function eventNameIn(payload: Uint8Array): string {
  const head = headText(payload)
  return stringFieldIn(head, 'hook_event_name') ?? stringFieldIn(head, 'hook') ?? ''
}

/** The client writes these fields at the start, before any text that a tool could control. */
const HEAD_BYTES = 8192

/** The session, its folder and its transcript, but no text from the prompt or a tool. */
export function headFields(payload: Uint8Array): Record<string, string> {
  const head = headText(payload)
  const fields = ['session_id', 'transcript_path', 'cwd', 'hook_event_name'].map((name) => [name, stringFieldIn(head, name)] as const)
  return Object.fromEntries(fields.flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

const headText = (payload: Uint8Array) => new TextDecoder().decode(payload.subarray(0, HEAD_BYTES))

function stringFieldIn(head: string, name: string): string | null {
  const quoted = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.){1,4096}")`).exec(head)?.[1]
  try {
    const value: unknown = quoted ? JSON.parse(quoted) : null
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}
