/** A line that never ends is not a message. */
const LONGEST = 16 * 1024 * 1024

/** Gives whole lines out of pieces that come as they like. Empty ones are left out; one that is too long is dropped whole. */
export function lineSplitter(take: (line: string) => void): (chunk: Uint8Array) => void {
  const decoder = new TextDecoder()
  let held: string[] = []
  let length = 0
  return (chunk) => {
    const parts = decoder.decode(chunk, { stream: true }).split('\n')
    for (const [index, part] of parts.entries()) {
      if (length <= LONGEST) held.push(part)
      length += part.length
      if (index === parts.length - 1) break
      const line = held.join('').trim()
      if (line && length <= LONGEST) take(line)
      held = []
      length = 0
    }
  }
}
