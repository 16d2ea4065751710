/** The lines of a text file, one after the other, however large it is. */
export async function* readTextLines(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let held = ''
  try {
    for await (const chunk of Bun.file(path).stream()) {
      held += decoder.decode(chunk, { stream: true })
      // A file without line ends is no file of lines; holding all of it would only fill the memory.
      if (held.length > MAX_TEXT_LINE_CHARS) throw new Error(`it has a line longer than ${MAX_TEXT_LINE_CHARS / 1024 / 1024} MB`)
      const lines = held.split('\n')
      held = lines.pop() ?? ''
      yield* lines
    }
  } catch (cause) {
    throw new Error(`could not read ${path}: ${(cause as Error).message}`, { cause })
  }
  if (held) yield held
}

const MAX_TEXT_LINE_CHARS = 32 * 1024 * 1024
