/**
 * A text without the context that we injected. Some agents write it into their transcripts, or send it back with the prompt: stored again, memory would
 * feed on itself.
 */
export function withoutOwnContext(text: string): string {
  let rest = text
  let kept = ''
  for (;;) {
    const start = rest.indexOf(OPENING)
    const end = start < 0 ? -1 : rest.indexOf(CLOSING, start)
    if (end < 0) return kept + rest
    kept += rest.slice(0, start).trimEnd()
    rest = rest.slice(end + CLOSING.length)
  }
}

const OPENING = '<recollect-context '
const CLOSING = '</recollect-context>'

/** A text without the parts between two tags, and the spaces after them. */
export function withoutTagged(text: string, tag: string): string {
  let rest = text
  let kept = ''
  for (;;) {
    const start = rest.indexOf(`<${tag}>`)
    const end = start < 0 ? -1 : rest.indexOf(`</${tag}>`, start)
    if (end < 0) return kept + rest
    kept += rest.slice(0, start)
    rest = rest.slice(end + tag.length + 3).trimStart()
  }
}
