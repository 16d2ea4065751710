/** The first line of a text, shortened to `max` characters. */
export function firstLine(text: string, max: number): string {
  const line = text.trim().split('\n', 1)[0]?.trim() ?? ''
  return shorten(line, max)
}

/** A text on one line, at most `max` characters, cut at a word if possible and marked with an ellipsis. */
export function shorten(text: string, max: number): string {
  const flat = text.replace(/\s+/g, ' ').trim()
  if (flat.length <= max) return flat
  const cut = flat.slice(0, wholeChar(flat, max - 1))
  const space = cut.lastIndexOf(' ')
  return `${(space > max * 0.6 ? cut.slice(0, space) : cut).trimEnd()}…`
}

/** The start and the end of a long text: the last lines of a command's output matter as much as the first. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text
  const marker = `\n… ${text.length - max} characters left out …\n`
  const keep = Math.max(0, max - marker.length)
  const head = Math.ceil(keep * 0.6)
  return text.slice(0, wholeChar(text, head)) + marker + text.slice(wholeChar(text, text.length - (keep - head)))
}

/** Moves a cut out of the middle of a surrogate pair. */
function wholeChar(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}

/** The lines of a text, each cut to `maxChars`: a line may be a minified file, and no pattern looks further. */
export function linesOf(text: string, maxChars = 400): string[] {
  return text.split('\n').map((line) => (line.length > maxChars ? line.slice(0, maxChars) : line.endsWith('\r') ? line.slice(0, -1) : line))
}
