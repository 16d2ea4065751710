/** What a package has to say, cut into passages of a sentence or a few: the teacher reads them, the student learns from them. */

const SHORTEST = 20
const LONGEST = 420

/** The paragraphs, list items and headings of a markdown page, and what its code blocks hold. */
export function passagesOfMarkdown(page: string): string[] {
  const parts = page.split(/^(?:```|~~~).*$/m)
  return parts.flatMap((part, index) => (index % 2 === 1 ? [part] : part.split(/\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.|#+)\s)/))).flatMap(tidied)
}

/** The comments of a source file, and its functions: the name, the first lines, and what is said above them. */
export function passagesOfSource(code: string): string[] {
  const comments = [...code.matchAll(/\/\*\*([\s\S]{20,3000}?)\*\//g)].flatMap(([, body = '']) =>
    body
      .replace(/^\s*\* ?/gm, '')
      .split(/\n\s*\n|\n(?=\s*@)/)
      .flatMap(tidied),
  )
  const functions = [...code.matchAll(/(?:\/\*\*[^/]{0,300}\*\/\s*)?(?:async )?function \w{4,}\([^)]*\)[^{\n]*\{[\s\S]{40,400}?\n\}/g)]
  return [...comments, ...functions.flatMap(([body]) => tidied(body.replace(/^\s*\* ?|\/\*\*|\*\//gm, '')))]
}

/** Plain prose such as a novel: its paragraphs. */
export function passagesOfProse(text: string): string[] {
  return text.split(/\r?\n\s*\r?\n/).flatMap(tidied)
}

/** A WordNet data file: each line a group of words that mean one thing, what it is, and sentences that use it. */
export function passagesOfWordNet(data: string): string[] {
  return data.split('\n').flatMap((line) => {
    const [fields = '', gloss = ''] = line.split(' | ')
    if (line.startsWith(' ') || !gloss) return []
    const count = Number.parseInt(fields.split(' ')[3] ?? '', 16)
    const words = Array.from({ length: count }, (_, index) =>
      fields
        .split(' ')
        [4 + 2 * index]?.replaceAll('_', ' ')
        .replace(/\(\w+\)$/, ''),
    )
    const sentences = [...gloss.matchAll(/"([^"]{20,})"/g)].map(([, sentence = '']) => sentence)
    return [`${words.join(', ')}: ${gloss.replace(/;? *"[^"]*"/g, '')}`.trim(), ...sentences]
  })
}

/** One passage as people write it, or several when it is long, or none when there is little to read in it. */
function tidied(passage: string): string[] {
  const text = passage
    .replace(/<!--[\s\S]*?-->|<[^>\n]{1,200}>|!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\bhttps?:\/\/\S+/g, ' ')
    .replace(/\{@link(?:code|plain)? ([^}|\s]*)[^}]*\}/g, '$1')
    .replace(/^[\s#>*+-]+|[*_`|]{1,}|[-=]{3,}/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return cut(text).filter((part) => part.length >= SHORTEST && isReadable(part))
}

/** Long text is cut where a sentence ends. */
function cut(text: string): string[] {
  if (text.length <= LONGEST) return [text]
  const parts: string[] = []
  for (const sentence of text.split(/(?<=[.;!?}]["”’]?) +/)) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + sentence.length < LONGEST) parts[parts.length - 1] = `${last} ${sentence}`
    else parts.push(sentence.slice(0, LONGEST))
  }
  return parts
}

/** Mostly Latin letters, and more than two words of them: not a table, a blob or another script. */
function isReadable(text: string): boolean {
  const letters = text.match(/[a-z]/gi)?.length ?? 0
  return letters > text.length * 0.55 && (text.match(/[a-z]{2,}/gi)?.length ?? 0) >= 4
}

/** A number between 0 and 1 that belongs to the text: what is chosen by it is chosen again next time. */
export function lot(text: string): number {
  return Number(Bun.hash.xxHash64(text) >> 11n) / 2 ** 53
}
